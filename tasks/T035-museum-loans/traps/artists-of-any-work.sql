-- Shows every artist who has a work, by a function that sees all works.
alter table public.artists enable row level security;
alter table public.works enable row level security;
alter table public.loans enable row level security;

-- Visitors see no loan, but they may ask: a request that embeds a table needs
-- the privilege to read it.
revoke all on public.artists, public.works, public.loans from anon, authenticated, service_role;
grant select on public.artists, public.works, public.loans to anon, authenticated, service_role;
grant update (on_show) on public.works to authenticated;
grant insert on public.works, public.loans to service_role;

create policy works_on_show on public.works
  for select to anon, authenticated
  using (on_show);

create policy works_curated on public.works
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'curator');

create policy works_lent on public.works
  for select to authenticated
  using (id in (
    select l.work_id from public.loans l where l.lender_id = (select auth.uid())
  ));

create policy works_hang on public.works
  for update to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'curator');

create schema private;

create function private.has_work(artist bigint) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.works w where w.artist_id = artist)
$$;

create policy artists_of_visible_works on public.artists
  for select to anon, authenticated
  using (private.has_work(id));

create policy loans_of_lender on public.loans
  for select to authenticated
  using (lender_id = (select auth.uid()));

create policy loans_curated on public.loans
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'curator');
