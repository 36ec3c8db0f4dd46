alter table public.files enable row level security;

revoke all on public.files from anon, authenticated, service_role;
grant select, insert, update, delete on public.files to authenticated, service_role;

-- The slash belongs to the comparison: without it the id would be a mere prefix.
create policy own_folder on public.files
  for all to authenticated
  using (starts_with(path, (select auth.uid())::text || '/'));

create policy shared_bucket on public.files
  for select to authenticated
  using (bucket = 'shared');
