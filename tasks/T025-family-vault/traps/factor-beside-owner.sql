-- Asks for the second factor in a permissive policy beside the one for owners. They are
-- joined by OR: one of them is enough.
alter table public.vault_items enable row level security;
alter table public.second_factors enable row level security;

revoke all on public.vault_items, public.second_factors from anon, authenticated, service_role;
grant select, insert, update, delete on public.vault_items to authenticated;
grant select, insert, delete on public.second_factors to service_role;

-- Users must not see the table, so the policy cannot ask it in their name. Nobody may use
-- the schema: the policy calls the function, people cannot.
create schema private;

create function private.has_second_factor() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.second_factors f where f.user_id = (select auth.uid()))
$$;

create policy vault_read_own on public.vault_items
  for select to authenticated
  using (owner_id = (select auth.uid()));

create policy vault_read_shared on public.vault_items
  for select to authenticated
  using (shared and (select auth.jwt() ->> 'aal') = 'aal2');

create policy vault_add on public.vault_items
  for insert to authenticated
  with check (owner_id = (select auth.uid()) and (select auth.jwt() ->> 'aal') = 'aal2');

create policy vault_change on public.vault_items
  for update to authenticated
  using (owner_id = (select auth.uid()) and (select auth.jwt() ->> 'aal') = 'aal2');

create policy vault_delete on public.vault_items
  for delete to authenticated
  using (owner_id = (select auth.uid()) and (select auth.jwt() ->> 'aal') = 'aal2');

create policy second_factor on public.vault_items
  for select to authenticated
  using ((select auth.jwt() ->> 'aal') = 'aal2' and shared);
