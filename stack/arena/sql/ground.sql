-- What graders need in a database. Everything belongs to roles that a candidate
-- cannot become, but owner_run and owner_rows, which have to be the owner's to act as
-- the owner; a candidate that touches them is found out by the fingerprint.
create schema supascore;
create schema supascore_api;
revoke all on schema supascore, supascore_api from public;

-- The rows of every table that somebody can fill, as text, when the transaction has
-- written anything; null when it has not. Rows are made with output functions alone:
-- a cast could be the candidate's. Tables with more rows than anybody seeds are
-- shown by number and checksum.
create function supascore.look(always boolean) returns jsonb
language plpgsql volatile security definer
set search_path = 'pg_catalog' set row_security = off set timezone = 'UTC' set datestyle = 'iso, mdy'
set intervalstyle = 'postgres' set extra_float_digits = 1 set bytea_output = 'hex'
as $$
declare
  tab record;
  rows text[];
  seen jsonb := '{}';
  many constant bigint := 2000;
begin
  if not always and pg_current_xact_id_if_assigned() is null then
    return null;
  end if;
  for tab in
    select c.oid::regclass as name, n.nspname || '.' || c.relname as title
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r'
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'supascore', 'supascore_api', 'realtime', 'extensions')
      and n.nspname not like 'pg\_temp\_%'
      and (n.nspname not in ('auth', 'storage') or c.relname in ('users', 'objects', 'buckets'))
    order by 2
  loop
    execute format(
      'select coalesce(array_agg(line order by line), ''{}'') from (select textin(record_out(t)) as line from only %s t limit %s) lines',
      tab.name, many + 1) into rows;
    if cardinality(rows) > many then
      execute format(
        'select array[''# '' || count(*) || '' rows, checksum '' || coalesce(sum(hashtextextended(textin(record_out(t)), 0)), 0)] from only %s t',
        tab.name) into rows;
    end if;
    seen := seen || jsonb_build_object(tab.title, to_jsonb(rows));
  end loop;
  return seen;
end
$$;
alter function supascore.look(boolean) owner to supascore_inspector;

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

revoke all on all functions in schema supascore, supascore_api from public;
grant usage on schema supascore to authenticator;
grant execute on all functions in schema supascore to authenticator;
