alter table public.files enable row level security;

revoke all on public.files from anon, authenticated, service_role;
grant select, insert, update, delete on public.files to authenticated;
grant select, insert, delete on public.files to service_role;

-- The first part is compared whole, and a path without a slash has no folder.
create policy own_folder on public.files
  for all to authenticated
  using (split_part(path, '/', 1) = (select auth.uid())::text and path like '%/%');

create policy shared_bucket on public.files
  for select to authenticated
  using (bucket = 'shared');
