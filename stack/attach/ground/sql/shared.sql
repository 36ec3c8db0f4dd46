-- What all databases of the server share, as far as a role that is no superuser sees it.
select 'role', quote_ident(rolname), '', '',
  format('grant %1$I to current_user; drop owned by %1$I cascade; drop role %1$I', rolname), '', 7
from pg_roles where rolname !~ '^pg_'
union all
select 'attribute', 'of role ' || quote_ident(r.rolname) || ': ' || a.name, a.value, quote_ident(r.rolname), '',
  case when a.word <> '' then format('alter role %I %s', r.rolname, a.word) else '' end, 6
from pg_roles r cross join lateral (values
  ('superuser', r.rolsuper::text, ''), ('replication', r.rolreplication::text, ''), ('bypassrls', r.rolbypassrls::text, ''),
  ('inherit', r.rolinherit::text, case when r.rolinherit then 'inherit' else 'noinherit' end),
  ('createdb', r.rolcreatedb::text, case when r.rolcreatedb then 'createdb' else 'nocreatedb' end),
  ('createrole', r.rolcreaterole::text, case when r.rolcreaterole then 'createrole' else 'nocreaterole' end),
  ('login', r.rolcanlogin::text, case when r.rolcanlogin then 'login' else 'nologin' end),
  ('connection limit', r.rolconnlimit::text, 'connection limit ' || r.rolconnlimit),
  ('valid until', coalesce(r.rolvaliduntil::text, 'infinity'), format('valid until %L', coalesce(r.rolvaliduntil::text, 'infinity')))
) a (name, value, word)
where r.rolname !~ '^pg_'
union all
select 'membership', m.member::regrole || ' in ' || m.roleid::regrole,
  'by ' || m.grantor::regrole || case when m.admin_option then ' with admin option' else '' end, m.member::regrole::text,
  format('revoke %s from %s cascade', m.roleid::regrole, m.member::regrole),
  format('grant %s to %s%s', m.roleid::regrole, m.member::regrole, case when m.admin_option then ' with admin option' else '' end), 6
from pg_auth_members m
union all
select 'setting', split_part(c.setting, '=', 1) || ' of ' || whose.words, substr(c.setting, strpos(c.setting, '=') + 1), coalesce(s.setrole::regrole::text, ''),
  format('alter %s reset %I', whose.words, split_part(c.setting, '=', 1)),
  format('select set_config(%L, %L, true); alter %s set %I from current', split_part(c.setting, '=', 1), substr(c.setting, strpos(c.setting, '=') + 1),
    whose.words, split_part(c.setting, '=', 1)), 6
from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase
  cross join lateral (select case when s.setrole = 0 and s.setdatabase = 0 then 'role all'
    when s.setrole = 0 then format('database %I', d.datname) when s.setdatabase = 0 then 'role ' || s.setrole::regrole
    else format('role %s in database %I', s.setrole::regrole, d.datname) end) whose (words)
  cross join lateral unnest(s.setconfig) c (setting)
union all
select 'database', quote_ident(datname), concat_ws(' ', 'owner', datdba::regrole, 'limit', datconnlimit, datistemplate), '',
  format('drop database %I with (force)', datname), '', 7
from pg_database
union all
select 'privilege', privilege_type || ' on database ' || quote_ident(d.datname),
  concat_ws(' ', grantee_name, case when a.is_grantable then 'with grant option' end), quote_ident(d.datname),
  format('revoke %s on database %I from %s cascade', privilege_type, d.datname, grantee_name),
  format('grant %s on database %I to %s%s', privilege_type, d.datname, grantee_name, case when a.is_grantable then ' with grant option' else '' end), 6
from pg_database d cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
  cross join lateral (select case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end) q (grantee_name)
