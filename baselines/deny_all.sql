-- Row level security without a policy: nobody but the service role gets at a row.
do $$
declare
  name regclass;
begin
  for name in
    select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by oid
  loop
    execute format('alter table %s enable row level security', name);
    execute format('grant all on table %s to anon, authenticated, service_role', name);
  end loop;
end
$$;
