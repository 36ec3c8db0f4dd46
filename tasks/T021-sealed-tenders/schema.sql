create table public.tenders (
  id         bigint primary key,
  owner_id   uuid not null,
  title      text not null,
  published  boolean not null default false,
  opens_at   timestamptz not null,
  closes_at  timestamptz                    -- null: no end is set yet
);
create table public.offers (
  id         bigint primary key,
  tender_id  bigint not null references public.tenders (id),
  bidder_id  uuid not null,
  amount     integer not null,
  terms      text not null default ''
);
create index on public.offers (tender_id);
create index on public.offers (bidder_id);
