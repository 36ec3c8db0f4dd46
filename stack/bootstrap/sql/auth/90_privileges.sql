-- Who may touch the tables, and which migrations they stand for.
set role supabase_auth_admin;

create table auth.schema_migrations (
  version varchar(255) not null constraint schema_migrations_pkey primary key
);

-- The state of the schema, in the terms of the real server: started on this database it finds
-- nothing left to migrate. The numbers are the names of its migrations at version 2.196.
insert into auth.schema_migrations (version) values
  ('00'),
  ('20210710035447'),
  ('20210722035447'),
  ('20210730183235'),
  ('20210909172000'),
  ('20210927181326'),
  ('20211122151130'),
  ('20211124214934'),
  ('20211202183645'),
  ('20220114185221'),
  ('20220114185340'),
  ('20220224000811'),
  ('20220323170000'),
  ('20220429102000'),
  ('20220531120530'),
  ('20220614074223'),
  ('20220811173540'),
  ('20221003041349'),
  ('20221003041400'),
  ('20221011041400'),
  ('20221020193600'),
  ('20221021073300'),
  ('20221021082433'),
  ('20221027105023'),
  ('20221114143122'),
  ('20221114143410'),
  ('20221125140132'),
  ('20221208132122'),
  ('20221215195500'),
  ('20221215195800'),
  ('20221215195900'),
  ('20230116124310'),
  ('20230116124412'),
  ('20230131181311'),
  ('20230322519590'),
  ('20230402418590'),
  ('20230411005111'),
  ('20230508135423'),
  ('20230523124323'),
  ('20230818113222'),
  ('20230914180801'),
  ('20231027141322'),
  ('20231114161723'),
  ('20231117164230'),
  ('20240115144230'),
  ('20240214120130'),
  ('20240306115329'),
  ('20240314092811'),
  ('20240427152123'),
  ('20240612123726'),
  ('20240729123726'),
  ('20240802193726'),
  ('20240806073726'),
  ('20241009103726'),
  ('20250717082212'),
  ('20250731150234'),
  ('20250804100000'),
  ('20250901200500'),
  ('20250903112500'),
  ('20250904133000'),
  ('20250925093508'),
  ('20251007112900'),
  ('20251104100000'),
  ('20251111201300'),
  ('20251201000000'),
  ('20260115000000'),
  ('20260121000000'),
  ('20260219120000'),
  ('20260302000000'),
  ('20260625000000');

-- postgres reads and writes here, as the owner of the project, and may let other roles read the
-- tables of the second list. anon, authenticated and service_role reach no table of this schema.
grant all on all tables in schema auth to postgres, dashboard_user;
grant all on all sequences in schema auth to postgres, dashboard_user;
alter default privileges in schema auth grant all on tables to postgres, dashboard_user;
alter default privileges in schema auth grant all on sequences to postgres, dashboard_user;
alter default privileges in schema auth grant all on routines to postgres, dashboard_user;
grant select on
  auth.audit_log_entries, auth.flow_state, auth.identities, auth.instances, auth.mfa_amr_claims,
  auth.mfa_challenges, auth.mfa_factors, auth.one_time_tokens, auth.refresh_tokens,
  auth.saml_providers, auth.saml_relay_states, auth.schema_migrations, auth.sessions,
  auth.sso_domains, auth.sso_providers, auth.users
to postgres with grant option;

-- Row level security without policies: a role that is granted a table later still sees nothing.
-- The owner and postgres, which bypasses row level security, are not held by it.
alter table auth.audit_log_entries enable row level security;
alter table auth.flow_state enable row level security;
alter table auth.identities enable row level security;
alter table auth.instances enable row level security;
alter table auth.mfa_amr_claims enable row level security;
alter table auth.mfa_challenges enable row level security;
alter table auth.mfa_factors enable row level security;
alter table auth.one_time_tokens enable row level security;
alter table auth.refresh_tokens enable row level security;
alter table auth.saml_providers enable row level security;
alter table auth.saml_relay_states enable row level security;
alter table auth.schema_migrations enable row level security;
alter table auth.sessions enable row level security;
alter table auth.sso_domains enable row level security;
alter table auth.sso_providers enable row level security;
alter table auth.users enable row level security;

reset role;
