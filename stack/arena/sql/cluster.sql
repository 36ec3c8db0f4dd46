-- Makes a cluster fit for candidates. Roles belong to the whole cluster, so what
-- postgres could do to them and to other databases is taken away; what a candidate
-- may do in its own database stays as in a project.
alter role postgres nocreatedb nocreaterole noreplication;
revoke pg_signal_backend from postgres;

-- Sees every row of every table and can do nothing else.
create role supascore_inspector nologin bypassrls;
grant pg_read_all_data to supascore_inspector;

-- The way in for candidates, tests and requests, with the name that it has in a
-- project. At any time it is a member of the role that is to run, and of no other, so
-- whatever the code in its session tries, it can become that role only; requests may
-- become what they may in a project. The project's own keeps what others are granted.
alter role authenticator rename to supascore_authenticator;
create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator;

-- An owner may drop and change a database, also one that it is not in.
alter database postgres owner to supabase_admin;
