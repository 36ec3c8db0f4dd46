create table public.packing_lists (
  id       bigint primary key,
  owner_id uuid not null,
  title    text not null
);
create table public.packing_shares (
  list_id  bigint not null references public.packing_lists (id) on delete cascade,
  user_id  uuid not null,
  can_edit boolean not null default false,
  primary key (list_id, user_id)
);
create table public.packing_items (
  id      bigint primary key,
  list_id bigint not null references public.packing_lists (id) on delete cascade,
  label   text not null,
  packed  boolean not null default false
);
create index on public.packing_lists (owner_id);
create index on public.packing_shares (user_id);
create index on public.packing_items (list_id);
