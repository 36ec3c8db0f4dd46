-- Settings of the database.
select 'setting of the database', d.datname, s.setrole::regrole || ' ' || s.setconfig::text
from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
