-- Everything that the databases of a cluster share and that a candidate could have
-- changed, a line each. Clones come and go; their own settings are in their own
-- fingerprint.
select coalesce(array_agg(line order by line), '{}') from (
  select 'role ' || r.rolname || ': ' || concat_ws(' ',
      case when r.rolsuper then 'superuser' end, case when r.rolinherit then 'inherit' end,
      case when r.rolcreaterole then 'createrole' end, case when r.rolcreatedb then 'createdb' end,
      case when r.rolcanlogin then 'login' end, case when r.rolreplication then 'replication' end,
      case when r.rolbypassrls then 'bypassrls' end, 'limit ' || r.rolconnlimit,
      'password ' || coalesce(md5(r.rolpassword), 'none'), 'until ' || coalesce(r.rolvaliduntil::text, 'ever')) as line
  from pg_authid r
  union all
  select 'membership: ' || m.member::regrole || ' in ' || m.roleid::regrole || ' by ' || m.grantor::regrole
      || case when m.admin_option then ' with admin' else '' end
  from pg_auth_members m
  union all
  select 'setting of ' || case when s.setrole = 0 then 'all roles' else s.setrole::regrole::text end
      || ' in ' || coalesce(d.datname, 'all databases') || ': ' || s.setconfig::text
  from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase
  where d.datname is null or d.datname not like 'c\_%'
  union all
  select 'database ' || datname || ': owner ' || datdba::regrole || ' privileges ' || coalesce(datacl::text, '')
      || ' limit ' || datconnlimit || case when datistemplate then ' template' else '' end
  from pg_database where datname not like 'c\_%'
  union all
  select 'parameter ' || parname || ': ' || coalesce(paracl::text, '') from pg_parameter_acl
  union all
  select 'tablespace ' || spcname || ': ' || coalesce(spcacl::text, '') from pg_tablespace
  union all
  select 'slot ' || slot_name from pg_replication_slots
  union all
  select 'origin ' || roname from pg_replication_origin
  union all
  select 'prepared transaction ' || gid from pg_prepared_xacts
) lines
