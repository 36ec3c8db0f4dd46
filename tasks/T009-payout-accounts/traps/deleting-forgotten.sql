-- Guards INSERT and UPDATE; DELETE goes through with the password alone.
alter table public.payout_accounts enable row level security;

revoke all on public.payout_accounts from anon, authenticated, service_role;
grant select, insert, update, delete on public.payout_accounts to authenticated;
grant select on public.payout_accounts to service_role;

create policy own_accounts on public.payout_accounts
  for all to authenticated
  using (owner_id = (select auth.uid()));

create policy add_with_second_factor on public.payout_accounts
  as restrictive for insert
  with check ((select auth.jwt() ->> 'aal') = 'aal2');

create policy change_with_second_factor on public.payout_accounts
  as restrictive for update
  using ((select auth.jwt() ->> 'aal') = 'aal2');
