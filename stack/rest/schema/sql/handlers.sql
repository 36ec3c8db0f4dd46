-- Functions and aggregates that render a media type, which is a domain named like the type: "text/html" or "*/*".
-- $1: schema names
with media as (
  select t.oid, t.typname, n.nspname
    from pg_catalog.pg_type t
    join pg_catalog.pg_namespace n on n.oid = t.typnamespace
   where t.typtype = 'd'
     and (t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or t.typname = '*/*')
)
select 'aggregate', n.nspname, p.proname, an.nspname, a.typname, media.typname
  from media
  join pg_catalog.pg_proc p on p.prorettype = media.oid and p.prokind = 'a'
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_type a on a.oid = p.proargtypes[0]
  join pg_catalog.pg_namespace an on an.oid = a.typnamespace
 where n.nspname = any ($1)
   and p.pronargs = 1
   and (a.typrelid <> 0 or a.oid = 'anyelement'::regtype)
 union all
select 'function', media.nspname, media.typname, n.nspname, p.proname, media.typname
  from media
  join pg_catalog.pg_proc p on p.prorettype = media.oid and p.prokind = 'f' and not p.proretset
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
 where n.nspname = any ($1)
