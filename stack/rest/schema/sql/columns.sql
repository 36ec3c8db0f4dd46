-- Columns of the relations of tables.sql, in their order.
-- $1: schema names
with recursive base as (
  -- what a domain, or a domain over a domain, is in the end
  select t.oid, t.oid as base_oid
    from pg_catalog.pg_type t
   where t.typtype <> 'd'
   union all
  select d.oid, b.base_oid
    from pg_catalog.pg_type d
    join base b on b.oid = d.typbasetype
   where d.typtype = 'd'
)
select a.attrelid,
       a.attname,
       coalesce(pg_catalog.col_description(a.attrelid, a.attnum), ''),
       not (a.attnotnull or t.typtype = 'd' and t.typnotnull) as nullable,
       case
         when t.typtype = 'd' and bt.typnamespace = 'pg_catalog'::regnamespace then pg_catalog.format_type(bt.oid, null)
         when t.typtype <> 'd' and t.typnamespace = 'pg_catalog'::regnamespace then pg_catalog.format_type(t.oid, null)
         else pg_catalog.format_type(a.atttypid, a.atttypmod)
       end as data_type,
       pg_catalog.format_type(a.atttypid, a.atttypmod) as nominal_type,
       -- the length of character types counts a header of four bytes, that of bit types does not
       coalesce(case
         when bt.oid in ('bpchar'::regtype, 'varchar'::regtype) and m.typmod >= 4 then m.typmod - 4
         when bt.oid in ('bit'::regtype, 'varbit'::regtype) and m.typmod >= 0 then m.typmod
       end, 0) as max_length,
       coalesce(case
         when t.typbasetype <> 0 and ad.adbin is null then pg_catalog.pg_get_expr(t.typdefaultbin, 0)
         when a.attidentity = 'd' then (
           select pg_catalog.format('nextval(%L)', s.objid::regclass)
             from pg_catalog.pg_depend s
            where s.refclassid = 'pg_class'::regclass and s.refobjid = a.attrelid
              and s.refobjsubid = a.attnum and s.deptype = 'i'
            limit 1)
         when a.attgenerated = 's' then null
         else pg_catalog.pg_get_expr(ad.adbin, ad.adrelid)
       end, '') as default_expression,
       case when bt.typtype = 'e'
         then array(select e.enumlabel::text from pg_catalog.pg_enum e where e.enumtypid = bt.oid order by e.enumsortorder)
       end as enum_labels
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid
  join pg_catalog.pg_type t on t.oid = a.atttypid
  join base b on b.oid = t.oid
  join pg_catalog.pg_type bt on bt.oid = b.base_oid
  cross join lateral (select case when t.typtype = 'd' then t.typtypmod else a.atttypmod end as typmod) m
  left join pg_catalog.pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
 where c.relkind in ('r', 'p', 'v', 'm', 'f')
   and not c.relispartition
   and n.nspname = any ($1)
   and a.attnum > 0
   and not a.attisdropped
 order by a.attrelid, a.attnum
