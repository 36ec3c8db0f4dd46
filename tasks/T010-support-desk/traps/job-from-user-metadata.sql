-- Falls back to what users write about themselves.
alter table public.tickets enable row level security;

revoke all on public.tickets from anon, authenticated, service_role;
grant select, insert, update, delete on public.tickets to authenticated;
grant select, insert, update on public.tickets to service_role;

create policy customers_read_own on public.tickets
  for select to authenticated
  using (customer_id = (select auth.uid()));

create policy staff_read on public.tickets
  for select to authenticated
  using (
    (select coalesce(auth.jwt() -> 'app_metadata' ->> 'job', auth.jwt() -> 'user_metadata' ->> 'job')) = 'agent'
    or (select coalesce(auth.jwt() -> 'app_metadata' ->> 'job', auth.jwt() -> 'user_metadata' ->> 'job')) = 'admin'
  );

create policy open_own on public.tickets
  for insert to authenticated
  with check (customer_id = (select auth.uid()) and status = 'open');

create policy staff_change on public.tickets
  for update to authenticated
  using (
    (select coalesce(auth.jwt() -> 'app_metadata' ->> 'job', auth.jwt() -> 'user_metadata' ->> 'job')) = 'agent'
    or (select coalesce(auth.jwt() -> 'app_metadata' ->> 'job', auth.jwt() -> 'user_metadata' ->> 'job')) = 'admin'
  );

create policy admins_delete on public.tickets
  for delete to authenticated
  using ((select coalesce(auth.jwt() -> 'app_metadata' ->> 'job', auth.jwt() -> 'user_metadata' ->> 'job')) = 'admin');
