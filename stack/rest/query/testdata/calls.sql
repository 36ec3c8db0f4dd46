-- GET /rpc/add?a=1&b=2
WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar
FROM (SELECT "public"."add"("a" := $1::integer, "b" := $2::integer) pgrst_scalar) pgrst_call)
SELECT NULL::bigint AS total_result_set, 1 AS page_total, coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "add".*
FROM "pgrst_source" AS "add"
LIMIT $3 OFFSET $4) _postgrest_t;
-- $1 = 1
-- $2 = 2
-- $3 = 1000
-- $4 = 0

-- POST /rpc/add
-- {"a":1}
WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar
FROM (SELECT $1::json AS json_data) pgrst_payload, LATERAL (SELECT "a"
FROM json_to_record(pgrst_payload.json_data) AS _("a" integer)
LIMIT 1) pgrst_body, LATERAL (SELECT "public"."add"("a" := "pgrst_body"."a") pgrst_scalar) pgrst_call)
SELECT NULL::bigint AS total_result_set, 1 AS page_total, coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "add".*
FROM "pgrst_source" AS "add"
LIMIT $2 OFFSET $3) _postgrest_t;
-- $1 = {"a":1}
-- $2 = 1000
-- $3 = 0

-- GET /rpc/find?q=x&id=gt.1&select=id,clients(name)&order=id&limit=2
-- Prefer: count=exact
WITH pgrst_source AS (SELECT "pgrst_call"."client_id", "pgrst_call"."id"
FROM "public"."find"("q" := $1::text) pgrst_call), pgrst_source_count AS (SELECT 1
FROM "pgrst_source" AS "projects"
WHERE "projects"."id" > $2)
SELECT (SELECT pg_catalog.count(*)
FROM pgrst_source_count) AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "projects"."id", CASE WHEN "projects_clients_1".* IS DISTINCT
FROM NULL THEN $3::text || COALESCE(to_json("projects_clients_1"."name")::text, 'null') || '}' END::json AS "clients"
FROM "pgrst_source" AS "projects"
LEFT JOIN LATERAL (SELECT "clients_1"."name"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "projects"."client_id"
LIMIT $4 OFFSET $5) AS "projects_clients_1" ON TRUE
WHERE "projects"."id" > $6
ORDER BY "projects"."id"
LIMIT $7 OFFSET $8) _postgrest_t;
-- $1 = x
-- $2 = 1
-- $3 = {"name": 
-- $4 = 1000
-- $5 = 0
-- $6 = 1
-- $7 = 2
-- $8 = 0

-- GET /rpc/join_all?parts=a&parts=b
WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar
FROM (SELECT "public"."join_all"(VARIADIC "parts" := $1::text[]) pgrst_scalar) pgrst_call)
SELECT NULL::bigint AS total_result_set, 1 AS page_total, coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "join_all".*
FROM "pgrst_source" AS "join_all"
LIMIT $2 OFFSET $3) _postgrest_t;
-- $1 = {"a","b"}
-- $2 = 1000
-- $3 = 0

-- POST /rpc/join_all
-- {"parts":["a","b"]}
WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar
FROM (SELECT $1::json AS json_data) pgrst_payload, LATERAL (SELECT "parts"
FROM json_to_record(pgrst_payload.json_data) AS _("parts" text[])
LIMIT 1) pgrst_body, LATERAL (SELECT "public"."join_all"(VARIADIC "parts" := "pgrst_body"."parts") pgrst_scalar) pgrst_call)
SELECT NULL::bigint AS total_result_set, 1 AS page_total, coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "join_all".*
FROM "pgrst_source" AS "join_all"
LIMIT $2 OFFSET $3) _postgrest_t;
-- $1 = {"parts":["a","b"]}
-- $2 = 1000
-- $3 = 0

-- POST /rpc/take
-- {"any":"thing"}
WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar
FROM (SELECT "public"."take"($1::json) pgrst_scalar) pgrst_call)
SELECT NULL::bigint AS total_result_set, 1 AS page_total, coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "take".*
FROM "pgrst_source" AS "take"
LIMIT $2 OFFSET $3) _postgrest_t;
-- $1 = {"any":"thing"}
-- $2 = 1000
-- $3 = 0

-- POST /rpc/wipe
-- {}
WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar
FROM (SELECT "public"."wipe"() pgrst_scalar) pgrst_call)
SELECT NULL::bigint AS total_result_set, 1 AS page_total, coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT "wipe".*
FROM "pgrst_source" AS "wipe"
LIMIT $1 OFFSET $2) _postgrest_t;
-- $1 = 1000
-- $2 = 0
