create table public.kiosk_staff (
  kiosk   text not null,
  user_id uuid not null,
  primary key (kiosk, user_id)
);
create table public.orders (
  id       bigint primary key,
  kiosk    text not null,
  item     text not null,
  cents    integer not null,
  status   text not null default 'new'
);
create index on public.kiosk_staff (user_id);
create index on public.orders (kiosk);

-- As the app has it so far.
grant select, insert, update, delete on public.kiosk_staff, public.orders
  to anon, authenticated, service_role;
