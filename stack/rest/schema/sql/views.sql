-- Views with their stored query trees. Views of the extra search path are needed to see through views over views.
-- $1: schema names
select c.oid,
       n.nspname,
       c.relname,
       r.ev_action::text,
       array(select a.attname::text
               from pg_catalog.pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0
              order by a.attnum) as column_names
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
 where c.relkind in ('v', 'm')
   and n.nspname = any ($1)
 order by n.nspname, c.relname
