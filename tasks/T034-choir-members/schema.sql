create table public.choirs (
  id   bigint primary key,
  name text not null
);
create table public.join_codes (
  choir_id bigint primary key references public.choirs (id),
  code     text not null unique
);
create table public.memberships (
  choir_id bigint not null references public.choirs (id),
  user_id  uuid not null,
  voice    text not null default '',
  is_admin boolean not null default false,
  primary key (choir_id, user_id)
);
create index on public.memberships (user_id);

-- As the app has it so far.
grant select, insert, update, delete on public.choirs, public.join_codes, public.memberships
  to anon, authenticated, service_role;
