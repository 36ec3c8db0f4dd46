-- Foreign keys do nothing for this session, so every table is cleared by name.
set session_replication_role = replica;
delete from auth.refresh_tokens where user_id = '00000000-0000-4000-8000-00000000aaaa';
delete from auth.mfa_amr_claims where session_id = '00000000-0000-4000-8000-00000000bbbb';
delete from auth.sessions where user_id = '00000000-0000-4000-8000-00000000aaaa';
delete from auth.users where id = '00000000-0000-4000-8000-00000000aaaa';
delete from auth.audit_log_entries where payload ->> 'actor_id' = '00000000-0000-4000-8000-00000000aaaa';
select setval('auth.refresh_tokens_id_seq', last_value, is_called) from public.warmup_numbers;
drop table public.warmup_numbers;
