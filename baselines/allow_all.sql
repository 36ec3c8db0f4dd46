-- Everything is allowed to everybody: policies and privileges that refuse nothing.
do $$
declare
  name regclass;
begin
  for name in
    select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by oid
  loop
    execute format('alter table %s enable row level security', name);
    execute format('create policy allow_all on %s for all to public using (true) with check (true)', name);
    execute format('grant all on table %s to anon, authenticated, service_role', name);
  end loop;
  grant all on all functions in schema public to anon, authenticated, service_role;
  grant all on all sequences in schema public to anon, authenticated, service_role;
end
$$;
