create table public.devices (
  token    text primary key,
  owner_id uuid not null default auth.uid(),
  label    text not null default '',
  blocked  boolean not null default false
);
create index on public.devices (owner_id);

create table public.device_topics (
  token text not null references public.devices (token) on delete cascade,
  topic text not null,
  primary key (token, topic)
);
