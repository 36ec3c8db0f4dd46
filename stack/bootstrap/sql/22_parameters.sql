-- Superuser's parameters that postgres may set: seeds switch triggers off with
-- session_replication_role, and "alter role authenticator set pgrst.…"
-- configures the REST server.
-- Source: supabase/postgres, supautils.conf, privileged_role_allowed_configs.

grant set on parameter
  session_replication_role, log_min_messages, log_lock_waits, track_io_timing
to postgres;

-- PostgreSQL grants by full name only. The names are the settings that
-- PostgREST reads from the database (its configuration reference, "In-database
-- configuration").
do $$
declare
  setting text;
begin
  foreach setting in array array[
    'client_error_verbosity', 'db_aggregates_enabled', 'db_anon_role', 'db_extra_search_path',
    'db_hoisted_tx_settings', 'db_max_rows', 'db_plan_enabled', 'db_pre_request',
    'db_prepared_statements', 'db_root_spec', 'db_schema', 'db_schemas', 'db_timezone_enabled',
    'db_tx_end', 'db_use_legacy_gucs', 'jwt_aud', 'jwt_cache_max_entries',
    'jwt_cache_max_lifetime', 'jwt_role_claim_key', 'jwt_secret', 'jwt_secret_is_base64',
    'openapi_mode', 'openapi_security_active', 'openapi_server_proxy_uri', 'raw_media_types',
    'server_cors_allowed_origins', 'server_timing_enabled', 'server_trace_header'
  ] loop
    execute format('grant set on parameter pgrst.%I to postgres', setting);
  end loop;
end
$$;
