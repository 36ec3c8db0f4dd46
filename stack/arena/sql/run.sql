-- The door for SQL that has no request of its own: POST /rpc/run, as the caller.
-- Statements before and after the one whose result counts are run for what they do.
create function "supascore_api"."run"(before text, query text, after text, returns_rows boolean) returns json
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
