-- Splits the policy by verb and lets the new path be anything.
alter table public.files enable row level security;

revoke all on public.files from anon, authenticated, service_role;
grant select, insert, update, delete on public.files to authenticated;
grant select, insert, delete on public.files to service_role;

create policy own_folder_read on public.files
  for select to authenticated
  using (split_part(path, '/', 1) = (select auth.uid())::text and path like '%/%');
create policy own_folder_add on public.files
  for insert to authenticated
  with check (split_part(path, '/', 1) = (select auth.uid())::text and path like '%/%');
create policy own_folder_move on public.files
  for update to authenticated
  using (split_part(path, '/', 1) = (select auth.uid())::text and path like '%/%')
  with check (true);
create policy own_folder_delete on public.files
  for delete to authenticated
  using (split_part(path, '/', 1) = (select auth.uid())::text and path like '%/%');

create policy shared_bucket on public.files
  for select to authenticated
  using (bucket = 'shared');
