-- GET /projects
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
LIMIT $1 OFFSET $2)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0

-- HEAD /projects?select=id,title:name,n:id::text
WITH pgrst_source AS (SELECT "public"."projects"."id", "public"."projects"."name" AS "title", CAST("public"."projects"."id" AS text) AS "n"
FROM "public"."projects"
LIMIT $1 OFFSET $2)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, ''::text AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0

-- GET /clients?select=settings->a->>b,born->year&settings->>a=eq.x&limit=5&offset=2
WITH pgrst_source AS (SELECT "public"."clients"."settings"->$1->>$2 AS "b", to_jsonb("public"."clients"."born")->$3 AS "year"
FROM "public"."clients"
WHERE "public"."clients"."settings"->>$4 = $5
LIMIT $6 OFFSET $7)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = a
-- $2 = b
-- $3 = year
-- $4 = a
-- $5 = x
-- $6 = 5
-- $7 = 2

-- GET /projects?or=(id.eq.1,not.and(name.like.a*,tags.cs.{x}))&id=in.(1,2)&name=not.is.null&order=name.desc.nullslast,id
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
WHERE "public"."projects"."id" = ANY ($1) AND NOT "public"."projects"."name" IS NULL AND ("public"."projects"."id" = $2 OR NOT ("public"."projects"."name" like $3 AND "public"."projects"."tags" @> $4))
ORDER BY "public"."projects"."name" DESC NULLS LAST, "public"."projects"."id"
LIMIT $5 OFFSET $6)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {"1","2"}
-- $2 = 1
-- $3 = a%
-- $4 = {x}
-- $5 = 1000
-- $6 = 0

-- GET /projects?id=gt(any).{1,2}&name=ilike(all).{a*,b*}&doc->n=isdistinct.1
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
WHERE "public"."projects"."id" > ANY($1) AND "public"."projects"."name" ilike ALL($2) AND "public"."projects"."doc"->$3 IS DISTINCT
FROM $4
LIMIT $5 OFFSET $6)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = {1,2}
-- $2 = {a%,b%}
-- $3 = n
-- $4 = 1
-- $5 = 1000
-- $6 = 0

-- GET /projects?name=fts(english).cat&search=wfts.dog
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
WHERE to_tsvector($1, "public"."projects"."name") @@ to_tsquery($2, $3) AND "public"."projects"."search" @@ websearch_to_tsquery($4)
LIMIT $5 OFFSET $6)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = english
-- $2 = english
-- $3 = cat
-- $4 = dog
-- $5 = 1000
-- $6 = 0

-- GET /projects
-- Accept: text/csv
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
LIMIT $1 OFFSET $2)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, (SELECT coalesce(string_agg(h.key, ','), '')
FROM (SELECT json_object_keys(f.line)::text AS key
FROM (SELECT row_to_json(r) AS line
FROM pgrst_source AS r
LIMIT 1) f) h) || '
' || coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2), '
'), '') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0

-- GET /projects?id=eq.1
-- Accept: application/vnd.pgrst.object+json;nulls=stripped
WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
WHERE "public"."projects"."id" = $1
LIMIT $2 OFFSET $3)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_strip_nulls(json_agg(_postgrest_t)->0), 'null') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1
-- $2 = 1000
-- $3 = 0

-- GET /projects
-- Accept: application/vnd.pgrst.plan+json; options=analyze|buffers
EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) WITH pgrst_source AS (SELECT "public"."projects".*
FROM "public"."projects"
LIMIT $1 OFFSET $2)
SELECT NULL::bigint AS total_result_set, pg_catalog.count(*) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, nullif(current_setting('response.status', true), '') AS response_status, NULL AS response_inserted, NULL AS location
FROM (SELECT *
FROM pgrst_source) _postgrest_t;
-- $1 = 1000
-- $2 = 0
