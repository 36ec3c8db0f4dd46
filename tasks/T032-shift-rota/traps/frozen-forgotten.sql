-- Lets workers change every shift of theirs, frozen or not.
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
  using (worker_id = (select auth.uid()));

-- The policies let only rows through that are the worker's and not frozen,
-- before and after. The id is the one column left that they do not see.
create function public.shift_keeps_its_id() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'the number of a shift is changed by planners only' using errcode = '42501';
end
$$;
create trigger shift_keeps_its_id
  before update on public.shifts
  for each row
  when (new.id <> old.id and auth.jwt() -> 'app_metadata' ->> 'role' is distinct from 'planner')
  execute function public.shift_keeps_its_id();
