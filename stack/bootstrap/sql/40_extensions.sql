-- Extensions that every project starts with. Migrations name them with
-- "if not exists" and rely on finding them in "extensions".

create extension "uuid-ossp" with schema extensions;
create extension pgcrypto    with schema extensions;

-- In a project postgres may create extensions that PostgreSQL reserves for
-- superusers (supautils, privileged_extensions). Without supautils it may not,
-- so the harmless ones that migrations ask for are there from the start, where
-- the installation has them.
do $$
declare
  wanted text;
begin
  for wanted in
    select name from pg_available_extensions where name in ('moddatetime', 'pg_stat_statements')
  loop
    execute format('create extension %I with schema extensions', wanted);
  end loop;
end
$$;
