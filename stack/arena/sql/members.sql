-- The roles that requests can become, each with what takes it away. From PostgreSQL 16
-- on a role can be granted by several others, and each takes back its own.
select r.rolname, format(
    case when current_setting('server_version_num')::int >= 160000
      then 'revoke %I from authenticator granted by %I cascade' else 'revoke %I from authenticator' end,
    r.rolname, g.rolname)
from pg_auth_members m
  join pg_roles r on r.oid = m.roleid
  join pg_roles g on g.oid = m.grantor
where m.member = 'authenticator'::regrole
order by 1, 2
