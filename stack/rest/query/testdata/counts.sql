-- GET /projects?id=gt.1
-- Prefer: count=exact
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
WHERE "public"."projects"."id" > $1
LIMIT $2 OFFSET $3), pgrst_source_count AS (SELECT 1
FROM "public"."projects"
WHERE "public"."projects"."id" > $4)
SELECT (SELECT pg_catalog.count(*)
FROM pgrst_source_count) AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1
-- $2 = 1000
-- $3 = 0
-- $4 = 1

-- GET /projects?id=gt.1
-- Prefer: count=planned
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
WHERE "public"."projects"."id" > $1
LIMIT $2 OFFSET $3)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1
-- $2 = 1000
-- $3 = 0
EXPLAIN (FORMAT JSON)
SELECT 1
FROM "public"."projects"
WHERE "public"."projects"."id" > $1;
-- $1 = 1

-- GET /projects?id=gt.1&select=*,clients!inner(name)&clients.name=eq.x
-- Prefer: count=estimated
WITH pgrst_source AS (SELECT "public"."projects".*, CASE WHEN "projects_clients_1".* IS DISTINCT
FROM NULL THEN $1::text || COALESCE(to_json("projects_clients_1"."name")::text, 'null') || '}' END::json AS "clients"
FROM "public"."projects"
INNER JOIN LATERAL (SELECT "clients_1"."name"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."name" = $2 AND "clients_1"."id" = "public"."projects"."client_id"
LIMIT $3 OFFSET $4) AS "projects_clients_1" ON TRUE
WHERE "public"."projects"."id" > $5
LIMIT $6 OFFSET $7), pgrst_source_count AS (SELECT 1
FROM "public"."projects"
WHERE "public"."projects"."id" > $8 AND EXISTS (SELECT 1
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."name" = $9 AND "clients_1"."id" = "public"."projects"."client_id")
LIMIT $10)
SELECT (SELECT pg_catalog.count(*)
FROM pgrst_source_count) AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name": 
-- $2 = x
-- $3 = 1000
-- $4 = 0
-- $5 = 1
-- $6 = 1000
-- $7 = 0
-- $8 = 1
-- $9 = x
-- $10 = 1001
EXPLAIN (FORMAT JSON)
SELECT 1
FROM "public"."projects"
WHERE "public"."projects"."id" > $1 AND EXISTS (SELECT 1
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."name" = $2 AND "clients_1"."id" = "public"."projects"."client_id");
-- $1 = 1
-- $2 = x

-- GET /projects?select=*,clients()&clients=not.is.null
-- Prefer: count=exact
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
LEFT JOIN LATERAL (SELECT "clients_1".*
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"
LIMIT $1 OFFSET $2) AS "projects_clients_1" ON TRUE
WHERE "projects_clients_1" IS DISTINCT
FROM NULL
LIMIT $3 OFFSET $4), pgrst_source_count AS (SELECT 1
FROM "public"."projects"
WHERE EXISTS (SELECT 1
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"))
SELECT (SELECT pg_catalog.count(*)
FROM pgrst_source_count) AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0
