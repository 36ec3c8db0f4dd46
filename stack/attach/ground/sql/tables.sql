-- What has to be known of tables, named "schema.table", to put rows back into them. A
-- schema's name may have dots, so a table is found by the whole of its name.
select n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname), coalesce(a.columns, ''), coalesce(a.picked, ''),
  array(select format('alter table only %I.%I drop constraint %I', n.nspname, c.relname, k.conname) from pg_catalog.pg_constraint k
    where k.conrelid = c.oid and k.contype = 'c' and not k.convalidated order by k.conname),
  array(select format('alter table only %I.%I add constraint %I %s', n.nspname, c.relname, k.conname, pg_catalog.pg_get_constraintdef(k.oid))
    from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and not k.convalidated order by k.conname),
  c.relowner = current_user::regrole
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  cross join lateral (
    select string_agg(quote_ident(attname), ', ' order by attnum) as columns, string_agg('(r).' || quote_ident(attname), ', ' order by attnum) as picked
    from pg_catalog.pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
  ) a
where n.nspname || '.' || c.relname = any ($1) and c.relkind = 'r'
