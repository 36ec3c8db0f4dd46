alter table public.wallets enable row level security;
alter table public.household_members enable row level security;

-- service_role keeps what the schema grants it.
revoke all on public.wallets, public.household_members from anon, authenticated;
grant select on public.wallets, public.household_members to authenticated;

-- EXECUTE was granted to PUBLIC by PostgreSQL and to the roles by the schema: both must
-- go. A policy calls its functions as the user, so same_household stays with them.
revoke execute on function
  public.same_household(uuid), public.send_credit(uuid, integer),
  public.add_credit(uuid, integer), public.total_credit()
  from public, anon, authenticated;
grant execute on function public.same_household(uuid), public.send_credit(uuid, integer) to authenticated;

create policy household_wallets on public.wallets
  for select to authenticated
  using (user_id = (select auth.uid()) or public.same_household(user_id));

create policy own_membership on public.household_members
  for select to authenticated
  using (user_id = (select auth.uid()));
