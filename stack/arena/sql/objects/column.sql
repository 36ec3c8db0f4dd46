-- Columns of tables with their types and defaults.
select 'column', s.nspname || '.' || c.relname || '.' || a.attname,
  format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
  || case when a.attgenerated <> '' then ' generated' when a.attidentity <> '' then ' identity' else '' end
  || coalesce(' default ' || md5(pg_get_expr(d.adbin, d.adrelid)), '')
from pg_attribute a join pg_class c on c.oid = a.attrelid join spaces s on s.oid = c.relnamespace
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and not s.managed
