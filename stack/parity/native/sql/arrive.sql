-- A person with a session that can be refreshed. Triggers of the recording do not see
-- it, and the numbers that recordings look at are given out as if it had never been.
set session_replication_role = replica;
create table public.warmup_numbers as select last_value, is_called from auth.refresh_tokens_id_seq;
insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, created_at, updated_at,
  raw_app_meta_data, raw_user_meta_data, confirmation_token, recovery_token, email_change_token_new, email_change)
values ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-00000000aaaa', 'authenticated', 'authenticated',
  'warmup@example.invalid', now(), now(), now(), '{}', '{}', '', '', '', '');
insert into auth.sessions (id, user_id, created_at, updated_at, aal)
values ('00000000-0000-4000-8000-00000000bbbb', '00000000-0000-4000-8000-00000000aaaa', now(), now(), 'aal1');
insert into auth.refresh_tokens (id, instance_id, token, user_id, revoked, created_at, updated_at, session_id)
values (-1, '00000000-0000-0000-0000-000000000000', 'warmupwarmup', '00000000-0000-4000-8000-00000000aaaa', false,
  now(), now(), '00000000-0000-4000-8000-00000000bbbb');
