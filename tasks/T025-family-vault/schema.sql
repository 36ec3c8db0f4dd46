create table public.vault_items (
  id       bigint primary key,
  owner_id uuid not null,
  label    text not null,
  secret   text not null,
  shared   boolean not null default false
);
create table public.second_factors (
  user_id uuid primary key                  -- who has enrolled a second factor
);
create index on public.vault_items (owner_id);

-- As the app has it so far.
grant select, insert, update, delete on public.vault_items, public.second_factors
  to anon, authenticated, service_role;
