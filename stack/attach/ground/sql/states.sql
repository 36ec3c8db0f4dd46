-- What the objects are like, as far as that is not in their definition.
with spaces as (
  select oid, nspname from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and nspname !~ '^pg_(toast_)?temp_'
), calm as (
  -- In the others the services make tables as they go.
  select * from spaces where nspname not in ('realtime', '_realtime', '_analytics')
), found (class, oid, sub, what, state, redo) as (
  select 'pg_namespace'::regclass, oid, 0, 'owner', nspowner::regrole::text, format('alter schema %I owner to %s', nspname, nspowner::regrole)
  from pg_namespace join spaces using (oid, nspname)
  union all
  select 'pg_class', c.oid, 0, 'definition', concat_ws(' ', 'owner', c.relowner::regrole, c.reloptions, c.relpersistence, c.relreplident, pg_get_expr(c.relpartbound, c.oid),
    case when c.relkind in ('v', 'm') then md5(pg_get_viewdef(c.oid)) end), null
  from pg_class c join calm s on s.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select 'pg_class', c.oid, 0, 'row level security', case when c.relrowsecurity then 'enable' else 'disable' end,
    format('alter table %s %s row level security', c.oid::regclass, case when c.relrowsecurity then 'enable' else 'disable' end)
  from pg_class c join calm s on s.oid = c.relnamespace where c.relkind in ('r', 'p')
  union all
  select 'pg_class', c.oid, 0, 'row level security for the owner', case when c.relforcerowsecurity then 'force' else 'no force' end,
    format('alter table %s %s row level security', c.oid::regclass, case when c.relforcerowsecurity then 'force' else 'no force' end)
  from pg_class c join calm s on s.oid = c.relnamespace where c.relkind in ('r', 'p')
  union all
  select 'pg_class', c.oid, a.attnum, 'definition', concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attoptions, pg_get_expr(d.adbin, d.adrelid)), null
  from pg_attribute a join pg_class c on c.oid = a.attrelid join calm s on s.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'c') and a.attnum > 0 and not a.attisdropped
  union all
  select 'pg_proc', p.oid, 0, 'definition', concat_ws(' ', p.proowner::regrole, md5(case when p.prokind in ('f', 'p') then pg_get_functiondef(p.oid) else p::text end)),
    case when p.prokind in ('f', 'p') then pg_get_functiondef(p.oid) end
  from pg_proc p join spaces s on s.oid = p.pronamespace
  union all
  select 'pg_type', t.oid, 0, 'definition', concat_ws(' ', t.typowner::regrole, t.typnotnull, t.typdefault, format_type(t.typbasetype, t.typtypmod),
    (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)), null
  from pg_type t join spaces s on s.oid = t.typnamespace where t.typtype in ('b', 'd', 'e', 'r') and t.typelem = 0
  union all
  select 'pg_publication', oid, 0, 'owner', pubowner::regrole::text, format('alter publication %I owner to %s', pubname, pubowner::regrole) from pg_publication
  union all
  select d.classoid, d.objoid, d.objsubid, 'comment', md5(d.description), format('comment on %s %s is %L', case i.type when 'table column' then 'column' else i.type end, i.identity, d.description)
  from pg_description d cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) i
  where d.objoid >= 16384 or d.classoid = 'pg_namespace'::regclass and d.objoid in (select oid from spaces)
)
select f.what, i.type || ' ' || i.identity, f.state, case when f.sub = 0 then i.identity else f.oid::regclass::text end,
  case when f.what = 'comment' then format('comment on %s %s is null', case i.type when 'table column' then 'column' else i.type end, i.identity) else '' end,
  coalesce(f.redo, ''), 5
from found f cross join lateral pg_identify_object(f.class, f.oid, f.sub) i
