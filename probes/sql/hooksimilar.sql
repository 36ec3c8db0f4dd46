-- The functions that could be meant as a hook: one jsonb in, jsonb out, made by
-- the workspace.
select format('%s.%s', n.nspname, p.proname)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where p.prokind = 'f' and p.prorettype = 'jsonb'::regtype
  and p.pronargs = 1 and p.proargtypes[0] = 'jsonb'::regtype
  and n.nspname not like 'pg\_%' and n.nspname not in ('information_schema', 'extensions', 'graphql', 'storage')
  and not exists (
    select from pg_depend d
    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
  )
order by 1
