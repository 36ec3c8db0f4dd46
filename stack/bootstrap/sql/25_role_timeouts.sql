-- The time limits that a project has on its API roles. A REST server applies
-- the limit of the role that a request switches to.
-- Source: supabase/postgres, migrations/db (initial-schema,
-- set_authenticator_timeout, set_lock_timeout_to_authenticator_role).

alter role anon          set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
