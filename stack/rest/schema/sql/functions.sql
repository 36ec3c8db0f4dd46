-- Functions of the exposed schemas that can be called with named arguments or with one unnamed body.
-- $1: schema names, $2: patterns of settings that hold for the whole transaction
with recursive base as (
  select t.oid, t.oid as base_oid
    from pg_catalog.pg_type t
   where t.typtype <> 'd'
   union all
  select d.oid, b.base_oid
    from pg_catalog.pg_type d
    join base b on b.oid = d.typbasetype
   where d.typtype = 'd'
)
select n.nspname,
       p.proname,
       coalesce(pg_catalog.obj_description(p.oid, 'pg_proc'), ''),
       args.names,
       args.types,
       args.cast_types,
       args.variadics,
       p.pronargs - p.pronargdefaults as required,
       tn.nspname,
       coalesce(rel.relname, t.typname),
       p.proretset,
       t.typtype = 'c' or coalesce(p.proargmodes && '{t,b,o}'::"char"[], false) as composite,
       p.prorettype <> t.oid as composite_alias,
       p.provolatile::text,
       p.provariadic <> 0,
       coalesce((select pg_catalog.substr(s.setting, pg_catalog.strpos(s.setting, '=') + 1)
                   from unnest(p.proconfig) s (setting)
                  where s.setting like 'default\_transaction\_isolation=%'), ''),
       coalesce((select array_agg(s.setting order by s.ord)
                   from unnest(p.proconfig) with ordinality s (setting, ord)
                  where s.setting ~ any ($2)), '{}')
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join base b on b.oid = p.prorettype
  join pg_catalog.pg_type t on t.oid = b.base_oid
  join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
  left join pg_catalog.pg_class rel on rel.oid = t.typrelid
  cross join lateral (
    select coalesce(array_agg(coalesce(i.name, '') order by i.ord), '{}') as names,
           coalesce(array_agg(i.type::regtype::text order by i.ord), '{}') as types,
           -- character and bit without a length mean a length of one in a cast, which would cut the argument
           coalesce(array_agg(case i.type
                                when 'bit'::regtype then 'bit varying'
                                when 'bit[]'::regtype then 'bit varying[]'
                                when 'character'::regtype then 'character varying'
                                when 'character[]'::regtype then 'character varying[]'
                                else i.type::regtype::text
                              end order by i.ord), '{}') as cast_types,
           coalesce(array_agg(coalesce(i.mode = 'v', false) order by i.ord), '{}') as variadics
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes)
           with ordinality i (type, name, mode, ord)
     where coalesce(i.mode, 'i') in ('i', 'b', 'v')
  ) args
 where n.nspname = any ($1)
   and p.prokind = 'f'
   and t.oid <> 'trigger'::regtype
   and (p.pronargs = 0
        or p.proargnames is not null
        or p.pronargs = 1 and p.proargtypes[0] in ('bytea'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype))
 order by n.nspname, p.proname, p.oid
