-- A comparison with a null end is not true: notices without an end are hidden.
alter table public.notices enable row level security;

revoke all on public.notices from anon, authenticated, service_role;
grant select on public.notices to anon;
grant select, insert, update, delete on public.notices to authenticated;
grant select, delete on public.notices to service_role;

create policy current_notices on public.notices
  for select to anon, authenticated
  using (starts_at <= now() and ends_at > now());

create policy editors_read on public.notices
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'editor');

create policy editors_add on public.notices
  for insert to authenticated
  with check ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'editor');

create policy editors_change on public.notices
  for update to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'editor');

create policy editors_delete_drafts on public.notices
  for delete to authenticated
  using (starts_at is null and (select auth.jwt() -> 'app_metadata' ->> 'role') = 'editor');
