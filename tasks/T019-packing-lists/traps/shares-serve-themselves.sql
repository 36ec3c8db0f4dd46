-- Lets users write the shares that bear their own id.
alter table public.packing_lists enable row level security;
alter table public.packing_shares enable row level security;
alter table public.packing_items enable row level security;

revoke all on public.packing_lists, public.packing_shares, public.packing_items
  from anon, authenticated, service_role;
grant select, insert, update, delete
  on public.packing_lists, public.packing_shares, public.packing_items to authenticated;
grant select on public.packing_lists, public.packing_shares, public.packing_items to service_role;

-- Lists and shares ask about each other, so each asks past the other's policies.
create schema private;

create function private.owns_list(list bigint) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.packing_lists l
    where l.id = list and l.owner_id = (select auth.uid()))
$$;

create function private.has_share(list bigint, to_edit boolean) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.packing_shares s
    where s.list_id = list and s.user_id = (select auth.uid()) and (s.can_edit or not to_edit))
$$;
revoke execute on function private.owns_list(bigint), private.has_share(bigint, boolean) from public;
grant execute on function private.owns_list(bigint), private.has_share(bigint, boolean) to authenticated;

create policy lists_read on public.packing_lists
  for select to authenticated
  using (owner_id = (select auth.uid()) or private.has_share(id, false));

create policy lists_create on public.packing_lists
  for insert to authenticated
  with check (owner_id = (select auth.uid()));

create policy lists_rename on public.packing_lists
  for update to authenticated
  using (owner_id = (select auth.uid()));

create policy lists_delete on public.packing_lists
  for delete to authenticated
  using (owner_id = (select auth.uid()));

create policy shares_read on public.packing_shares
  for select to authenticated
  using (user_id = (select auth.uid()) or private.owns_list(list_id));

create policy shares_give on public.packing_shares
  for insert to authenticated
  with check (user_id = (select auth.uid()) or private.owns_list(list_id));

create policy shares_change on public.packing_shares
  for update to authenticated
  using (user_id = (select auth.uid()) or private.owns_list(list_id));

create policy shares_withdraw on public.packing_shares
  for delete to authenticated
  using (user_id = (select auth.uid()) or private.owns_list(list_id));

create policy items_read on public.packing_items
  for select to authenticated
  using (private.owns_list(list_id) or private.has_share(list_id, false));

create policy items_add on public.packing_items
  for insert to authenticated
  with check (private.owns_list(list_id) or private.has_share(list_id, true));

create policy items_change on public.packing_items
  for update to authenticated
  using (private.owns_list(list_id) or private.has_share(list_id, true));

create policy items_delete on public.packing_items
  for delete to authenticated
  using (private.owns_list(list_id) or private.has_share(list_id, true));
