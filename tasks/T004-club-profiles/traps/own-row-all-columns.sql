-- The policy picks the right row, and the grant opens every column of it.
alter table public.profiles enable row level security;

revoke all on public.profiles from anon, authenticated, service_role;
grant select (id, name) on public.profiles to anon;
grant select, insert, update on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;

create policy profiles_read on public.profiles
  for select to authenticated
  using (true);

create policy referees_are_public on public.profiles
  for select to anon
  using (is_referee);

create policy profiles_create_own on public.profiles
  for insert to authenticated
  with check (id = (select auth.uid()));

create policy profiles_change_own on public.profiles
  for update to authenticated
  using (id = (select auth.uid()));
