-- What was written since the database was copied, by PostgreSQL's own count of rows,
-- which nobody but a superuser can stop or reset: the catalogs with changes, whether
-- a table has any, where the tables' rows are kept, which TRUNCATE changes, and whether
-- the transaction has written to what all databases of the cluster share.
select
  (select coalesce(array_agg(c.oid::regclass::text), '{}')
   from unnest(array['pg_namespace', 'pg_class', 'pg_attribute', 'pg_attrdef', 'pg_constraint', 'pg_proc', 'pg_trigger',
       'pg_rewrite', 'pg_event_trigger', 'pg_extension', 'pg_default_acl', 'pg_cast', 'pg_type', 'pg_enum', 'pg_range',
       'pg_index', 'pg_inherits', 'pg_partitioned_table', 'pg_description', 'pg_operator', 'pg_aggregate', 'pg_collation',
       'pg_language', 'pg_foreign_table']::regclass[]) as c (oid)
   where pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid) > 0)
  || case when exists (
    select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
  ) then '{pg_db_role_setting}'::text[] else '{}' end,
  coalesce(bool_or(pg_stat_get_tuples_inserted(t.oid) + pg_stat_get_tuples_updated(t.oid) + pg_stat_get_tuples_deleted(t.oid) > 0), false),
  coalesce(sum(hashtextextended(concat_ws(' ', t.oid, t.relfilenode), 0)), 0)::text,
  exists (
    select from unnest(array['pg_authid', 'pg_auth_members', 'pg_database', 'pg_db_role_setting', 'pg_parameter_acl',
      'pg_tablespace']::regclass[]) as s (oid)
    where pg_stat_get_xact_tuples_inserted(s.oid) + pg_stat_get_xact_tuples_updated(s.oid) + pg_stat_get_xact_tuples_deleted(s.oid) > 0
  )
from pg_class t
where t.relkind = 'r' and t.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
