-- Who may do what with which table, of the roles that policies bind, with the columns
-- that an UPDATE can change: those that are computed change with others.
select n.nspname || '.' || c.relname, r.rolname, v.verb,
  case when v.verb = 'update' then (
    select coalesce(array_agg(a.attname::text order by a.attnum), '{}') from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and (a.attgenerated <> '' or has_column_privilege(r.oid, c.oid, a.attnum, 'update'))
  ) else '{}' end
from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  cross join pg_roles r
  cross join unnest(array['select', 'insert', 'update', 'delete']) as v (verb)
where c.relkind in ('r', 'p', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'supascore')
  and r.rolname = any ($1) and not r.rolbypassrls and not r.rolsuper
  and case when v.verb = 'delete' then has_table_privilege(r.oid, c.oid, 'delete') else has_any_column_privilege(r.oid, c.oid, v.verb) end
order by 1, 2, 3
