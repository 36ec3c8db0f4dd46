-- Writes no policies for changing entries and leaves the servers the privileges. Policies do
-- not bind them.
alter table public.accounts enable row level security;
alter table public.entries enable row level security;

-- service_role bypasses policies. What stops it is not having the privilege:
-- on the entries, and on the accounts, whose deletion and change would cascade.
revoke all on public.accounts, public.entries from anon, authenticated, service_role;
grant select, insert on public.accounts to authenticated;
grant select on public.entries to authenticated;

grant select on public.accounts to service_role;
grant select, insert, update, delete on public.entries to service_role;

create policy accounts_read_own on public.accounts
  for select to authenticated
  using (owner_id = (select auth.uid()));

create policy accounts_open on public.accounts
  for insert to authenticated
  with check (owner_id = (select auth.uid()));

create policy entries_read_own on public.entries
  for select to authenticated
  using (exists (
    select from public.accounts a
    where a.id = entries.account_id and a.owner_id = (select auth.uid())
  ));

create view public.balances with (security_invoker) as
  select a.id as account_id, coalesce(sum(e.points), 0)::integer as points
  from public.accounts a
  left join public.entries e on e.account_id = a.id
  group by a.id;

revoke all on public.balances from anon, authenticated, service_role;
grant select on public.balances to authenticated, service_role;
