-- service_role bypasses row level security, but a privilege that was revoked is missing to it as well.
alter table public.suggestions enable row level security;

revoke all on public.suggestions from anon, authenticated, service_role;
grant insert on public.suggestions to anon, authenticated;

create policy visitors_suggest on public.suggestions
  for insert to anon
  with check (sender_id is null and status = 'new');

create policy users_suggest on public.suggestions
  for insert to authenticated
  with check ((sender_id is null or sender_id = (select auth.uid())) and status = 'new');
