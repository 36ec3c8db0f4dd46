-- Settings stored on the roles that the connected role may become, and that it may set for them.
with stored as (
  select r.rolname,
         pg_catalog.split_part(s.setting, '=', 1) as key,
         pg_catalog.substr(s.setting, pg_catalog.strpos(s.setting, '=') + 1) as value
    from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles me on me.oid = m.member and me.rolname = current_user
    join pg_catalog.pg_roles r on r.oid = m.roleid
   cross join lateral unnest(r.rolconfig) s (setting)
)
select stored.rolname, stored.key, stored.value
  from stored
  join pg_catalog.pg_settings p on p.name = stored.key
 where p.context = 'user'
    or case when pg_catalog.current_setting('server_version_num')::int >= 150000
         then pg_catalog.has_parameter_privilege(current_user, p.name, 'set')
       end
 order by stored.rolname, stored.key
