-- Where the CLI records which migrations a database has (pkg/migration/history.go). The lock timeout is for these statements:
-- the RESET ALL before each migration lifts it.
set lock_timeout = '4s';
create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
alter table supabase_migrations.schema_migrations add column if not exists statements text[];
alter table supabase_migrations.schema_migrations add column if not exists name text;
