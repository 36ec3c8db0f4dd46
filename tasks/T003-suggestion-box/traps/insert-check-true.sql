-- Anything goes in: other people's names, and suggestions that are done from the start.
alter table public.suggestions enable row level security;

revoke all on public.suggestions from anon, authenticated, service_role;
grant insert on public.suggestions to anon, authenticated;
grant select, update, delete on public.suggestions to service_role;

create policy visitors_suggest on public.suggestions
  for insert to anon
  with check (true);

create policy users_suggest on public.suggestions
  for insert to authenticated
  with check (true);
