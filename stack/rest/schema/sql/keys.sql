-- Primary, unique and foreign keys of all schemas: exposed views can show the keys of tables that are not exposed.
select c.contype::text,
       c.conname,
       c.conrelid,
       c.confrelid,
       n.nspname,
       r.relname,
       coalesce(fn.nspname, ''),
       coalesce(fr.relname, ''),
       c.conkey,
       coalesce(c.confkey, '{}'),
       array(select a.attname::text
               from unnest(c.conkey) with ordinality k (attnum, ord)
               join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
              order by k.ord),
       array(select a.attname::text
               from unnest(c.confkey) with ordinality k (attnum, ord)
               join pg_catalog.pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.attnum
              order by k.ord),
       c.conparentid = 0 as is_root
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class r on r.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  left join pg_catalog.pg_class fr on fr.oid = c.confrelid
  left join pg_catalog.pg_namespace fn on fn.oid = fr.relnamespace
 where c.contype in ('p', 'u', 'f')
   and n.nspname <> 'pg_catalog'
 order by c.conrelid, c.conname
