-- GET /projects?select=id,client:clients(name)
WITH pgrst_source AS (SELECT "public"."projects"."id", CASE WHEN "projects_client_1".* IS DISTINCT
FROM NULL THEN $1::text || COALESCE(to_json("projects_client_1"."name")::text, 'null') || '}' END::json AS "client"
FROM "public"."projects"
LEFT JOIN LATERAL (SELECT "clients_1"."name"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"
LIMIT $2 OFFSET $3) AS "projects_client_1" ON TRUE
LIMIT $4 OFFSET $5)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name": 
-- $2 = 1000
-- $3 = 0
-- $4 = 1000
-- $5 = 0

-- GET /clients?select=name,projects(id,people!projects_lead_fkey(name))&projects.id=gt.1&projects.order=id&projects.limit=3
WITH pgrst_source AS (SELECT "public"."clients"."name", COALESCE((SELECT '[' || string_agg($1::text || COALESCE("clients_projects_1"."id"::int8::text, 'null') || $2::text || COALESCE("clients_projects_1"."people", 'null') || '}', ', ') || ']'
FROM (SELECT "projects_1"."id", CASE WHEN "projects_people_2".* IS DISTINCT
FROM NULL THEN $3::text || COALESCE(to_json("projects_people_2"."name")::text, 'null') || '}' END AS "people"
FROM "public"."projects" AS "projects_1"
LEFT JOIN LATERAL (SELECT "people_2"."name"
FROM "public"."people" AS "people_2"
WHERE "people_2"."id" = "projects_1"."lead_id"
LIMIT $4 OFFSET $5) AS "projects_people_2" ON TRUE
WHERE "projects_1"."id" > $6 AND "projects_1"."client_id" = "public"."clients"."id"
ORDER BY "projects_1"."id"
LIMIT $7 OFFSET $8) AS "clients_projects_1"), '[]')::json AS "projects"
FROM "public"."clients"
LIMIT $9 OFFSET $10)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"id": 
-- $2 = , "people": 
-- $3 = {"name": 
-- $4 = 1000
-- $5 = 0
-- $6 = 1
-- $7 = 3
-- $8 = 0
-- $9 = 1000
-- $10 = 0

-- GET /projects?select=id,people!members(name)&people.name=eq.x
WITH pgrst_source AS (SELECT "public"."projects"."id", COALESCE((SELECT '[' || string_agg($1::text || COALESCE(to_json("projects_people_1"."name")::text, 'null') || '}', ', ') || ']'
FROM (SELECT "public"."people"."name"
FROM "public"."people", "public"."members"
WHERE "public"."people"."name" = $2 AND "public"."members"."person_id" = "public"."people"."id" AND "public"."members"."project_id" = "public"."projects"."id"
LIMIT $3 OFFSET $4) AS "projects_people_1"), '[]')::json AS "people"
FROM "public"."projects"
LIMIT $5 OFFSET $6)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name": 
-- $2 = x
-- $3 = 1000
-- $4 = 0
-- $5 = 1000
-- $6 = 0

-- GET /people?select=name,manager_id(name),people!manager_id(name),passports(code)
WITH pgrst_source AS (SELECT "public"."people"."name", CASE WHEN "people_manager_id_1".* IS DISTINCT
FROM NULL THEN $1::text || COALESCE(to_json("people_manager_id_1"."name")::text, 'null') || '}' END::json AS "manager_id", COALESCE((SELECT '[' || string_agg($2::text || COALESCE(to_json("people_people_1"."name")::text, 'null') || '}', ', ') || ']'
FROM (SELECT "people_1"."name"
FROM "public"."people" AS "people_1"
WHERE "people_1"."manager_id" = "public"."people"."id"
LIMIT $3 OFFSET $4) AS "people_people_1"), '[]')::json AS "people", CASE WHEN "people_passports_1".* IS DISTINCT
FROM NULL THEN $5::text || COALESCE(to_json("people_passports_1"."code")::text, 'null') || '}' END::json AS "passports"
FROM "public"."people"
LEFT JOIN LATERAL (SELECT "people_1"."name"
FROM "public"."people" AS "people_1"
WHERE "people_1"."id" = "public"."people"."manager_id"
LIMIT $6 OFFSET $7) AS "people_manager_id_1" ON TRUE
LEFT JOIN LATERAL (SELECT "passports_1"."code"
FROM "public"."passports" AS "passports_1"
WHERE "passports_1"."person_id" = "public"."people"."id"
LIMIT $8 OFFSET $9) AS "people_passports_1" ON TRUE
LIMIT $10 OFFSET $11)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name": 
-- $2 = {"name": 
-- $3 = 1000
-- $4 = 0
-- $5 = {"code": 
-- $6 = 1000
-- $7 = 0
-- $8 = 1000
-- $9 = 0
-- $10 = 1000
-- $11 = 0

-- GET /clients?select=name,active(id)
WITH pgrst_source AS (SELECT "public"."clients"."name", COALESCE((SELECT '[' || string_agg($1::text || COALESCE("clients_active_1"."id"::int8::text, 'null') || '}', ', ') || ']'
FROM (SELECT "projects_1"."id"
FROM "public"."active"("clients"::"public"."clients") AS "projects_1"
LIMIT $2 OFFSET $3) AS "clients_active_1"), '[]')::json AS "active"
FROM "public"."clients"
LIMIT $4 OFFSET $5)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"id": 
-- $2 = 1000
-- $3 = 0
-- $4 = 1000
-- $5 = 0

-- GET /project_names?select=name,clients!inner(name)
WITH pgrst_source AS (SELECT "public"."project_names"."name", CASE WHEN "project_names_clients_1".* IS DISTINCT
FROM NULL THEN $1::text || COALESCE(to_json("project_names_clients_1"."name")::text, 'null') || '}' END::json AS "clients"
FROM "public"."project_names"
INNER JOIN LATERAL (SELECT "clients_1"."name"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."project_names"."client_id"
LIMIT $2 OFFSET $3) AS "project_names_clients_1" ON TRUE
LIMIT $4 OFFSET $5)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name": 
-- $2 = 1000
-- $3 = 0
-- $4 = 1000
-- $5 = 0

-- GET /projects?select=id,clients(name)&order=clients(name).desc
WITH pgrst_source AS (SELECT "public"."projects"."id", CASE WHEN "projects_clients_1".* IS DISTINCT
FROM NULL THEN $1::text || COALESCE(to_json("projects_clients_1"."name")::text, 'null') || '}' END::json AS "clients"
FROM "public"."projects"
LEFT JOIN LATERAL (SELECT "clients_1"."name"
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"
LIMIT $2 OFFSET $3) AS "projects_clients_1" ON TRUE
ORDER BY "projects_clients_1"."name" DESC
LIMIT $4 OFFSET $5)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"name": 
-- $2 = 1000
-- $3 = 0
-- $4 = 1000
-- $5 = 0

-- GET /projects?select=id,clients()&clients=is.null
WITH pgrst_source AS (SELECT "public"."projects"."id"
FROM "public"."projects"
LEFT JOIN LATERAL (SELECT "clients_1".*
FROM "public"."clients" AS "clients_1"
WHERE "clients_1"."id" = "public"."projects"."client_id"
LIMIT $1 OFFSET $2) AS "projects_clients_1" ON TRUE
WHERE "projects_clients_1" IS NOT DISTINCT
FROM NULL
LIMIT $3 OFFSET $4)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
-- $3 = 1000
-- $4 = 0
