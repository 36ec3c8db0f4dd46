-- What there is in the database: each object with what it is, what drops it and what
-- makes it again. Parts of others (parent) go with them. What extensions bring comes and
-- goes with the extension.
with spaces as (
  select oid, nspname from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and nspname !~ '^pg_(toast_)?temp_'
), calm as (
  -- In the others the services make tables as they go.
  select * from spaces where nspname not in ('realtime', '_realtime', '_analytics')
), found (class, oid, state, undo, redo) as (
  select 'pg_namespace'::regclass, oid, '', null, format('create schema %I', nspname) from spaces
  union all
  select 'pg_class', c.oid, c.relkind::text, null, null
  from pg_class c join calm s on s.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select 'pg_class', i.indexrelid, pg_get_indexdef(i.indexrelid), null, pg_get_indexdef(i.indexrelid)
  from pg_index i join pg_class c on c.oid = i.indexrelid join calm s on s.oid = c.relnamespace
  union all
  select 'pg_proc', p.oid, p.prokind::text, null, case when p.prokind in ('f', 'p') then pg_get_functiondef(p.oid) end
  from pg_proc p join spaces s on s.oid = p.pronamespace
  union all
  select 'pg_type', t.oid, t.typtype::text, null, null
  from pg_type t join spaces s on s.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
  where t.typtype in ('b', 'd', 'e', 'r') and t.typelem = 0 or c.relkind = 'c'
  union all
  select 'pg_policy', p.oid, q.definition, null,
    format('create policy %I on %s as %s for %s to %s', p.polname, p.polrelid::regclass,
      case when p.polpermissive then 'permissive' else 'restrictive' end,
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end, q.definition)
  from pg_policy p cross join lateral (
    select (select string_agg(case when r = 0 then 'public' else r::regrole::text end, ', ') from unnest(p.polroles) r)
      || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
      || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') as definition
  ) q
  union all
  select 'pg_trigger', t.oid, pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text, null, pg_get_triggerdef(t.oid)
  from pg_trigger t where not t.tgisinternal
  union all
  select 'pg_rewrite', r.oid, md5(pg_get_ruledef(r.oid)) || ' ' || r.ev_enabled::text, null, pg_get_ruledef(r.oid)
  from pg_rewrite r join pg_class c on c.oid = r.ev_class join calm s on s.oid = c.relnamespace where r.rulename <> '_RETURN'
  union all
  select 'pg_constraint', c.oid, pg_get_constraintdef(c.oid) || ' ' || c.convalidated::text,
    case when c.conrelid <> 0 then format('alter table %s drop constraint %I cascade', c.conrelid::regclass, c.conname)
      else format('alter domain %s drop constraint %I cascade', c.contypid::regtype, c.conname) end,
    case when c.conrelid <> 0 then format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end
  from pg_constraint c join calm s on s.oid = c.connamespace
  union all
  select 'pg_extension', oid, extversion || ' in ' || extnamespace::regnamespace, null,
    format('create extension %I with schema %s version %L', extname, extnamespace::regnamespace, extversion) from pg_extension
  union all
  select 'pg_event_trigger', oid, concat_ws(' ', evtevent, evtowner::regrole, evtfoid::regprocedure, evtenabled, evttags), null, null from pg_event_trigger
  union all
  select 'pg_publication', oid, concat_ws(' ', puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot), null,
    format('create publication %I', pubname) from pg_publication
  union all
  select 'pg_publication_rel', r.oid, md5(r::text), format('alter publication %I drop table %s', p.pubname, r.prrelid::regclass),
    format('alter publication %I add table %s', p.pubname, r.prrelid::regclass)
  from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
  union all
  select 'pg_publication_namespace', n.oid, '', format('alter publication %I drop tables in schema %s', p.pubname, n.pnnspid::regnamespace),
    format('alter publication %I add tables in schema %s', p.pubname, n.pnnspid::regnamespace)
  from pg_publication_namespace n join pg_publication p on p.oid = n.pnpubid
  union all
  select 'pg_foreign_server', u.srvid, u.usename, format('drop user mapping for %s server %I', coalesce(quote_ident(u.usename), 'public'), u.srvname), null
  from pg_user_mappings u
  union all
  select 'pg_largeobject', oid, '', format('select lo_unlink(%s)', oid), null from pg_largeobject_metadata
  union all select 'pg_operator', o.oid, md5(o::text), null, null from pg_operator o join spaces s on s.oid = o.oprnamespace
  union all select 'pg_opclass', o.oid, md5(o::text), null, null from pg_opclass o join spaces s on s.oid = o.opcnamespace
  union all select 'pg_opfamily', o.oid, md5(o::text), null, null from pg_opfamily o join spaces s on s.oid = o.opfnamespace
  union all select 'pg_collation', o.oid, md5(o::text), null, null from pg_collation o join spaces s on s.oid = o.collnamespace
  union all select 'pg_conversion', o.oid, md5(o::text), null, null from pg_conversion o join spaces s on s.oid = o.connamespace
  union all select 'pg_statistic_ext', o.oid, md5(o::text), null, null from pg_statistic_ext o join spaces s on s.oid = o.stxnamespace
  union all select 'pg_ts_config', o.oid, md5(o::text), null, null from pg_ts_config o join spaces s on s.oid = o.cfgnamespace
  union all select 'pg_ts_dict', o.oid, md5(o::text), null, null from pg_ts_dict o join spaces s on s.oid = o.dictnamespace
  union all select 'pg_ts_parser', o.oid, md5(o::text), null, null from pg_ts_parser o join spaces s on s.oid = o.prsnamespace
  union all select 'pg_ts_template', o.oid, md5(o::text), null, null from pg_ts_template o join spaces s on s.oid = o.tmplnamespace
  union all select 'pg_cast', o.oid, md5(o::text), null, null from pg_cast o where o.oid >= 16384
  union all select 'pg_transform', o.oid, md5(o::text), null, null from pg_transform o
  union all select 'pg_language', o.oid, md5(o::text), null, null from pg_language o where o.oid >= 16384
  union all select 'pg_am', o.oid, md5(o::text), null, null from pg_am o where o.oid >= 16384
  union all select 'pg_foreign_data_wrapper', o.oid, md5(o::text), null, null from pg_foreign_data_wrapper o
  union all select 'pg_foreign_server', o.oid, md5(o::text), null, null from pg_foreign_server o
)
select i.type, i.identity || case when f.class = 'pg_foreign_server'::regclass and f.undo is not null then ' mapping' else '' end, f.state,
  coalesce((
    select p.identity from pg_depend d, pg_identify_object(d.refclassid, d.refobjid, 0) p
    where d.classid = f.class and d.objid = f.oid and d.objsubid = 0 and d.deptype in ('a', 'i', 'P', 'S') and d.refobjid <> f.oid
    order by d.deptype desc, d.refclassid desc limit 1), ''),
  coalesce(f.undo, format('drop %s if exists %s cascade', case i.type when 'statistics object' then 'statistics' else i.type end, i.identity)),
  coalesce(f.redo, ''), case when i.type = 'event trigger' then 0 when i.type in ('policy', 'trigger', 'rule') then 1 when i.type = 'schema' then 3 else 2 end
from found f cross join lateral pg_identify_object(f.class, f.oid, 0) i
where not exists (select from pg_depend d where d.classid = f.class and d.objid = f.oid and d.deptype = 'e')
