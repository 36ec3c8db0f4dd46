-- Leaves the views with all privileges, as default privileges would: writes go through
-- with the owner's rights.
alter table public.employees enable row level security;

revoke all on public.employees from anon, authenticated, service_role;
grant select (id, name) on public.employees to anon;
grant select (id, name, department), update (phone) on public.employees to authenticated;
grant select, insert, update, delete on public.employees to service_role;

create policy directory on public.employees
  for select to authenticated
  using (left_on is null);

create policy press_contacts on public.employees
  for select to anon
  using (is_press and left_on is null);

create policy change_own_phone on public.employees
  for update to authenticated
  using (user_id = (select auth.uid()));

create view public.my_record with (security_barrier) as
  select id, name, department, phone, salary_cents
  from public.employees
  where user_id = (select auth.uid());

create view public.team_phones with (security_barrier) as
  select e.name, e.phone
  from public.employees e
  where e.left_on is null
    and e.department = (
      select me.department from public.employees me
      where me.user_id = (select auth.uid()) and me.left_on is null
    );

revoke all on public.my_record, public.team_phones from anon, authenticated, service_role;
grant all on public.my_record, public.team_phones to authenticated;
