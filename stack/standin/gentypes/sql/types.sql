-- Every type that a column, an argument or a result may have.
select t.oid::bigint, t.typname, n.nspname, format_type(t.oid, null), t.typrelid::bigint,
  coalesce((select e.oid::bigint from pg_type e where e.oid = t.typelem and e.typarray = t.oid), 0),
  array(select enumlabel::text from pg_enum where enumtypid = t.oid order by enumsortorder),
  array(select attname::text from pg_attribute where c.relkind = 'c' and attrelid = c.oid and not attisdropped order by attnum),
  array(select atttypid::bigint from pg_attribute where c.relkind = 'c' and attrelid = c.oid and not attisdropped order by attnum)
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
left join pg_class c on c.oid = t.typrelid
where t.typrelid = 0 or c.relkind in ('c', 'r', 'v', 'm', 'p')
