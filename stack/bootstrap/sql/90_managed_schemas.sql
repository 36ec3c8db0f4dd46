-- The services own auth, storage and realtime. postgres may add triggers and
-- manage policies there, and nothing else. In a project that is the work of
-- the extension supautils (policy_grants, drop_trigger_grants); here postgres
-- is a member of the owning roles, and this refuses what ownership would allow
-- beyond that, with the errors that a project gives. The superuser and the
-- services themselves may do what they like; the session's user counts as well
-- as the current one, so that neither "set role" nor a security definer
-- function is a way around.
--
-- One thing gets through: as a member of the owner, postgres can grant rights
-- on those objects that it has no grant option for.

create function extensions.refuse_managed_ddl() returns event_trigger
language plpgsql set search_path = '' as $$
declare
  managers constant name[] := '{supabase_admin, supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin}';
  cmd record;
  relation text;
begin
  if current_user = any (managers) and session_user = any (managers) then
    return;
  end if;
  for cmd in
    select * from pg_event_trigger_ddl_commands()
    where schema_name in ('auth', 'storage', 'realtime')
      and command_tag not in ('CREATE TRIGGER', 'CREATE POLICY', 'ALTER POLICY')
  loop
    if cmd.command_tag like 'CREATE %' and cmd.command_tag <> 'CREATE INDEX' then
      raise exception 'permission denied for schema %', cmd.schema_name using errcode = '42501';
    end if;
    if cmd.classid = 'pg_catalog.pg_class'::regclass then
      select relname into relation
        from pg_class
        where oid = coalesce((select indrelid from pg_index where indexrelid = cmd.objid), cmd.objid);
      raise exception 'must be owner of table %', relation using errcode = '42501';
    end if;
    raise exception 'must be owner of % %', cmd.object_type, cmd.object_identity using errcode = '42501';
  end loop;
end
$$;

create function extensions.refuse_managed_drop() returns event_trigger
language plpgsql set search_path = '' as $$
declare
  managers constant name[] := '{supabase_admin, supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin}';
  obj record;
begin
  if current_user = any (managers) and session_user = any (managers) then
    return;
  end if;
  -- Triggers and policies have no schema of their own. The triggers of a
  -- foreign key go with the key, wherever the other table is.
  for obj in
    select * from pg_event_trigger_dropped_objects()
    where coalesce(schema_name, object_name) in ('auth', 'storage', 'realtime')
      and object_type not in ('trigger', 'policy')
  loop
    raise exception 'must be owner of % %', obj.object_type, obj.object_identity using errcode = '42501';
  end loop;
end
$$;

create event trigger refuse_managed_ddl on ddl_command_end execute function extensions.refuse_managed_ddl();
create event trigger refuse_managed_drop on sql_drop execute function extensions.refuse_managed_drop();

-- Seeds set session_replication_role to replica, which must not switch this
-- off.
alter event trigger refuse_managed_ddl enable always;
alter event trigger refuse_managed_drop enable always;
