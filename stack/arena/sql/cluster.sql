-- Makes a cluster fit for candidates. Roles belong to the whole cluster, so what
-- postgres could do to them and to other databases is taken away; what a candidate
-- may do in its own database stays as in a project.
alter role postgres nocreatedb nocreaterole noreplication;
revoke pg_signal_backend from postgres;

-- Sees every row of every table and can do nothing else.
create role supascore_inspector nologin bypassrls;
grant pg_read_all_data to supascore_inspector;

-- One way in for each role that requests run as. Its session can become that role
-- and no other, whatever the code that it runs tries.
create role supascore_as_anon login noinherit;
create role supascore_as_authenticated login noinherit;
create role supascore_as_service_role login noinherit;
grant anon to supascore_as_anon;
grant authenticated to supascore_as_authenticated;
grant service_role to supascore_as_service_role;
