-- Settings of the server itself that are stored on the connected role: ALTER ROLE authenticator SET pgrst.… = '…'.
-- Those for this database win over those for all databases.
select distinct on (kv.key) kv.key, kv.value
  from pg_catalog.pg_db_role_setting s
  join pg_catalog.pg_roles r on r.oid = s.setrole and r.rolname = current_user
 cross join lateral unnest(s.setconfig) c (setting)
 cross join lateral (
   select pg_catalog.substr(pg_catalog.split_part(c.setting, '=', 1), 7) as key,
          pg_catalog.substr(c.setting, pg_catalog.strpos(c.setting, '=') + 1) as value
 ) kv
 where c.setting like 'pgrst.%'
   and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_catalog))
 order by kv.key, s.setdatabase desc
