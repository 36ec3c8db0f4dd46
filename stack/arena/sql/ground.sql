-- What graders need in a database. Everything belongs to roles that a candidate
-- cannot become, but owner_run and owner_rows, which have to be the owner's to act as
-- the owner; a candidate that touches them is found out by the fingerprint.
create schema supascore;
create schema supascore_api;
revoke all on schema supascore, supascore_api from public;

-- Nobody listens for changes of the schema here, and each would cost time.
drop event trigger pgrst_ddl_watch;
drop event trigger pgrst_drop_watch;

-- Makes the function look for the tables that there are now. It is in PL/pgSQL because
-- that plans its query once in a session.
create function supascore.make_look() returns void
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
      and (n.nspname not in ('auth', 'storage') or c.relname in ('users', 'objects', 'buckets'));
  execute format($look$
    create or replace function supascore.look() returns jsonb
    language plpgsql volatile security definer
    set search_path = 'pg_catalog' set row_security = off set timezone = 'UTC' set datestyle = 'iso, mdy'
    set intervalstyle = 'postgres' set extra_float_digits = 1 set bytea_output = 'hex'
    as $body$ begin return (select jsonb_object_agg(title, rows) from (%s) as tables (title, rows)); end $body$;
    alter function supascore.look() owner to supascore_inspector;
    revoke all on function supascore.look() from public;
    grant execute on function supascore.look() to authenticator, postgres;
  $look$, tables);
end
$make$;
-- The rows of every table, as text, by table.
select supascore.make_look();

-- Runs a task's set-up as the owner, inside the transaction of a user.
create function supascore.owner_run(statements text) returns void
language plpgsql volatile security definer set search_path = 'public', 'extensions'
as $$ begin execute statements; end $$;
alter function supascore.owner_run(text) owner to postgres;

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
alter function supascore.owner_rows(text) owner to postgres;

-- The door for SQL that has no request of its own: POST /rpc/run, as the caller.
-- Statements before and after the one whose result counts are run for what they do.
create function supascore_api.run(before text, query text, after text, returns_rows boolean) returns json
language plpgsql volatile security invoker
as $$
declare
  found record;
  rows json[] := '{}';
  affected bigint;
begin
  if before <> '' then
    execute before;
  end if;
  if returns_rows then
    for found in execute query loop
      rows := rows || row_to_json(found);
    end loop;
    affected := cardinality(rows);
  else
    execute query;
    get diagnostics affected = row_count;
  end if;
  if after <> '' then
    execute after;
  end if;
  return json_build_object('rows', to_json(rows), 'affected', affected);
end
$$;

revoke all on all functions in schema supascore from public;
grant usage on schema supascore to authenticator, postgres;
grant execute on function supascore.look() to authenticator, postgres;
grant execute on function supascore.owner_run(text), supascore.owner_rows(text) to authenticator;
grant usage on schema supascore_api to public;
