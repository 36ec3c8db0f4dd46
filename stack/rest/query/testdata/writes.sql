-- POST /projects
-- {"id":1,"name":"x"}
WITH pgrst_source AS (INSERT INTO "public"."projects"("id", "name")
SELECT "pgrst_body"."id", "pgrst_body"."name"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "id", "name"
FROM jsonb_to_record(pgrst_payload.json_data) AS _("id" integer, "name" text)) pgrst_body
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"id":1,"name":"x"}

-- POST /projects?select=id,clients(name)
-- Prefer: return=representation
-- [{"id":1}]
WITH pgrst_source AS (INSERT INTO "public"."projects"("id")
SELECT "pgrst_body"."id"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "id"
FROM jsonb_to_recordset(pgrst_payload.json_data) AS _("id" integer)) pgrst_body
RETURNING "public"."projects"."client_id", "public"."projects"."id")
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "projects"."id", CASE WHEN "projects_clients_1".* IS DISTINCT
FROM NULL THEN $2::text || COALESCE(to_json("projects_clients_1"."name")::text, 'null') || '}' END::json AS "clients"
FROM "pgrst_source" AS "projects"
LEFT JOIN LATERAL (SELECT "clients_1"."name"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "projects"."client_id") AS "projects_clients_1" ON TRUE) _postgrest_t;
-- $1 = [{"id":1}]
-- $2 = {"name": 

-- POST /projects?columns=id,name
-- Prefer: return=headers-only, missing=default
-- [{"id":1,"other":2}]
WITH pgrst_source AS (INSERT INTO "public"."projects"("id", "name")
SELECT "pgrst_body"."id", "pgrst_body"."name"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT jsonb_agg(jsonb_build_object($2::text, 'new'::text) || elem) AS val
FROM jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, LATERAL (SELECT "id", "name"
FROM jsonb_to_recordset(pgrst_json_defs.val) AS _("id" integer, "name" text)) pgrst_body
RETURNING "public"."projects".*)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, CASE WHEN pg_catalog.count(_postgrest_t) = 1 THEN (SELECT json_agg(k.key || '=' || coalesce('eq.' || k.value, 'is.null'))
FROM (SELECT row_to_json(r) AS line
FROM pgrst_source AS r
LIMIT 1) l CROSS JOIN json_each_text(l.line) AS k
WHERE k.key = ANY ($3::text[])) END AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = [{"id":1,"other":2}]
-- $2 = name
-- $3 = {"id"}

-- POST /projects
-- Prefer: resolution=merge-duplicates
-- {"id":1,"name":"x"}
WITH pgrst_source AS (INSERT INTO "public"."projects"("id", "name")
SELECT "pgrst_body"."id", "pgrst_body"."name"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "id", "name"
FROM jsonb_to_record(pgrst_payload.json_data) AS _("id" integer, "name" text)) pgrst_body
WHERE set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) + 1)::text, true) <> '0'
ON CONFLICT ("id") DO UPDATE
SET "id" = EXCLUDED."id", "name" = EXCLUDED."name"
WHERE set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) - 1)::text, true) <> '-1'
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, nullif(current_setting('pgrst.inserted', true), '')::int AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"id":1,"name":"x"}

-- POST /projects?on_conflict=name
-- Prefer: resolution=ignore-duplicates
-- [{"name":"x"}]
WITH pgrst_source AS (INSERT INTO "public"."projects"("name")
SELECT "pgrst_body"."name"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "name"
FROM jsonb_to_recordset(pgrst_payload.json_data) AS _("name" text)) pgrst_body
ON CONFLICT ("name") DO NOTHING
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = [{"name":"x"}]

-- POST /projects
-- [{},{}]
WITH pgrst_source AS (INSERT INTO "public"."projects" SELECT 
FROM (SELECT $1::json AS json_data) pgrst_payload, LATERAL (SELECT 
FROM json_array_elements(pgrst_payload.json_data) _) pgrst_body
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = [{},{}]

-- POST /projects?select=id
-- [{"id":1e3}]
WITH pgrst_source AS (INSERT INTO "public"."projects"("id")
SELECT "pgrst_body"."id"
FROM (SELECT $1::json AS json_data) pgrst_payload, LATERAL (SELECT "id"
FROM json_to_recordset(pgrst_payload.json_data) AS _("id" integer)) pgrst_body
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = [{"id":1e3}]

-- POST /projects
-- [{"id":1,"doc":{"a":[]}}]
WITH pgrst_source AS (INSERT INTO "public"."projects"("doc", "id")
SELECT "pgrst_body"."doc", "pgrst_body"."id"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "doc", "id"
FROM jsonb_to_recordset(pgrst_payload.json_data) AS _("doc" jsonb, "id" integer)) pgrst_body
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = [{"id":1,"doc":{"a":[]}}]

-- POST /projects
-- [{"id":1,"name":{"a":[]}}]
WITH pgrst_source AS (INSERT INTO "public"."projects"("id", "name")
SELECT "pgrst_body"."id", "pgrst_body"."name"
FROM (SELECT $1::json AS json_data) pgrst_payload, LATERAL (SELECT "id", "name"
FROM json_to_recordset(pgrst_payload.json_data) AS _("id" integer, "name" text)) pgrst_body
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = [{"id":1,"name":{"a":[]}}]

-- PUT /projects?id=eq.1
-- Prefer: return=representation
-- {"id":1,"name":"x"}
WITH pgrst_source AS (INSERT INTO "public"."projects"("id", "name")
SELECT "pgrst_body"."id", "pgrst_body"."name"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "id", "name"
FROM jsonb_to_record(pgrst_payload.json_data) AS _("id" integer, "name" text)) pgrst_body
WHERE set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) + 1)::text, true) <> '0' AND "pgrst_body"."id" = $2
ON CONFLICT ("id") DO UPDATE
SET "id" = EXCLUDED."id", "name" = EXCLUDED."name"
WHERE set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) - 1)::text, true) <> '-1'
RETURNING "public"."projects".*)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, nullif(current_setting('pgrst.inserted', true), '')::int AS response_inserted, NULL AS location
FROM (SELECT "projects".*
FROM "pgrst_source" AS "projects") _postgrest_t;
-- $1 = {"id":1,"name":"x"}
-- $2 = 1

-- PATCH /projects?id=eq.1&or=(name.is.null,id.lt.9)
-- {"name":null}
WITH pgrst_source AS (UPDATE "public"."projects"
SET "name" = "pgrst_body"."name"
FROM (SELECT $1::jsonb AS json_data) pgrst_payload, LATERAL (SELECT "name"
FROM jsonb_to_record(pgrst_payload.json_data) AS _("name" text)) pgrst_body
WHERE "public"."projects"."id" = $2 AND ("public"."projects"."name" IS NULL OR "public"."projects"."id" < $3)
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name":null}
-- $2 = 1
-- $3 = 9

-- PATCH /projects?id=eq.1&select=name
-- Prefer: return=representation
-- {}
WITH pgrst_source AS (SELECT "projects"."id", "projects"."name"
FROM "public"."projects"
WHERE false)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "projects"."name"
FROM "pgrst_source" AS "projects") _postgrest_t;

-- DELETE /projects?id=eq.1&select=name
-- Prefer: return=representation
WITH pgrst_source AS (DELETE
FROM "public"."projects"
WHERE "public"."projects"."id" = $1
RETURNING "public"."projects"."id", "public"."projects"."name")
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "projects"."name"
FROM "pgrst_source" AS "projects") _postgrest_t;
-- $1 = 1

-- DELETE /projects
WITH pgrst_source AS (DELETE
FROM "public"."projects"
RETURNING 1)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
