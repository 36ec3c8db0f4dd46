-- The tables of the given names ("public.notes"), quoted, each with where its rows are
-- remembered and the columns that can be filled in.
select format('%I.%I', n.nspname, c.relname), format('supascore.%I', 'saved_' || c.oid),
  array(
    select quote_ident(a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by a.attnum
  )
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname || '.' || c.relname = any($1)
