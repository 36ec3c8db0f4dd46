create table public.artists (
  id   bigint primary key,
  name text not null
);
create table public.works (
  id        bigint primary key,
  title     text not null,
  artist_id bigint not null references public.artists (id),
  on_show   boolean not null default false
);
create table public.loans (
  work_id   bigint primary key references public.works (id),
  lender_id uuid,                           -- null: anonymous lender
  value     integer not null
);
create index on public.works (artist_id);
create index on public.loans (lender_id);

-- As the app has it so far.
grant select, insert, update, delete on public.artists, public.works, public.loans
  to anon, authenticated, service_role;
