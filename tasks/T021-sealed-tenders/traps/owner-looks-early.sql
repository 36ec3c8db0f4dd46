-- The owner sees the offers of their tenders, whenever.
alter table public.tenders enable row level security;
alter table public.offers enable row level security;

revoke all on public.tenders, public.offers from anon, authenticated, service_role;
grant select on public.tenders to authenticated;
grant select, insert, update (amount), delete on public.offers to authenticated;
grant select, insert, update on public.tenders to service_role;
grant select on public.offers to service_role;

create policy tenders_read on public.tenders
  for select to authenticated
  using (owner_id = (select auth.uid()) or (published and opens_at <= now()));

create policy offers_read_own on public.offers
  for select to authenticated
  using (bidder_id = (select auth.uid()));

create policy offers_opened on public.offers
  for select to authenticated
  using (exists (
    select from public.tenders t
    where t.id = offers.tender_id
      and t.owner_id = (select auth.uid())
  ));

create policy offers_add on public.offers
  for insert to authenticated
  with check (
    bidder_id = (select auth.uid())
    and exists (
      select from public.tenders t
      where t.id = offers.tender_id
        and t.owner_id <> (select auth.uid())
        and t.published
        and t.opens_at <= now()
        and (t.closes_at is null or now() < t.closes_at)
    )
  );

create policy offers_change on public.offers
  for update to authenticated
  using (
    bidder_id = (select auth.uid())
    and exists (
      select from public.tenders t
      where t.id = offers.tender_id
        and t.opens_at <= now()
        and (t.closes_at is null or now() < t.closes_at)
    )
  );

create policy offers_withdraw on public.offers
  for delete to authenticated
  using (
    bidder_id = (select auth.uid())
    and exists (
      select from public.tenders t
      where t.id = offers.tender_id
        and t.opens_at <= now()
        and (t.closes_at is null or now() < t.closes_at)
    )
  );
