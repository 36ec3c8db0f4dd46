create table public.open_nights (
  night date primary key                    -- a calendar day in UTC
);
create table public.observations (
  id          bigint primary key,
  observer_id uuid,
  seen_at     timestamptz not null,
  target      text not null
);
create index on public.observations (observer_id);
