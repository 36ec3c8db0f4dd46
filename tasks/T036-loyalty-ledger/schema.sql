create table public.accounts (
  id       bigint primary key,
  owner_id uuid not null unique
);
create table public.entries (
  id         bigint primary key,
  account_id bigint not null references public.accounts (id) on delete cascade on update cascade,
  points     integer not null,
  reason     text not null default ''
);
create index on public.entries (account_id);

-- As the app has it so far.
grant all on public.accounts, public.entries to anon, authenticated, service_role;
