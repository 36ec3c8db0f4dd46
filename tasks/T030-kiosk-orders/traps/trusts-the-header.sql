-- Takes the kiosk from a header. Whoever sends a request writes its headers; SQL has none,
-- so it looks right there.
alter table public.kiosk_staff enable row level security;
alter table public.orders enable row level security;

revoke all on public.kiosk_staff, public.orders from anon, authenticated, service_role;
grant select on public.kiosk_staff to authenticated;
grant select, insert, update (status) on public.orders to authenticated;
grant select, delete on public.orders to service_role;
grant select, insert, delete on public.kiosk_staff to service_role;

create policy staff_read_own on public.kiosk_staff
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy orders_read on public.orders
  for select to authenticated
  using (
    kiosk in (select s.kiosk from public.kiosk_staff s where s.user_id = (select auth.uid()))
    or kiosk = (nullif(current_setting('request.headers', true), '')::json ->> 'x-kiosk')
  );

create policy orders_add on public.orders
  for insert to authenticated
  with check (
    status = 'new'
    and kiosk in (
      select s.kiosk from public.kiosk_staff s where s.user_id = (select auth.uid())
    )
  );

create policy orders_serve on public.orders
  for update to authenticated
  using (kiosk in (
    select s.kiosk from public.kiosk_staff s where s.user_id = (select auth.uid())
  ));
