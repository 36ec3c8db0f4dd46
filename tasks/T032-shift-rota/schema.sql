create table public.shifts (
  id        bigint primary key,
  worker_id uuid,                           -- null: not assigned yet
  day       date not null,
  frozen    boolean not null default false
);
create index on public.shifts (worker_id);

-- As the app has it so far.
grant all on public.shifts to anon, authenticated, service_role;
