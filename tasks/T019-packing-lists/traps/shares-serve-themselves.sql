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
-- Nobody may use the schema: policies call the functions, people cannot.
create schema private;

create function private.owner_of(list bigint) returns uuid
language sql stable security definer set search_path = '' as $$
  select l.owner_id from public.packing_lists l where l.id = list
$$;

create function private.users_of(list bigint, to_edit boolean) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select s.user_id from public.packing_shares s
  where s.list_id = list and (s.can_edit or not to_edit)
$$;

create policy lists_read on public.packing_lists
  for select to authenticated
  using (
    owner_id = (select auth.uid())
    or (select auth.uid()) in (select private.users_of(id, false))
  );

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
  using (
    user_id = (select auth.uid())
    or (select auth.uid()) = private.owner_of(list_id)
  );

create policy shares_give on public.packing_shares
  for insert to authenticated
  with check (user_id = (select auth.uid()) or (select auth.uid()) = private.owner_of(list_id));

create policy shares_change on public.packing_shares
  for update to authenticated
  using (user_id = (select auth.uid()) or (select auth.uid()) = private.owner_of(list_id));

create policy shares_withdraw on public.packing_shares
  for delete to authenticated
  using (
    user_id = (select auth.uid())
    or (select auth.uid()) = private.owner_of(list_id)
  );

create policy items_read on public.packing_items
  for select to authenticated
  using (
    (select auth.uid()) = private.owner_of(list_id)
    or (select auth.uid()) in (select private.users_of(list_id, false))
  );

create policy items_add on public.packing_items
  for insert to authenticated
  with check (
    (select auth.uid()) = private.owner_of(list_id)
    or (select auth.uid()) in (select private.users_of(list_id, true))
  );

create policy items_change on public.packing_items
  for update to authenticated
  using (
    (select auth.uid()) = private.owner_of(list_id)
    or (select auth.uid()) in (select private.users_of(list_id, true))
  );

create policy items_delete on public.packing_items
  for delete to authenticated
  using (
    (select auth.uid()) = private.owner_of(list_id)
    or (select auth.uid()) in (select private.users_of(list_id, true))
  );
