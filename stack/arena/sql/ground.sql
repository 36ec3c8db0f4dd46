-- What graders need in a clone beside the functions of the tests. Everything belongs to
-- roles that a candidate cannot become, but owner_run and owner_rows, which have to be
-- the owner's to act as the owner; a candidate that touches them is found out by the
-- fingerprint.
create schema supascore_api;
revoke all on schema supascore_api from public;

-- Nobody listens for changes of the schema here, and each would cost time.
drop event trigger pgrst_ddl_watch;
drop event trigger pgrst_drop_watch;

alter function supascore.look() owner to supascore_inspector;
alter function supascore.owner_run(text) owner to postgres;
alter function supascore.owner_rows(text) owner to postgres;

-- What sessions lock to hear of roles that were granted or revoked; see barrier in
-- kept.go.
create table supascore.barrier ();

-- Puts the sequences back to where they are now.
do $do$
declare
  body text;
begin
  select coalesce(string_agg(format('perform pg_catalog.setval(%L::regclass, %s, %L);',
      format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null), ' '), '')
    into body from pg_sequences;
  execute format('create function supascore.rewind() returns void language plpgsql security definer '
      || 'set search_path = pg_catalog as %L', 'begin ' || body || ' end');
end
$do$;

revoke all on function supascore.rewind() from public;
grant usage on schema supascore to authenticator, postgres;
grant execute on function supascore.look() to authenticator, postgres;
grant execute on function supascore.owner_run(text), supascore.owner_rows(text), supascore.rewind() to authenticator;
grant select on supascore.barrier to authenticator;
grant usage on schema supascore_api to public;
