-- The functions of the schemas, except for triggers'.
select n.nspname, p.proname, p.prorettype::bigint, coalesce(r.typrelid, 0)::bigint, p.proretset,
  case when p.proretset then p.prorows else 0 end > 1,
  coalesce(p.proargnames, '{}'), coalesce(p.proargmodes::text[], '{}'), coalesce(p.proallargtypes, p.proargtypes::oid[])::bigint[],
  p.pronargs - p.pronargdefaults, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_type r on r.oid = p.prorettype
where n.nspname = any ($1) and p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
order by p.oid
