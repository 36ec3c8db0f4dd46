-- Owners only: sharing a sketch shows it to nobody.
alter table public.sketches enable row level security;

revoke all on public.sketches from anon, authenticated, service_role;
grant select, insert, update, delete on public.sketches to authenticated;
grant select, delete on public.sketches to service_role;

create policy owners_read on public.sketches
  for select to authenticated
  using (owner_id = (select auth.uid()));


create policy owners_add on public.sketches
  for insert to authenticated
  with check (owner_id = (select auth.uid()));

create policy owners_change on public.sketches
  for update to authenticated
  using (owner_id = (select auth.uid()));

create policy owners_delete on public.sketches
  for delete to authenticated
  using (owner_id = (select auth.uid()));
