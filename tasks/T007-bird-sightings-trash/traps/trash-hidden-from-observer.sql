-- The SELECT policy hides removed rows from everybody, so setting removed_at is refused
-- and the trash is always empty.
alter table public.sightings enable row level security;

revoke all on public.sightings from anon, authenticated, service_role;
grant select, insert, update on public.sightings to authenticated;
grant select, delete on public.sightings to service_role;

create policy sightings_read on public.sightings
  for select to authenticated
  using (removed_at is null);

create policy sightings_report on public.sightings
  for insert to authenticated
  with check (observer_id = (select auth.uid()));

create policy sightings_change_own on public.sightings
  for update to authenticated
  using (observer_id = (select auth.uid()));
