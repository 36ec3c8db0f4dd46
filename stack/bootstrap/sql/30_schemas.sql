-- The schemas of a Supabase project beside public. public itself stays as
-- PostgreSQL 15 makes it: owned by pg_database_owner, USAGE for PUBLIC.

create schema auth           authorization supabase_auth_admin;
create schema extensions;
create schema graphql_public;
create schema storage        authorization supabase_storage_admin;
create schema realtime       authorization supabase_realtime_admin;

grant usage on schema public to postgres, anon, authenticated, service_role;

-- Extensions are meant to be used by requests and by migrations.
grant usage on schema extensions to anon, authenticated, service_role;
grant all   on schema extensions to postgres, dashboard_user;
alter default privileges in schema extensions grant all on tables    to postgres with grant option;
alter default privileges in schema extensions grant all on routines  to postgres with grant option;
alter default privileges in schema extensions grant all on sequences to postgres with grant option;

grant usage on schema graphql_public to postgres, anon, authenticated, service_role;
