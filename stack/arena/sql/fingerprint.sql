-- What a candidate may have changed behind the grader's back: an object and its
-- state, a line each. Policies, privileges and row level security are the
-- candidate's work and are not looked at. Of the schemas that the services own a
-- candidate can change functions and triggers at most.
with spaces as (
  select oid, nspname, nspname in ('auth', 'storage', 'realtime', 'extensions') as managed from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and nspname not like 'pg\_temp\_%' and nspname not like 'pg\_toast\_temp\_%'
)
select kind, name, state from (
  select 'schema' as kind, nspname::text as name, 'owner ' || nspowner::regrole as state
  from pg_namespace where oid in (select oid from spaces)
  union all
  select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end,
    s.nspname || '.' || c.relname,
    'owner ' || c.relowner::regrole || case when c.relkind in ('v', 'm') then ' ' || md5(pg_get_viewdef(c.oid)) || ' ' || coalesce(c.reloptions::text, '') else '' end
  from pg_class c join spaces s on s.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not s.managed
  union all
  select 'column', s.nspname || '.' || c.relname || '.' || a.attname,
    format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
    || case when a.attgenerated <> '' then ' generated' when a.attidentity <> '' then ' identity' else '' end
    || coalesce(' default ' || md5(pg_get_expr(d.adbin, d.adrelid)), '')
  from pg_attribute a join pg_class c on c.oid = a.attrelid join spaces s on s.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and not s.managed
  union all
  select 'constraint', s.nspname || '.' || r.relname || '.' || c.conname, md5(pg_get_constraintdef(c.oid))
  from pg_constraint c join pg_class r on r.oid = c.conrelid join spaces s on s.oid = r.relnamespace where not s.managed
  union all
  select 'function', p.oid::regprocedure::text,
    md5(concat_ws(' ', p.proowner::regrole, p.prosecdef, p.provolatile, p.proconfig, p.prosrc, p.probin, p.prolang))
    || case when p.prosecdef then ' security definer' else '' end
  from pg_proc p join spaces s on s.oid = p.pronamespace
  union all
  select 'trigger', s.nspname || '.' || r.relname || '.' || t.tgname, md5(pg_get_triggerdef(t.oid)) || ' ' || t.tgenabled::text
  from pg_trigger t join pg_class r on r.oid = t.tgrelid join spaces s on s.oid = r.relnamespace where not t.tgisinternal
  union all
  select 'rule', s.nspname || '.' || r.relname || '.' || w.rulename, md5(pg_get_ruledef(w.oid))
  from pg_rewrite w join pg_class r on r.oid = w.ev_class join spaces s on s.oid = r.relnamespace where w.rulename <> '_RETURN'
  union all
  select 'event trigger', evtname::text, evtenabled::text || ' ' || evtowner::regrole from pg_event_trigger
  union all
  select 'extension', extname::text, extversion from pg_extension
  union all
  select 'default privileges', defaclrole::regrole || ' ' || coalesce(defaclnamespace::regnamespace::text, 'everywhere') || ' ' || defaclobjtype::text, defaclacl::text
  from pg_default_acl
  union all
  select 'cast', castsource::regtype || ' as ' || casttarget::regtype, castfunc::regprocedure::text
  from pg_cast where oid >= 16384
  union all
  select 'setting of the database', d.datname, s.setrole::regrole || ' ' || s.setconfig::text
  from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
) objects
