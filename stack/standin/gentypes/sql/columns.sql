-- Their columns. A domain counts as what it is made of.
select a.attrelid::bigint, a.attname, coalesce(nullif(t.typbasetype, 0), t.oid)::bigint,
  not (a.attnotnull or t.typtype = 'd' and t.typnotnull), a.attidentity::text, a.atthasdef,
  c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_column_is_updatable(c.oid, a.attnum, false)
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
join pg_type t on t.oid = a.atttypid
where n.nspname = any ($1)
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and a.attnum > 0 and not a.attisdropped
  and (pg_has_role(c.relowner, 'USAGE') or has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'))
