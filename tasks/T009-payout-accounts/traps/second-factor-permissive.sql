-- The policies for the second factor are permissive: either condition is enough.
alter table public.payout_accounts enable row level security;

revoke all on public.payout_accounts from anon, authenticated, service_role;
grant select, insert, update, delete on public.payout_accounts to authenticated;
grant select on public.payout_accounts to service_role;

create policy own_accounts on public.payout_accounts
  for all to authenticated
  using (owner_id = (select auth.uid()));

create policy add_with_second_factor on public.payout_accounts
  for insert
  with check ((select auth.jwt() ->> 'aal') = 'aal2');

create policy change_with_second_factor on public.payout_accounts
  for update
  using ((select auth.jwt() ->> 'aal') = 'aal2');

create policy delete_with_second_factor on public.payout_accounts
  for delete
  using ((select auth.jwt() ->> 'aal') = 'aal2');
