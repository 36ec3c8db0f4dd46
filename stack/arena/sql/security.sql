-- Fingerprints of all policies and privileges, whatever statements made them: of all,
-- and of those that requests can use.
select coalesce(md5(string_agg(line, e'\n' order by line)), ''),
  coalesce(md5(string_agg(line, e'\n' order by line) filter (where line !~ ' (TRUNCATE|REFERENCES|TRIGGER) [tf]$')), '')
from (
  select concat_ws(' ', 'policy', p.polrelid::regclass, p.polname, p.polcmd, p.polpermissive,
    (select string_agg(coalesce(r.rolname, 'public'), ',' order by r.rolname)
     from unnest(p.polroles) as q (oid) left join pg_roles r on r.oid = q.oid),
    'using ' || pg_get_expr(p.polqual, p.polrelid), 'check ' || pg_get_expr(p.polwithcheck, p.polrelid)) as line
  from pg_policy p
  union all
  select concat_ws(' ', 'relation', c.oid::regclass, c.relrowsecurity, c.relforcerowsecurity, a.grantee, a.privilege_type, a.is_grantable)
  from pg_class c, aclexplode(coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))) a
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select concat_ws(' ', 'column', t.attrelid::regclass, t.attname, a.grantee, a.privilege_type, a.is_grantable)
  from pg_attribute t, aclexplode(t.attacl) a
  union all
  select concat_ws(' ', 'function', p.oid::regprocedure, a.grantee, a.privilege_type, a.is_grantable)
  from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
  union all
  select concat_ws(' ', 'schema', n.nspname, a.grantee, a.privilege_type, a.is_grantable)
  from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
  union all
  select concat_ws(' ', 'default', d.defaclrole, d.defaclnamespace, d.defaclobjtype, a.grantee, a.privilege_type, a.is_grantable)
  from pg_default_acl d, aclexplode(d.defaclacl) a
) lines
