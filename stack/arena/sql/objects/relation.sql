-- Tables, views, sequences and foreign tables.
select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end,
  s.nspname || '.' || c.relname,
  'owner ' || c.relowner::regrole || case when c.relkind in ('v', 'm') then ' ' || md5(pg_get_viewdef(c.oid)) || ' ' || coalesce(c.reloptions::text, '') else '' end
from pg_class c join spaces s on s.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not s.managed
