-- Policies stop reading and changing rows, but GRANT ALL includes TRUNCATE, which no policy is asked about.
alter table public.suggestions enable row level security;

revoke all on public.suggestions from anon, authenticated, service_role;
grant all on public.suggestions to anon, authenticated;
grant select, update, delete on public.suggestions to service_role;

create policy visitors_suggest on public.suggestions
  for insert to anon
  with check (sender_id is null and status = 'new');

create policy users_suggest on public.suggestions
  for insert to authenticated
  with check ((sender_id is null or sender_id = (select auth.uid())) and status = 'new');
