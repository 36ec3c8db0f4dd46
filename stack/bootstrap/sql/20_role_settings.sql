-- Settings that the services depend on: they live on the role and so hold for
-- every connection, whoever opens it.
-- Source: supabase/postgres, migrations/db (initial-schema, post-setup).

alter role supabase_admin           set search_path = "$user", public, auth, extensions;
alter role postgres                 set search_path = "$user", public, extensions;
alter role supabase_auth_admin      set search_path = auth;
alter role supabase_storage_admin   set search_path = storage;
alter role supabase_functions_admin set search_path = supabase_functions;

-- An auth server waiting inside a transaction that was forgotten would hold
-- the user's row lock.
alter role supabase_auth_admin set idle_in_transaction_session_timeout = 60000;
