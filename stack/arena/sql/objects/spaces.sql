-- The schemas that are looked at. Of those that the services own a candidate can
-- change functions and triggers at most.
with spaces as (
  select oid, nspname, nspowner, nspname in ('auth', 'storage', 'realtime', 'extensions') as managed from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and nspname not like 'pg\_temp\_%' and nspname not like 'pg\_toast\_temp\_%'
)
