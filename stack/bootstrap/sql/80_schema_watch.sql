-- Tells the REST server that the schema has changed, whoever changed it.
-- Source: supabase/postgres, migrations/db (update_pgrst_watch_triggers).

create function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_event_trigger_ddl_commands() as cmd
    where cmd.command_tag in (
        'CREATE SCHEMA', 'ALTER SCHEMA',
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
        'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
        'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
        'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT')
      and coalesce(cmd.schema_name, '') not in ('pg_temp', 'auth', 'realtime', 'storage')
      or cmd.command_tag = 'CREATE TRIGGER' and cmd.object_identity not like '% pg\_temp.%'
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_event_trigger_dropped_objects() as obj
    where obj.object_type in (
        'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'type', 'rule')
      and not obj.is_temporary
      and coalesce(obj.schema_name, '') not in ('auth', 'realtime', 'storage')
      or obj.object_type = 'trigger' and obj.object_identity not like '% pg\_temp.%'
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
