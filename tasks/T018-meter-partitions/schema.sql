create table public.site_staff (
  site_id integer not null,
  user_id uuid not null,
  ended   boolean not null default false,
  primary key (site_id, user_id)
);
create index on public.site_staff (user_id);

create table public.readings (
  id      bigint not null,
  site_id integer not null,
  day     date not null,
  kwh     integer not null,
  note    text not null default '',
  primary key (id, day)
) partition by range (day);
create table public.readings_2023 partition of public.readings for values from ('2023-01-01') to ('2024-01-01');
create table public.readings_2024 partition of public.readings for values from ('2024-01-01') to ('2025-01-01');
create table public.readings_other partition of public.readings default;
create index on public.readings (site_id);

-- The project was set up when all new tables were granted to all roles.
grant all on all tables in schema public to anon, authenticated, service_role;
