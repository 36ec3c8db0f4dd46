-- Remembers the rows of the tables that the function look shows, and the state of
-- sequences, where only a superuser can write. Reading a table runs nobody's code.
begin;
set local search_path = pg_catalog;

do $$
declare
  thing record;
begin
  for thing in
    select c.oid, n.nspname, c.relname
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relpersistence <> 't'
      and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'supascore', 'supascore_api', 'realtime', 'extensions')
      and (n.nspname not in ('auth', 'storage') or c.relname in ('users', 'objects', 'buckets'))
  loop
    execute format('drop table if exists supascore.%I', 'saved_' || thing.oid);
    execute format('create unlogged table supascore.%I as table only %I.%I', 'saved_' || thing.oid, thing.nspname, thing.relname);
    execute format('grant select on supascore.%I to postgres', 'saved_' || thing.oid);
  end loop;

  drop table if exists supascore.saved_sequences;
  create table supascore.saved_sequences (sequence oid, last bigint, called boolean);
  for thing in
    select c.oid, n.nspname, c.relname
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and c.relpersistence <> 't'
      and n.nspname not in ('pg_catalog', 'information_schema', 'auth', 'storage', 'realtime', 'extensions')
  loop
    execute format('insert into supascore.saved_sequences select %s, last_value, is_called from %I.%I', thing.oid, thing.nspname, thing.relname);
  end loop;
end
$$;

-- Sets the sequences that are still there to what they were.
create or replace function supascore.rewind() returns void
language sql volatile security definer set search_path = 'pg_catalog'
as $$
  select setval(c.oid::regclass, s.last, s.called)
  from supascore.saved_sequences s join pg_class c on c.oid = s.sequence and c.relkind = 'S'
$$;
revoke all on function supascore.rewind() from public;
grant execute on function supascore.rewind() to postgres;

commit;
