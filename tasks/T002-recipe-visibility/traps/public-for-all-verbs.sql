-- One policy for all verbs: what everybody may read, everybody may change and delete.
alter table public.recipes enable row level security;

revoke all on public.recipes from anon, authenticated, service_role;
grant select, insert, update, delete on public.recipes to anon;
grant select, insert, update, delete on public.recipes to authenticated;
grant select, update, delete on public.recipes to service_role;

create policy public_recipes on public.recipes
  for all to anon, authenticated
  using (visibility = 'public');

create policy own_recipes on public.recipes
  for select to authenticated
  using (author_id = (select auth.uid()));

create policy add_own on public.recipes
  for insert to authenticated
  with check (author_id = (select auth.uid()));

create policy change_own on public.recipes
  for update to authenticated
  using (author_id = (select auth.uid()));

create policy delete_own on public.recipes
  for delete to authenticated
  using (author_id = (select auth.uid()));
