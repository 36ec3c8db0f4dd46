-- GET /projects?select=count()
WITH pgrst_source AS (SELECT count("public"."projects".*)
FROM "public"."projects"
LIMIT $1 OFFSET $2)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0

-- GET /projects?select=client_id,total:id.sum()::text,id::numeric.avg()
WITH pgrst_source AS (SELECT "public"."projects"."client_id", CAST(sum("public"."projects"."id") AS text) AS "total", avg(CAST("public"."projects"."id" AS numeric))
FROM "public"."projects"
GROUP BY "public"."projects"."client_id"
LIMIT $1 OFFSET $2)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0

-- GET /projects?select=name,...clients(born.max(),count())
WITH pgrst_source AS (SELECT "public"."projects"."name", max("projects_clients_1"."max") AS "max", count("projects_clients_1"."count") AS "count"
FROM "public"."projects"
LEFT JOIN LATERAL (SELECT "clients_1"."born" AS "max", "clients_1" AS "count"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"
LIMIT $1 OFFSET $2) AS "projects_clients_1" ON TRUE
GROUP BY "public"."projects"."name"
LIMIT $3 OFFSET $4)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0

-- GET /clients?select=*,projects(count())
WITH pgrst_source AS (SELECT "public"."clients".*, COALESCE((SELECT json_agg("clients_projects_1")::jsonb
FROM (SELECT count("projects_1".*)
FROM "public"."projects" AS "projects_1"
WHERE "projects_1"."client_id" = "public"."clients"."id"
LIMIT $1 OFFSET $2) AS "clients_projects_1"), '[]') AS "projects"
FROM "public"."clients"
LIMIT $3 OFFSET $4)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0
