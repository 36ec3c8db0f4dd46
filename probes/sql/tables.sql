-- The facts that explain what a request on each table comes to, as JSON: whether it
-- exists, row level security, policies, and what the API roles and the role that
-- runs Auth's hooks may do. Parameter: $1 the tables, as "schema.table".
select names.name, jsonb_build_object(
  'exists', c.oid is not null,
  'rls', coalesce(c.relrowsecurity, false),
  'owner', coalesce(pg_get_userbyid(c.relowner)::text, ''),
  'grants', coalesce((
    select jsonb_object_agg(r.rolname, (
      select coalesce(jsonb_agg(p.name order by p.name), '[]') from (values
        ('select', has_any_column_privilege(r.oid, c.oid, 'SELECT')),
        ('insert', has_any_column_privilege(r.oid, c.oid, 'INSERT')),
        ('update', has_any_column_privilege(r.oid, c.oid, 'UPDATE')),
        ('delete', has_table_privilege(r.oid, c.oid, 'DELETE'))
      ) p (name, granted) where p.granted
    ))
    from pg_roles r
    where c.oid is not null and r.rolname in ('anon', 'authenticated', 'supabase_auth_admin')
  ), '{}'),
  'policies', coalesce((
    select jsonb_agg(jsonb_build_object(
      'name', p.polname,
      'permissive', p.polpermissive,
      'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert'
        when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      -- Role 0 is everybody.
      'roles', (select jsonb_agg(case when role = 0 then 'public' else pg_get_userbyid(role)::text end)
        from unnest(p.polroles) role),
      'using', coalesce(pg_get_expr(p.polqual, p.polrelid), ''),
      'check', coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '')
    ) order by p.polname)
    from pg_policy p where p.polrelid = c.oid
  ), '[]')
)
from unnest($1::text[]) names (name)
left join pg_class c on c.oid = to_regclass(names.name)
