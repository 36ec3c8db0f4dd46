create table public.people (
  id        uuid primary key,               -- the user's id
  name      text not null,
  leader_id uuid references public.people (id)
);
create table public.field_notes (
  id        bigint primary key,
  author_id uuid not null references public.people (id),
  body      text not null,
  private   boolean not null default false,
  approved  boolean not null default false
);
create index on public.people (leader_id);
create index on public.field_notes (author_id);
