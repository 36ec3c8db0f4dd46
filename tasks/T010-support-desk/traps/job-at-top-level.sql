-- Looks for the job at the top of the token, where anything but the servers' entry is.
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
    (select auth.jwt() ->> 'job') = 'agent'
    or (select auth.jwt() ->> 'job') = 'admin'
  );

create policy open_own on public.tickets
  for insert to authenticated
  with check (customer_id = (select auth.uid()) and status = 'open');

create policy staff_change on public.tickets
  for update to authenticated
  using (
    (select auth.jwt() ->> 'job') = 'agent'
    or (select auth.jwt() ->> 'job') = 'admin'
  );

create policy admins_delete on public.tickets
  for delete to authenticated
  using ((select auth.jwt() ->> 'job') = 'admin');
