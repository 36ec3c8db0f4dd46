-- Functions from a row of one relation to rows of another: computed relationships.
-- $1: schema names
select fn.nspname, p.proname,
       sn.nspname, source.relname,
       tn.nspname, target.relname,
       not p.proretset or p.prorows = 1 as single_row
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace fn on fn.oid = p.pronamespace
  join pg_catalog.pg_class source on source.reltype = p.proargtypes[0] and source.relkind in ('r', 'p', 'v', 'm', 'f')
  join pg_catalog.pg_namespace sn on sn.oid = source.relnamespace
  join pg_catalog.pg_class target on target.reltype = p.prorettype and target.relkind in ('r', 'p', 'v', 'm', 'f')
  join pg_catalog.pg_namespace tn on tn.oid = target.relnamespace
 where p.pronargs = 1
   and p.prorettype <> 0
   and sn.nspname = any ($1)
   and tn.nspname = any ($1)
 order by fn.nspname, p.proname, p.oid
