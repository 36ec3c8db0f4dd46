-- A blocked device can be deleted, and registered again as if nothing had happened.
revoke all on public.devices, public.device_topics from anon, authenticated, service_role;
grant select, insert, update, delete on public.devices to authenticated;
grant select, insert, delete on public.device_topics to authenticated;
grant select, update, delete on public.devices, public.device_topics to service_role;

alter table public.devices enable row level security;
alter table public.device_topics enable row level security;

create policy devices_read on public.devices
  for select to authenticated
  using (owner_id = (select auth.uid()));

create policy devices_register on public.devices
  for insert to authenticated
  with check (owner_id = (select auth.uid()) and not blocked);

create policy devices_refresh on public.devices
  for update to authenticated
  using (owner_id = (select auth.uid()) and not blocked);

create policy devices_delete on public.devices
  for delete to authenticated
  using (owner_id = (select auth.uid()));

create policy topics_read on public.device_topics
  for select to authenticated
  using (token in (select d.token from public.devices d where d.owner_id = (select auth.uid())));

create policy topics_subscribe on public.device_topics
  for insert to authenticated
  with check (token in (select d.token from public.devices d where d.owner_id = (select auth.uid()) and not d.blocked));

create policy topics_unsubscribe on public.device_topics
  for delete to authenticated
  using (token in (select d.token from public.devices d where d.owner_id = (select auth.uid())));
