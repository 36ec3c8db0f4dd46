-- Guards adding comments and forgets that guests have comments from earlier.
alter table public.comments enable row level security;

revoke all on public.comments from anon, authenticated, service_role;
grant select, insert, update, delete on public.comments to authenticated;
grant select, delete on public.comments to service_role;

create policy comments_read on public.comments
  for select to authenticated
  using (true);

create policy comments_add on public.comments
  for insert to authenticated
  with check (
    author_id = (select auth.uid())
    and (select (auth.jwt() ->> 'is_anonymous')::boolean) is false
  );

create policy comments_change on public.comments
  for update to authenticated
  using (author_id = (select auth.uid()));

create policy comments_delete on public.comments
  for delete to authenticated
  using (author_id = (select auth.uid()));
