-- Leaves the condition out of the view, hoping for the policies below it.
alter table public.crew enable row level security;

revoke all on public.crew from anon, authenticated, service_role;
grant select, update (phone, listed) on public.crew to authenticated;
grant select, insert, update, delete on public.crew to service_role;

create policy crew_read_own on public.crew
  for select to authenticated
  using (id = (select auth.uid()));

create policy crew_change_own on public.crew
  for update to authenticated
  using (id = (select auth.uid()));

-- The view runs with the rights of its owner: it is meant to show rows that
-- the policies of the table hide, and only these columns.
create view public.crew_directory with (security_barrier) as
  select id, name, station from public.crew;

revoke all on public.crew_directory from anon, authenticated, service_role;
grant select on public.crew_directory to authenticated;

create function public.medical_notes() returns table (id uuid, medical_note text)
language sql stable security definer set search_path = '' as $$
  select c.id, c.medical_note
  from public.crew c
  where c.medical_note <> ''
    and (select auth.jwt() -> 'app_metadata' ->> 'role') = 'medic'
$$;

revoke execute on function public.medical_notes() from public, anon, authenticated, service_role;
grant execute on function public.medical_notes() to authenticated;
