-- Senders may read what they sent, which the rules do not give them.
alter table public.suggestions enable row level security;

revoke all on public.suggestions from anon, authenticated, service_role;
grant insert on public.suggestions to anon, authenticated;
grant select on public.suggestions to authenticated;
create policy own_suggestions on public.suggestions for select to authenticated using (sender_id = (select auth.uid()));
grant select, update, delete on public.suggestions to service_role;

create policy visitors_suggest on public.suggestions
  for insert to anon
  with check (sender_id is null and status = 'new');

create policy users_suggest on public.suggestions
  for insert to authenticated
  with check ((sender_id is null or sender_id = (select auth.uid())) and status = 'new');
