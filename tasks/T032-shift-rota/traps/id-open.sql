-- Takes the policies for enough and leaves the number of a shift open.
alter table public.shifts enable row level security;

-- Policies do not cover TRUNCATE: start from nothing.
revoke all on public.shifts from anon, authenticated, service_role;
grant select, insert, update, delete on public.shifts to authenticated;
grant select on public.shifts to service_role;

create policy shifts_read on public.shifts
  for select to authenticated
  using (worker_id = (select auth.uid()) or (select auth.jwt() -> 'app_metadata' ->> 'role') = 'planner');

create policy shifts_plan on public.shifts
  for insert to authenticated
  with check ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'planner');

create policy shifts_replan on public.shifts
  for update to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'planner');

create policy shifts_cancel on public.shifts
  for delete to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'planner');

create policy shifts_move on public.shifts
  for update to authenticated
  using (worker_id = (select auth.uid()) and not frozen);
