-- Asks whether the caller is an admin, and not of which choir.
alter table public.choirs enable row level security;
alter table public.join_codes enable row level security;
alter table public.memberships enable row level security;

revoke all on public.choirs, public.join_codes, public.memberships from anon, authenticated, service_role;
grant select on public.choirs to authenticated;
grant select, update (voice, is_admin), delete on public.memberships to authenticated;
grant select, insert on public.choirs, public.memberships to service_role;
grant select, insert, update on public.join_codes to service_role;

-- Policies of memberships must not read memberships under themselves. Nobody may use the
-- schema: policies call the functions, people cannot.
create schema private;

create function private.members_of(choir bigint) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.user_id from public.memberships m where m.choir_id = choir
$$;

create function private.admins_of(choir bigint) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.user_id from public.memberships m where m.choir_id = choir_id and m.is_admin
$$;

create policy choirs_read on public.choirs
  for select to authenticated
  using ((select auth.uid()) in (select private.members_of(id)));

create policy memberships_read on public.memberships
  for select to authenticated
  using ((select auth.uid()) in (select private.members_of(choir_id)));

create policy memberships_administer on public.memberships
  for update to authenticated
  using ((select auth.uid()) in (select private.admins_of(choir_id)));

-- The function sees the table as it was before the statement: a member who is
-- no admin stays none.
create policy memberships_own_voice on public.memberships
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (
    user_id = (select auth.uid())
    and is_admin = ((select auth.uid()) in (select private.admins_of(choir_id)))
  );

create policy memberships_end on public.memberships
  for delete to authenticated
  using (
    not is_admin
    and (
      user_id = (select auth.uid())
      or (select auth.uid()) in (select private.admins_of(choir_id))
    )
  );

create function public.join_choir(code text) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  choir bigint;
begin
  if auth.uid() is null then
    raise exception 'only users join choirs' using errcode = '42501';
  end if;
  select c.choir_id into choir from public.join_codes c where c.code = join_choir.code;
  if choir is not null then
    insert into public.memberships (choir_id, user_id) values (choir, auth.uid())
    on conflict do nothing;
  end if;
  return choir;
end
$$;

revoke execute on function public.join_choir(text) from public, anon, authenticated, service_role;
grant execute on function public.join_choir(text) to authenticated;
