-- Accepts the user's id in any folder of the path, not only in the first.
alter table public.files enable row level security;
alter table public.team_members enable row level security;

revoke all on public.files, public.team_members from anon, authenticated, service_role;
grant select on public.files to anon;
grant select, insert, update, delete on public.files to authenticated;
grant select on public.team_members to authenticated;
grant select, delete on public.files to service_role;
grant select, insert, delete on public.team_members to service_role;

create policy members_read_own on public.team_members
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy avatars_read on public.files
  for select to anon, authenticated
  using (bucket = 'avatars');

create policy own_folder on public.files
  for all to authenticated
  using (
    bucket in ('avatars', 'personal')
    and (select auth.uid()::text) = any (storage.foldername(name))
  );

create policy teams_read on public.files
  for select to authenticated
  using (
    bucket = 'teams'
    and (storage.foldername(name))[1] in (
      select m.team from public.team_members m where m.user_id = (select auth.uid()))
  );

create policy teams_add on public.files
  for insert to authenticated
  with check (
    bucket = 'teams'
    and owner_id = (select auth.uid())
    and (storage.foldername(name))[1] in (
      select m.team from public.team_members m where m.user_id = (select auth.uid()))
  );

create policy teams_change_own on public.files
  for update to authenticated
  using (
    bucket = 'teams'
    and owner_id = (select auth.uid())
    and (storage.foldername(name))[1] in (
      select m.team from public.team_members m where m.user_id = (select auth.uid()))
  );

create policy teams_delete_own on public.files
  for delete to authenticated
  using (
    bucket = 'teams'
    and owner_id = (select auth.uid())
    and (storage.foldername(name))[1] in (
      select m.team from public.team_members m where m.user_id = (select auth.uid()))
  );
