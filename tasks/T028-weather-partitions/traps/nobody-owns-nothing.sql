-- A null-safe comparison makes the stations without an owner belong to a token without a
-- user.
alter table public.stations enable row level security;
alter table public.readings enable row level security;

revoke all on public.stations, public.readings from anon, authenticated, service_role;

-- Privileges and policies of the parent count for what goes through the parent.
-- A partition asked by its own name has its own: without privileges it needs no policies.
revoke all on public.readings_2023, public.readings_2024, public.readings_rest
  from anon, authenticated, service_role;
grant select, delete on public.readings_2023, public.readings_2024, public.readings_rest
  to service_role;

grant select on public.stations to authenticated, service_role;
grant select on public.readings to anon;
grant select, insert on public.readings to authenticated;
grant select, delete on public.readings to service_role;

create policy stations_read_own on public.stations
  for select to authenticated
  using (owner_id is not distinct from (select auth.uid()));

create policy readings_public on public.readings
  for select to anon, authenticated
  using (public);

create policy readings_of_own_stations on public.readings
  for select to authenticated
  using (exists (
    select from public.stations s
    where s.id = readings.station_id and s.owner_id is not distinct from (select auth.uid())
  ));

create policy readings_add on public.readings
  for insert to authenticated
  with check (exists (
    select from public.stations s
    where s.id = readings.station_id and s.owner_id is not distinct from (select auth.uid())
  ));
