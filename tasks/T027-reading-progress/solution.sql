alter table public.books enable row level security;
alter table public.progress enable row level security;

revoke all on public.books, public.progress from anon, authenticated, service_role;
grant select on public.books to authenticated;
grant select, insert on public.books to service_role;
grant select on public.progress to service_role;
-- An upsert of the Data API sets the columns of the key to themselves; the
-- policies keep them from becoming others.
grant select, insert, update (user_id, book_id, page), delete on public.progress to authenticated;

create policy books_read on public.books
  for select to authenticated
  using (true);

create policy progress_read_own on public.progress
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy progress_add_own on public.progress
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy progress_change_own on public.progress
  for update to authenticated
  using (user_id = (select auth.uid()));

create policy progress_delete_own on public.progress
  for delete to authenticated
  using (user_id = (select auth.uid()));
