-- The grant lets authors set the club of a post; a member of two clubs moves posts
-- between them.
create schema private;

create function private.members_of(club bigint) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.user_id from public.club_members m
  where m.club_id = club and m.joined_at is not null
$$;

create function private.hosts_of(club bigint) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.user_id from public.club_members m
  where m.club_id = club and m.joined_at is not null and m.rank = 'host'
$$;

revoke all on public.clubs, public.club_members, public.posts from anon, authenticated, service_role;
grant select on public.clubs to authenticated;
grant select, insert, delete, update (joined_at) on public.club_members to authenticated;
grant select, insert, delete, update on public.posts to authenticated;
grant select, insert, update, delete on public.clubs, public.club_members, public.posts to service_role;

alter table public.clubs enable row level security;
alter table public.club_members enable row level security;
alter table public.posts enable row level security;

create policy clubs_read on public.clubs
  for select to authenticated
  using (id in (
    select m.club_id from public.club_members m
    where m.user_id = (select auth.uid()) and m.joined_at is not null
  ));

create policy members_read on public.club_members
  for select to authenticated
  using (
    user_id = (select auth.uid())
    or (select auth.uid()) in (select private.members_of(club_id))
  );

create policy hosts_invite on public.club_members
  for insert to authenticated
  with check (
    (select auth.uid()) in (select private.hosts_of(club_id))
    and rank = 'member' and joined_at is null
  );

create policy accept_own on public.club_members
  for update to authenticated
  using (user_id = (select auth.uid()));

create policy leave_or_remove on public.club_members
  for delete to authenticated
  using (
    user_id = (select auth.uid())
    or (select auth.uid()) in (select private.hosts_of(club_id))
  );

create policy posts_read on public.posts
  for select to authenticated
  using (club_id in (
    select m.club_id from public.club_members m
    where m.user_id = (select auth.uid()) and m.joined_at is not null
  ));

create policy posts_add on public.posts
  for insert to authenticated
  with check (author_id = (select auth.uid()) and club_id in (
    select m.club_id from public.club_members m
    where m.user_id = (select auth.uid()) and m.joined_at is not null
  ));

create policy posts_change_own on public.posts
  for update to authenticated
  using (author_id = (select auth.uid()) and club_id in (
    select m.club_id from public.club_members m
    where m.user_id = (select auth.uid()) and m.joined_at is not null
  ));

create policy posts_delete on public.posts
  for delete to authenticated
  using (
    (select auth.uid()) in (select private.hosts_of(club_id))
    or author_id = (select auth.uid())
      and (select auth.uid()) in (select private.members_of(club_id))
  );
