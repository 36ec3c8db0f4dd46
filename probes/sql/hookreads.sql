-- The tables that a workspace may have made, with what the role that runs Auth's
-- hooks may read of them.
select n.nspname::text as schema, c.relname::text as name,
  coalesce((select has_any_column_privilege(r.oid, c.oid, 'SELECT')
    and has_schema_privilege(r.oid, n.oid, 'USAGE')
    from pg_roles r where r.rolname = 'supabase_auth_admin'), false) as select,
  c.relrowsecurity as rls,
  exists (
    select from pg_policy p
    where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
      and (0 = any (p.polroles) or exists (
        select from pg_roles r where r.oid = any (p.polroles) and r.rolname = 'supabase_auth_admin'))
  ) as policy
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v') and n.nspname not like 'pg\_%'
  and n.nspname not in ('information_schema', 'extensions', 'storage', 'supabase_migrations')
order by 1, 2
