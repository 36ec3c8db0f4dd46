-- Casts to a date, in the time zone of the session. The Data API lets the request choose it.
alter table public.open_nights enable row level security;
alter table public.observations enable row level security;

revoke all on public.open_nights, public.observations from anon, authenticated, service_role;
grant select on public.open_nights, public.observations to anon;
grant select on public.open_nights to authenticated;
grant select, insert, update (target), delete on public.observations to authenticated;
grant select, insert, delete on public.open_nights to service_role;
grant select on public.observations to service_role;

create policy nights_read on public.open_nights
  for select to anon, authenticated
  using (true);

create policy observations_of_open_nights on public.observations
  for select to anon, authenticated
  using (seen_at::date in (select n.night from public.open_nights n));

create policy observations_own on public.observations
  for select to authenticated
  using (observer_id = (select auth.uid()));

create policy observations_add on public.observations
  for insert to authenticated
  with check (observer_id = (select auth.uid()));

create policy observations_change on public.observations
  for update to authenticated
  using (
    observer_id = (select auth.uid())
    and seen_at::date not in (select n.night from public.open_nights n)
  );

create policy observations_delete on public.observations
  for delete to authenticated
  using (
    observer_id = (select auth.uid())
    and seen_at::date not in (select n.night from public.open_nights n)
  );
