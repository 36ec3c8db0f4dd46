create table notes (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users (id) on delete cascade,
  body text not null
);
alter table notes enable row level security;
grant select, insert on notes to authenticated;
create policy "owners only" on notes for all to authenticated
  using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
create function count_notes(containing text) returns bigint language sql stable
  return (select count(*) from notes where position(containing in body) > 0);
grant execute on function count_notes to authenticated;
