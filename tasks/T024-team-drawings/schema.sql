-- Shaped like storage.objects: bucket and path say where a file is.
create table public.files (
  id        bigint primary key,
  bucket    text not null,
  name      text not null,
  owner_id  uuid,
  unique (bucket, name)
);
create table public.team_members (
  team    text not null,
  user_id uuid not null,
  primary key (team, user_id)
);
create index on public.team_members (user_id);
