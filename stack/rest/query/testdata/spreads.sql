-- GET /projects?select=id,...clients(client:name,born)
WITH pgrst_source AS (SELECT "public"."projects"."id", "projects_clients_1"."client", "projects_clients_1"."born"
FROM "public"."projects"
LEFT JOIN LATERAL (SELECT "clients_1"."name" AS "client", "clients_1"."born"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"
LIMIT $1 OFFSET $2) AS "projects_clients_1" ON TRUE
LIMIT $3 OFFSET $4)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0

-- GET /clients?select=name,...projects(ids:id,name)&projects.order=name.desc
WITH pgrst_source AS (SELECT "public"."clients"."name", "clients_projects_1"."ids", "clients_projects_1"."name"
FROM "public"."clients"
LEFT JOIN LATERAL (SELECT json_agg("clients_projects_1")::jsonb AS "clients_projects_1", COALESCE(json_agg("clients_projects_1"."ids"
ORDER BY "clients_projects_1"."clients_projects_1_name_1" DESC), '[]')::jsonb AS "ids", COALESCE(json_agg("clients_projects_1"."name"
ORDER BY "clients_projects_1"."clients_projects_1_name_1" DESC), '[]')::jsonb AS "name"
FROM (SELECT "projects_1"."id" AS "ids", "projects_1"."name", "projects_1"."name" AS "clients_projects_1_name_1"
FROM "public"."projects" AS "projects_1"
WHERE "projects_1"."client_id" = "public"."clients"."id"
LIMIT $1 OFFSET $2) AS "clients_projects_1") AS "clients_projects_1" ON TRUE
LIMIT $3 OFFSET $4)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0

-- GET /members?select=...projects(name,...clients(*))
WITH pgrst_source AS (SELECT "members_projects_1"."name", "members_projects_1".*
FROM "public"."members"
LEFT JOIN LATERAL (SELECT "projects_1"."name", "projects_clients_2".*
FROM "public"."projects" AS "projects_1"
LEFT JOIN LATERAL (SELECT "clients_2".*
FROM "public"."clients" AS "clients_2"
WHERE "clients_2"."id" = "projects_1"."client_id"
LIMIT $1 OFFSET $2) AS "projects_clients_2" ON TRUE
WHERE "projects_1"."id" = "public"."members"."project_id"
LIMIT $3 OFFSET $4) AS "members_projects_1" ON TRUE
LIMIT $5 OFFSET $6)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0
-- $5 = 1000
-- $6 = 0
