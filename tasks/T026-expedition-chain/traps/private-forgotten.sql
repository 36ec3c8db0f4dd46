-- Shows leaders everything that their people write.
alter table public.people enable row level security;
alter table public.field_notes enable row level security;

revoke all on public.people, public.field_notes from anon, authenticated, service_role;
grant select on public.people to authenticated;
grant select, insert, update (approved), delete on public.field_notes to authenticated;
grant select, insert, update on public.people to service_role;
grant select on public.field_notes to service_role;

-- The chain is walked past the policies that need the answer. UNION drops who was met
-- before, so a loop ends. Nobody may use the schema: policies call the functions, people
-- cannot.
create schema private;

create function private.leader_of(person uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select p.leader_id from public.people p where p.id = person
$$;

create function private.all_leaders_of(person uuid) returns setof uuid
language sql stable security definer set search_path = '' as $$
  with recursive chain (id) as (
    select p.leader_id from public.people p where p.id = person
    union
    select p.leader_id from public.people p join chain c on p.id = c.id
  )
  select chain.id from chain
$$;

create policy people_read on public.people
  for select to authenticated
  using (
    id = (select auth.uid())
    or (select auth.uid()) in (select private.all_leaders_of(id))
  );

create policy notes_read_own on public.field_notes
  for select to authenticated
  using (author_id = (select auth.uid()));

create policy notes_read_below on public.field_notes
  for select to authenticated
  using ((select auth.uid()) in (select private.all_leaders_of(author_id)));

create policy notes_add on public.field_notes
  for insert to authenticated
  with check (author_id = (select auth.uid()) and not approved);

create policy notes_delete on public.field_notes
  for delete to authenticated
  using (author_id = (select auth.uid()));

create policy notes_approve on public.field_notes
  for update to authenticated
  using ((select auth.uid()) = private.leader_of(author_id));
