-- What the tests need in a database to see what the owner sees. Whoever runs this owns
-- it all, and says who may use it.
create schema supascore;
revoke all on schema supascore from public;

-- Makes the function look for the tables that there are now, but for those in schemas that
-- are nobody's business. It is in PL/pgSQL because that plans its query once in a session.
create function supascore.make_look(unseen text[] default '{}') returns void
language plpgsql set search_path = 'pg_catalog'
as $make$
declare
  tables text;
begin
  -- Rows are made with output functions alone: a cast could be the candidate's. Tables
  -- with more rows than anybody seeds are shown by number and checksum.
  select string_agg(format(
      $table$ select %1$L, (select case when count(*) <= 2000
          then coalesce(array_agg(line order by line), '{}')
          else (select array['# ' || count(*) || ' rows, checksum ' || sum(hashtextextended(textin(record_out(t)), 0))]
            from only %2$I.%3$I t) end
        from (select textin(record_out(t)) from only %2$I.%3$I t limit 2001) as lines (line)) $table$,
      n.nspname || '.' || c.relname, n.nspname, c.relname), 'union all')
    into tables
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relpersistence <> 't'
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'supascore', 'supascore_api', 'realtime', 'extensions')
      and n.nspname <> all (unseen) and (n.nspname not in ('auth', 'storage') or c.relname in ('users', 'objects', 'buckets'));
  execute format($look$
    create or replace function supascore.look() returns jsonb
    language plpgsql volatile security definer
    set search_path = 'pg_catalog' set row_security = off set timezone = 'UTC' set datestyle = 'iso, mdy'
    set intervalstyle = 'postgres' set extra_float_digits = 1 set bytea_output = 'hex'
    as $body$ begin return (select jsonb_object_agg(title, rows) from (%s) as tables (title, rows)); end $body$;
  $look$, tables);
end
$make$;
-- The rows of every table, as text, by table.
select supascore.make_look();

-- Runs a task's set-up as the owner, inside the transaction of a user.
create function supascore.owner_run(statements text) returns void
language plpgsql volatile security definer set search_path = 'public', 'extensions'
as $$ begin execute statements; end $$;

-- Looks as the owner at what a user's transaction did.
create function supascore.owner_rows(query text) returns setof json
language plpgsql volatile security definer set search_path = 'public', 'extensions'
as $$
declare
  found record;
begin
  for found in execute query loop
    return next row_to_json(found);
  end loop;
end
$$;

revoke all on all functions in schema supascore from public;
