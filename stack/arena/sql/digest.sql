-- One line that is the same as long as no object is another than it was: a cheap look
-- before the fingerprint. Policies, privileges and row level security do not show in
-- it, though they are kept in the same catalogs.
with spaces as (
  select oid, nspname in ('auth', 'storage', 'realtime', 'extensions') as managed
  from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and nspname not like 'pg\_temp\_%' and nspname not like 'pg\_toast\_temp\_%'
)
select concat_ws(' ',
  (select sum(hashtextextended(concat_ws(' ', oid, nspname, nspowner), 0)) from pg_namespace where oid in (select oid from spaces)),
  (select sum(hashtextextended(concat_ws(' ', oid, relname, relowner, relkind, reloptions, relnatts), 0))
   from pg_class where relnamespace in (select oid from spaces) and relkind <> 'i'),
  (select sum(hashtextextended(concat_ws(' ', attrelid, attnum, attname, atttypid, atttypmod, attnotnull, atthasdef, attisdropped), 0))
   from pg_attribute where attrelid in (
     select c.oid from pg_class c join spaces s on s.oid = c.relnamespace where c.relkind in ('r', 'p') and not s.managed) and attnum > 0),
  (select sum(hashtextextended(concat_ws(' ', oid, proname, proowner, prosecdef, provolatile, proconfig, prosrc, probin, prolang), 0))
   from pg_proc where pronamespace in (select oid from spaces)),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_attrdef),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_constraint),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_trigger),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_rewrite),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_event_trigger),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_extension),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_default_acl),
  (select concat(count(*), ':', max(xmin::text::bigint)) from pg_cast),
  (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()))
