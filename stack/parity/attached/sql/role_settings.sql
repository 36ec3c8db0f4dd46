-- What the roles of requests begin with, which the recorded ones did not: each with what
-- takes it away.
select r.rolname || ' has ' || c.setting,
  format('alter role %I%s reset %I', r.rolname, case when d.oid is null then '' else format(' in database %I', d.datname) end, split_part(c.setting, '=', 1))
from pg_catalog.pg_db_role_setting s
  join pg_catalog.pg_roles r on r.oid = s.setrole
  left join pg_catalog.pg_database d on d.oid = s.setdatabase
  cross join lateral unnest(s.setconfig) c (setting)
where r.rolname in ('anon', 'authenticated', 'service_role') and (d.oid is null or d.datname = current_database())
order by 1
