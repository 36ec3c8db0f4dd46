-- A null-safe comparison makes entries without an owner belong to whoever is not signed in.
alter table public.diary_entries enable row level security;

revoke all on public.diary_entries from anon, authenticated, service_role;
grant select, insert, update, delete on public.diary_entries to anon, authenticated, service_role;

create policy diary_read on public.diary_entries
  for select to anon, authenticated
  using (owner_id is not distinct from (select auth.uid()));

create policy diary_write on public.diary_entries
  for insert to authenticated
  with check (owner_id = (select auth.uid()));

create policy diary_change on public.diary_entries
  for update to anon, authenticated
  using (owner_id is not distinct from (select auth.uid()));

create policy diary_delete on public.diary_entries
  for delete to anon, authenticated
  using (owner_id is not distinct from (select auth.uid()));
