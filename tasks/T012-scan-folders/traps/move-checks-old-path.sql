-- Splits the policy by verb and lets the new path be anything.
alter table public.files enable row level security;

revoke all on public.files from anon, authenticated, service_role;
grant select, insert, update, delete on public.files to authenticated, service_role;

create policy own_folder_read on public.files
  for select to authenticated
  using (starts_with(path, (select auth.uid())::text || '/'));
create policy own_folder_add on public.files
  for insert to authenticated
  with check (starts_with(path, (select auth.uid())::text || '/'));
create policy own_folder_move on public.files
  for update to authenticated
  using (starts_with(path, (select auth.uid())::text || '/'))
  with check (true);
create policy own_folder_delete on public.files
  for delete to authenticated
  using (starts_with(path, (select auth.uid())::text || '/'));

create policy shared_bucket on public.files
  for select to authenticated
  using (bucket = 'shared');
