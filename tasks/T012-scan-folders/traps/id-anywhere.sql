-- The id may be anywhere in the path, so everybody has a folder inside of everybody else's.
alter table public.files enable row level security;

revoke all on public.files from anon, authenticated, service_role;
grant select, insert, update, delete on public.files to authenticated;
grant select, insert, delete on public.files to service_role;

create policy own_folder on public.files
  for all to authenticated
  using ((select auth.uid())::text = any (string_to_array(path, '/')));

create policy shared_bucket on public.files
  for select to authenticated
  using (bucket = 'shared');
