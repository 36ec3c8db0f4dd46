-- The functions that a pg-functions uri may mean, and what the role that runs
-- Auth's hooks may do with them. Parameters: $1 the schema, $2 the function.
select
  format('%s(%s) returns %s', p.proname, pg_get_function_identity_arguments(p.oid),
    coalesce(pg_get_function_result(p.oid), '')) as signature,
  -- Auth calls the function with one argument, the event.
  p.pronargs >= 1 and p.pronargs - p.pronargdefaults <= 1 as callable,
  coalesce((select has_schema_privilege(r.oid, n.oid, 'USAGE')
    from pg_roles r where r.rolname = 'supabase_auth_admin'), false) as usage,
  coalesce((select has_function_privilege(r.oid, p.oid, 'EXECUTE')
    from pg_roles r where r.rolname = 'supabase_auth_admin'), false) as execute,
  p.prosecdef as definer,
  case when p.prosrc = '' then pg_get_functiondef(p.oid) else p.prosrc end as source
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.proname = $2 and p.prokind = 'f'
order by 1
