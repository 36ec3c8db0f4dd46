create table public.stations (
  id       text primary key,
  owner_id uuid                             -- null: run by the service itself
);
create table public.readings (
  station_id text not null references public.stations (id),
  taken_on   date not null,
  celsius    numeric not null,
  public     boolean not null default false,
  primary key (station_id, taken_on)
) partition by range (taken_on);
create table public.readings_2023 partition of public.readings
  for values from ('2023-01-01') to ('2024-01-01');
create table public.readings_2024 partition of public.readings
  for values from ('2024-01-01') to ('2025-01-01');
create table public.readings_rest partition of public.readings default;

-- As the app has it so far.
grant select, insert, update, delete on all tables in schema public
  to anon, authenticated, service_role;
