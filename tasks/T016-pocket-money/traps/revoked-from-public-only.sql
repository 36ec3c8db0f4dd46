-- Revokes from PUBLIC. The roles have grants of their own, which stay.
alter table public.wallets enable row level security;
alter table public.household_members enable row level security;

revoke all on public.wallets, public.household_members from anon, authenticated;
grant select on public.wallets, public.household_members to authenticated;

revoke execute on function
  public.same_household(uuid), public.send_credit(uuid, integer),
  public.add_credit(uuid, integer), public.total_credit()
  from public;
grant execute on function public.same_household(uuid), public.send_credit(uuid, integer) to authenticated;

create policy household_wallets on public.wallets
  for select to authenticated
  using (user_id = (select auth.uid()) or public.same_household(user_id));

create policy own_membership on public.household_members
  for select to authenticated
  using (user_id = (select auth.uid()));
