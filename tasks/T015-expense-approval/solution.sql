-- Not exposed, and no role may name what is in it: policies find their functions anyway.
create schema private;

-- All units that the caller heads, directly or from above.
create function private.headed_units() returns setof bigint
language sql stable security definer set search_path = '' as $$
  with recursive headed as (
    select u.id from public.units u where u.head_id = (select auth.uid())
    union
    select u.id from public.units u join headed h on u.parent_id = h.id
  )
  select id from headed
$$;

revoke all on public.units, public.expenses from anon, authenticated, service_role;
grant select on public.units to anon, authenticated;
grant select, insert, delete, update (state) on public.expenses to authenticated;
grant select, insert, update, delete on public.units, public.expenses to service_role;

alter table public.units enable row level security;
alter table public.expenses enable row level security;

create policy units_read on public.units
  for select to anon, authenticated
  using (not closed);

create policy claimants_read on public.expenses
  for select to authenticated
  using (claimant_id = (select auth.uid()));

create policy heads_read on public.expenses
  for select to authenticated
  using (unit_id in (select private.headed_units()));

create policy claim_own on public.expenses
  for insert to authenticated
  with check (claimant_id = (select auth.uid()) and state = 'submitted');

create policy heads_decide on public.expenses
  for update to authenticated
  using (
    state = 'submitted'
    and claimant_id <> (select auth.uid())
    and unit_id in (select private.headed_units())
  )
  with check (state in ('approved', 'refused'));

create policy withdraw_own on public.expenses
  for delete to authenticated
  using (claimant_id = (select auth.uid()) and state = 'submitted');
