-- The functions of a schema that belong to no extension, as JSON and with their
-- text. Parameter: $1 the schema.
select jsonb_build_object(
  'schema', n.nspname,
  'name', p.proname,
  'arguments', pg_get_function_identity_arguments(p.oid),
  'returns', coalesce(pg_get_function_result(p.oid), ''),
  'language', l.lanname,
  'definer', p.prosecdef,
  'search_path', coalesce(exists (
    select from unnest(p.proconfig) setting where setting like 'search\_path=%'
  ), false)
) as facts,
case when p.prosrc = '' then pg_get_functiondef(p.oid) else p.prosrc end as source
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_language l on l.oid = p.prolang
where n.nspname = $1 and p.prokind = 'f'
  and not exists (
    select from pg_depend d
    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
  )
order by p.proname, 1
