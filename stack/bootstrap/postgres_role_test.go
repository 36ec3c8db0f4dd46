package bootstrap_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// TestMigrationsMay lists what migrations of real projects do as role postgres
// and what therefore has to work in a fresh database.
func TestMigrationsMay(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"name a preinstalled extension":                `create extension if not exists "uuid-ossp"; create extension if not exists pgcrypto with schema extensions; create extension if not exists moddatetime schema extensions`,
		"create a trusted extension in extensions":     `create extension citext with schema extensions; create table public.t (a extensions.citext)`,
		"create a trusted extension without a schema":  `create extension pg_trgm; select similarity('word', 'words')`,
		"call preinstalled functions without a schema": `select uuid_generate_v4(), gen_random_bytes(4), crypt('a', gen_salt('bf', 4))`,
		"create a schema and grant it":                 `create schema private; grant usage on schema private to authenticated; revoke all on schema private from public`,
		"grant the schema public to the auth server":   `grant usage on schema public to supabase_auth_admin`,
		"revoke the schema public":                     `revoke usage on schema public from public, anon; grant usage on schema public to anon`,
		"grant and revoke rights on its tables":        `create table public.t (id int); grant all on public.t to supabase_auth_admin; revoke all on public.t from authenticated, anon, public; grant select (id) on public.t to anon`,
		"reference auth.users":                         `create table public.p (id uuid primary key references auth.users (id) on delete cascade); drop table public.p`,
		"put triggers on auth.users and drop them": `
			create function public.f() returns trigger language plpgsql security definer set search_path = '' as 'begin return new; end';
			drop trigger if exists on_auth_user_created on auth.users;
			create trigger on_auth_user_created after insert on auth.users for each row execute function public.f();
			drop trigger if exists on_auth_user_created on auth.users;
			create or replace trigger on_auth_user_created after insert on auth.users for each row execute function public.f();
			drop function public.f() cascade`,
		"read and write auth.users": `
			insert into auth.users (instance_id, id, aud, role, email) values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'a@example.com');
			update auth.users set raw_user_meta_data = '{}'; select * from auth.users; delete from auth.users`,
		"grant others to read auth.users":              `grant select on auth.users to authenticated`,
		"make a view over auth.users":                  `create view public.people as select id, email from auth.users; select * from public.people`,
		"manage policies on storage.objects":           `create policy a on storage.objects for select to authenticated using (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text); alter policy a on storage.objects to anon; drop policy a on storage.objects; drop policy if exists b on storage.objects`,
		"manage policies on realtime.messages":         `create policy a on realtime.messages for select to authenticated using (realtime.topic() = 'room:1')`,
		"manage policies in a block":                   `do $$ begin if not exists (select from pg_policies where policyname = 'a') then create policy a on storage.buckets for select using (true); end if; end $$`,
		"add buckets":                                  `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ('a', 'a', true, 1024, array['image/png']) on conflict (id) do nothing`,
		"write security definer functions":             `create function public.f() returns uuid language sql security definer set search_path = '' as 'select auth.uid()'; revoke execute on function public.f() from public, anon; grant execute on function public.f() to authenticated`,
		"write the hook of the guide":                  hookOfTheGuide,
		"alter default privileges":                     `alter default privileges in schema public revoke execute on functions from public; alter default privileges for role postgres in schema public grant select on tables to anon`,
		"create a publication":                         `create table public.t (id int); create publication p for table public.t; alter publication supabase_realtime add table public.t; alter publication supabase_realtime drop table public.t`,
		"recreate the realtime publication":            `drop publication if exists supabase_realtime; create publication supabase_realtime`,
		"comment on what it owns":                      `create table public.t (id int); comment on table public.t is 'x'; comment on schema public is 'standard public schema'`,
		"act as the API roles":                         `set role anon; reset role; set local role authenticated; reset role; set role service_role; reset role`,
		"switch triggers off for a seed":               `set session_replication_role = replica; reset session_replication_role`,
		"create types, domains and materialized views": `create type public.mood as enum ('ok'); create domain public.short as text check (length(value) < 9); create materialized view public.v as select 1 as a; refresh materialized view public.v`,
		"send a broadcast from a trigger": `
			create table public.t (id int);
			create function public.f() returns trigger language plpgsql security definer as $$ begin perform realtime.broadcast_changes('room:1', tg_op, tg_op, tg_table_name, tg_table_schema, new, old); return null; end $$;
			create trigger b after insert on public.t for each row execute function public.f();
			insert into public.t values (1)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, "postgres", postgrestest.Database(t, postgrestest.Shared(t)))
			state, message := run(t, conn, sql)
			assert.Empty(t, state, message)
		})
	}
}

// hookOfTheGuide is the database half of the guide "Custom Claims & Role-based
// Access Control".
const hookOfTheGuide = `
create type public.app_role as enum ('admin', 'moderator');
create table public.user_roles (id bigint generated by default as identity primary key, user_id uuid references auth.users on delete cascade not null, role public.app_role not null, unique (user_id, role));
create function public.custom_access_token_hook(event jsonb) returns jsonb language plpgsql stable as $$ begin return event; end $$;
grant usage on schema public to supabase_auth_admin;
grant execute on function public.custom_access_token_hook to supabase_auth_admin;
revoke execute on function public.custom_access_token_hook from authenticated, anon, public;
grant all on table public.user_roles to supabase_auth_admin;
revoke all on table public.user_roles from authenticated, anon, public;
create policy "auth admin reads" on public.user_roles as permissive for select to supabase_auth_admin using (true);
`

// TestMigrationsMayManageRoles is apart because roles belong to the whole
// server: it has one of its own.
func TestMigrationsMayManageRoles(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Start(t, postgres.Config{})
	conn := connectTo(t, srv, "postgres", "postgres")
	for _, step := range []struct{ name, sql string }{
		{"create a role and hand it to the REST server", `create role manager nologin; grant manager to authenticator`},
		{"put API roles into it", `grant authenticated to manager; grant anon to manager; revoke anon from manager`},
		{"act as it", `grant manager to postgres; set role manager; reset role`},
		{"create a login role", `create role app login password 'x' in role manager`},
		{"configure the REST server", `alter role authenticator set pgrst.db_schemas = 'public, api'; alter role authenticator set pgrst.db_aggregates_enabled = 'true'; alter role authenticator reset pgrst.db_schemas`},
		{"set an API role's time limit", `alter role anon set statement_timeout = '10s'; alter role authenticated set statement_timeout = '10s'; alter role authenticator set statement_timeout = '10s'`},
		{"set the database's parameters", `alter database postgres set timezone to 'Europe/Berlin'; alter database postgres set statement_timeout = '60s'`},
		{"drop what it made", `drop role app; drop role manager`},
	} {
		state, message := run(t, conn, step.sql)
		assert.Empty(t, state, "%s: %s", step.name, message)
	}
}

// TestMigrationsMayNot lists what a project refuses, with the answer that it
// gives.
func TestMigrationsMayNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, state, message string }{
		"become superuser":                       {`set role supabase_admin`, "42501", `permission denied to set role "supabase_admin"`},
		"make a superuser":                       {`create role boss superuser`, "42501", ""},
		"read the server's files":                {`select pg_read_file('/etc/passwd')`, "42501", "permission denied for function pg_read_file"},
		"run programs":                           {`create table public.t (a text); copy public.t from program 'id'`, "42501", ""},
		"read files with copy":                   {`create table public.t (a text); copy public.t from '/etc/passwd'`, "42501", ""},
		"alter tables of auth":                   {`alter table auth.users add column nickname text`, "42501", "must be owner of table users"},
		"index tables of auth":                   {`create index i on auth.users (created_at)`, "42501", "must be owner of table users"},
		"create tables in auth":                  {`create table auth.profiles (id uuid)`, "42501", "permission denied for schema auth"},
		"replace functions of auth":              {`create or replace function auth.uid() returns uuid language sql as 'select null::uuid'`, "42501", "permission denied for schema auth"},
		"drop tables of auth":                    {`drop table auth.refresh_tokens cascade`, "42501", "must be owner of table auth.refresh_tokens"},
		"drop the schema auth":                   {`drop schema auth cascade`, "42501", ""},
		"comment on tables of storage":           {`comment on table storage.objects is 'mine'`, "42501", "must be owner of table objects"},
		"switch off row security of storage":     {`alter table storage.objects disable row level security`, "42501", "must be owner of table objects"},
		"enable row security of storage again":   {`alter table storage.objects enable row level security`, "42501", "must be owner of table objects"},
		"delete files with SQL":                  {`delete from storage.objects`, "42501", "Direct deletion from storage tables is not allowed. Use the Storage API instead."},
		"do it with event triggers switched off": {`set session_replication_role = replica; alter table auth.users disable row level security`, "42501", "must be owner of table users"},
		"do it in a function of its own":         {`create function public.f() returns void language plpgsql security definer as $$ begin alter table auth.users add column x int; end $$; select public.f()`, "42501", "must be owner of table users"},
		"do it by way of an admin role":          {byAdminRole, "42501", "must be owner of table users"},
		"drop the guard":                         {`drop event trigger refuse_managed_ddl`, "42501", "must be owner of event trigger refuse_managed_ddl"},
		"replace the guard":                      {`create or replace function extensions.refuse_managed_ddl() returns event_trigger language plpgsql as 'begin end'`, "42501", "must be owner of function refuse_managed_ddl"},
		"reach other databases":                  {`create extension dblink`, "42501", `permission denied to create extension "dblink"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, "postgres", postgrestest.Database(t, postgrestest.Shared(t)))
			state, message := run(t, conn, c.sql)
			assert.Equal(t, c.state, state, message)
			if c.message != "" {
				assert.Equal(t, c.message, message)
			}
		})
	}
}

// byAdminRole is refused by PostgreSQL 16 and newer, which tell membership from
// the right to "set role", and by the guard before that; both with 42501.
const byAdminRole = `
do $$ begin set role supabase_auth_admin; exception when insufficient_privilege then null; end $$;
alter table auth.users add column nickname text`
