alter table public.editors enable row level security;
alter table public.tips enable row level security;

revoke all on public.editors, public.tips from anon, authenticated, service_role;
grant select (id, sender_id, status), insert (id, sender_id, body) on public.tips to authenticated;
grant select, update, delete on public.tips to service_role;
grant select, insert, delete on public.editors to service_role;

-- Without it, nothing could be returned to the sender.
create policy tips_read_own on public.tips
  for select to authenticated
  using (sender_id = (select auth.uid()));

create policy tips_send on public.tips
  for insert to authenticated
  with check (sender_id = (select auth.uid()));

-- Nobody may use the schema: the view calls the function, people cannot.
create schema private;

create function private.is_editor() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.editors e where e.user_id = (select auth.uid()))
$$;

-- The view runs with the rights of its owner: that is how editors get at the
-- column that nobody may read in the table. So it asks for itself who they are.
create view public.tip_desk with (security_barrier) as
  select id, sender_id, body, status from public.tips
  where (select private.is_editor());

revoke all on public.tip_desk from anon, authenticated, service_role;
grant select, update (status) on public.tip_desk to authenticated;
