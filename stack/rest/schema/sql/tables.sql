-- Relations of the exposed schemas that are endpoints.
-- $1: schema names
select c.oid,
       n.nspname,
       c.relname,
       coalesce(pg_catalog.obj_description(c.oid, 'pg_class'), ''),
       c.relkind in ('v', 'm') as is_view,
       -- pg_relation_is_updatable returns a bit for each command: 4 update, 8 insert, 16 delete (rewriteHandler.c)
       case when c.relkind in ('r', 'p') then 28
            when c.relkind in ('v', 'f') then pg_catalog.pg_relation_is_updatable(c.oid, true)
            else 0
       end as commands
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind in ('r', 'p', 'v', 'm', 'f')
   and not c.relispartition
   and n.nspname = any ($1)
 order by n.nspname, c.relname
