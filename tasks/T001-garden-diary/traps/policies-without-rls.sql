-- Policies do nothing until row level security is enabled on the table.
revoke all on public.diary_entries from anon, authenticated, service_role;
grant select, insert, update, delete on public.diary_entries to authenticated, service_role;

create policy diary_read on public.diary_entries
  for select to authenticated
  using (owner_id = (select auth.uid()));

create policy diary_write on public.diary_entries
  for insert to authenticated
  with check (owner_id = (select auth.uid()));

create policy diary_change on public.diary_entries
  for update to authenticated
  using (owner_id = (select auth.uid()));

create policy diary_delete on public.diary_entries
  for delete to authenticated
  using (owner_id = (select auth.uid()));
