-- The company is read from what users write about themselves.
alter table public.invoices enable row level security;

revoke all on public.invoices from anon, authenticated, service_role;
grant select, insert, update on public.invoices to authenticated, service_role;

create policy company_reads on public.invoices
  for select to authenticated
  using (company_id = (select (auth.jwt() -> 'user_metadata' ->> 'company_id')::integer));

create policy company_adds_drafts on public.invoices
  for insert to authenticated
  with check (
    company_id = (select (auth.jwt() -> 'user_metadata' ->> 'company_id')::integer)
    and status = 'draft'
  );

create policy company_changes_drafts on public.invoices
  for update to authenticated
  using (
    company_id = (select (auth.jwt() -> 'user_metadata' ->> 'company_id')::integer)
    and status = 'draft'
  )
  with check (
    company_id = (select (auth.jwt() -> 'user_metadata' ->> 'company_id')::integer)
    and status in ('draft', 'issued')
  );
