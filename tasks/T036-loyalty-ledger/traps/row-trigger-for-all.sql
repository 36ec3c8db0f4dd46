-- Refuses changes by a trigger for rows, which TRUNCATE does not fire, and leaves the
-- privileges.
alter table public.accounts enable row level security;
alter table public.entries enable row level security;

-- service_role bypasses policies. What stops it is not having the privilege:
-- on the entries, and on the accounts, whose deletion and change would cascade.
revoke all on public.accounts, public.entries from anon, authenticated;
revoke insert, update, delete, truncate on public.accounts from service_role;
grant select, insert on public.accounts to authenticated;
grant select on public.entries to authenticated;

grant select on public.accounts to service_role;
grant select, insert on public.entries to service_role;

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

create function public.keep_entry() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'what is booked stays booked' using errcode = '42501';
end
$$;
revoke execute on function public.keep_entry() from public, anon, authenticated, service_role;

create trigger keep_entry
  before update or delete on public.entries
  for each row execute function public.keep_entry();
