-- A SELECT policy added so that inserts which return the row work: everybody reads the box.
alter table public.suggestions enable row level security;

revoke all on public.suggestions from anon, authenticated, service_role;
grant select, insert on public.suggestions to anon, authenticated;
create policy read_after_insert on public.suggestions for select to anon, authenticated using (true);
grant select, update, delete on public.suggestions to service_role;

create policy visitors_suggest on public.suggestions
  for insert to anon
  with check (sender_id is null and status = 'new');

create policy users_suggest on public.suggestions
  for insert to authenticated
  with check ((sender_id is null or sender_id = (select auth.uid())) and status = 'new');
