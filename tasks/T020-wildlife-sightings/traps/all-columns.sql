-- Grants the update of the whole row where only one column may change.
alter table public.sightings enable row level security;

revoke all on public.sightings from anon, authenticated, service_role;
grant select on public.sightings to anon, service_role;
grant select, insert, update, delete on public.sightings to authenticated;

create policy harmless on public.sightings
  for select to anon, authenticated
  using (verified and not endangered);

create policy own_reports on public.sightings
  for select to authenticated
  using (reporter_id = (select auth.uid()));

create policy rangers_read on public.sightings
  for select to authenticated
  using (
    (select auth.jwt() -> 'app_metadata' ->> 'role') = 'ranger'
    and (select auth.jwt() -> 'app_metadata' -> 'regions') ? region
  );

create policy wardens_read on public.sightings
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'warden');

create policy report on public.sightings
  for insert to authenticated
  with check (reporter_id = (select auth.uid()) and not verified);

create policy verify on public.sightings
  for update to authenticated
  using (
    (select auth.jwt() -> 'app_metadata' ->> 'role') = 'warden'
    or (
      (select auth.jwt() -> 'app_metadata' ->> 'role') = 'ranger'
      and (select auth.jwt() -> 'app_metadata' -> 'regions') ? region
    )
  );

create policy wardens_delete on public.sightings
  for delete to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'warden');
