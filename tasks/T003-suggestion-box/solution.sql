alter table public.suggestions enable row level security;

-- TRUNCATE does not ask policies, so no more is granted than what the rules say.
revoke all on public.suggestions from anon, authenticated, service_role;
grant insert on public.suggestions to anon, authenticated;
grant select, update, delete on public.suggestions to service_role;

create policy visitors_suggest on public.suggestions
  for insert to anon
  with check (sender_id is null and status = 'new');

create policy users_suggest on public.suggestions
  for insert to authenticated
  with check ((sender_id is null or sender_id = (select auth.uid())) and status = 'new');
