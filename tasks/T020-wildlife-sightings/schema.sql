create table public.sightings (
  id          bigint primary key,
  region      text not null,
  species     text not null,
  endangered  boolean not null default false,
  verified    boolean not null default false,
  reporter_id uuid not null
);
create index on public.sightings (region);
create index on public.sightings (reporter_id);
