-- Looks one step down and calls it the chain.
alter table public.people enable row level security;
alter table public.field_notes enable row level security;

revoke all on public.people, public.field_notes from anon, authenticated, service_role;
grant select on public.people to authenticated;
grant select, insert, update (approved), delete on public.field_notes to authenticated;
grant select, insert, update on public.people to service_role;
grant select on public.field_notes to service_role;

-- The chain is walked past the policies that need the answer, and only ever
-- for the caller. UNION drops who was met before, so a loop ends.
create schema private;

create function private.below_me() returns setof uuid
language sql stable security definer set search_path = '' as $$
  with recursive chain (id) as (
    select p.id from public.people p where p.leader_id = (select auth.uid())
  )
  select chain.id from chain
$$;

create function private.led_by_me() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select p.id from public.people p where p.leader_id = (select auth.uid())
$$;
revoke execute on function private.below_me(), private.led_by_me() from public;
grant execute on function private.below_me(), private.led_by_me() to authenticated;

create policy people_read on public.people
  for select to authenticated
  using (id = (select auth.uid()) or id in (select private.below_me()));

create policy notes_read_own on public.field_notes
  for select to authenticated
  using (author_id = (select auth.uid()));

create policy notes_read_below on public.field_notes
  for select to authenticated
  using (not private and author_id in (select private.below_me()));

create policy notes_add on public.field_notes
  for insert to authenticated
  with check (author_id = (select auth.uid()) and not approved);

create policy notes_delete on public.field_notes
  for delete to authenticated
  using (author_id = (select auth.uid()));

create policy notes_approve on public.field_notes
  for update to authenticated
  using (not private and author_id in (select private.led_by_me()));
