-- What there is of somebody's own in a project's database, so that it is no empty ground:
-- objects in schema public, schemas that a project does not come with, policies and
-- triggers on the services' tables, and people and files.
with schemas as (
  select n.oid, n.nspname from pg_namespace n
  where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public', 'auth', 'storage', 'extensions', 'realtime', '_realtime',
      'graphql', 'graphql_public', 'vault', 'pgbouncer', 'pgsodium', 'pgsodium_masks', 'net', 'cron', 'pgtle', 'supabase_functions',
      'supabase_migrations', '_analytics', '_supavisor', 'supascore')
    and not exists (select from pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')
)
select line from (
  select 1, 'schema ' || quote_ident(nspname) from schemas
  union all
  select 2, i.type || ' ' || i.identity
  from (
    select 'pg_class'::regclass, oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
    union all select 'pg_proc', oid from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'pg_type', t.oid from pg_type t left join pg_class c on c.oid = t.typrelid
      where t.typnamespace = 'public'::regnamespace and (t.typtype in ('b', 'd', 'e', 'r') and t.typelem = 0 or c.relkind = 'c')
    union all select 'pg_policy', p.oid from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace::regnamespace::text in ('auth', 'storage', 'realtime')
    union all select 'pg_trigger', t.oid from pg_trigger t join pg_class c on c.oid = t.tgrelid
      join pg_proc f on f.oid = t.tgfoid join pg_roles o on o.oid = f.proowner
      where not t.tgisinternal and c.relnamespace::regnamespace::text in ('auth', 'storage', 'realtime') and o.rolname = current_user
  ) o (class, oid) cross join lateral pg_identify_object(o.class, o.oid, 0) i
  where not exists (select from pg_depend d where d.classid = o.class and d.objid = o.oid and d.deptype = 'e')
  union all
  select 3, n || ' in ' || t
  from (values ('auth.users', (select count(*) from auth.users)), ('storage.buckets', (select count(*) from storage.buckets)),
    ('storage.objects', (select count(*) from storage.objects))) c (t, n) where n > 0
) found (rank, line) order by rank, line
