-- Lets archivists do themselves what the function does, so they can do it without the
-- function.
alter table public.records enable row level security;
alter table public.archivists enable row level security;
alter table public.lookups enable row level security;

revoke all on public.records, public.archivists, public.lookups from anon, authenticated, service_role;
grant select on public.records, public.archivists to authenticated;
grant select, insert on public.lookups to authenticated;
grant select, insert, update, delete on public.records to service_role;
grant select, insert, delete on public.archivists to service_role;
grant select on public.lookups to service_role;

create policy records_open on public.records
  for select to authenticated
  using (not sealed or exists (select from public.archivists a where a.user_id = (select auth.uid())));

create policy lookups_own on public.lookups
  for select to authenticated
  using (user_id = (select auth.uid()));

-- Volatile, which is the default: it writes, and the Data API runs functions
-- that are not volatile in a read-only transaction.
create function public.open_record(record_id bigint, reason text) returns text
language plpgsql security invoker set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  opened text;
begin
  if not exists (select from public.archivists a where a.user_id = caller) then
    raise exception 'only archivists open records' using errcode = '42501';
  end if;
  if coalesce(trim(reason), '') = '' then
    raise exception 'a record is not opened without a reason' using errcode = '42501';
  end if;
  insert into public.lookups (record_id, user_id, reason)
  values (open_record.record_id, caller, open_record.reason);
  select r.body into opened from public.records r where r.id = open_record.record_id;
  return opened;
end
$$;

revoke execute on function public.open_record(bigint, text) from public, anon, authenticated, service_role;
grant execute on function public.open_record(bigint, text) to authenticated;

create policy archivists_own on public.archivists
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy lookups_add on public.lookups
  for insert to authenticated
  with check (user_id = (select auth.uid()));
