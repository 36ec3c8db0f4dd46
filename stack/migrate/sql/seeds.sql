-- Where the CLI records which seed files a database has, by path and SHA-256. The lock timeout stays for the seed files, as it
-- does there.
set lock_timeout = '4s';
create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
