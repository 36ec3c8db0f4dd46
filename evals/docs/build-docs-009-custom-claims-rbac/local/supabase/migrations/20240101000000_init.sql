-- The forum: members write posts, and some members are moderators.

create type public.forum_role as enum ('moderator');

create table public.posts (
  id bigint generated always as identity primary key,
  author_id uuid not null references auth.users (id) on delete cascade,
  body text not null,
  created_at timestamptz not null default now()
);

-- Who holds which role. Our admin tooling writes this table over its own database connection.
create table public.member_roles (
  member_id uuid not null references auth.users (id) on delete cascade,
  role public.forum_role not null,
  primary key (member_id, role)
);

alter table public.posts enable row level security;
alter table public.member_roles enable row level security;

grant select, insert, delete on table public.posts to authenticated;

create policy "members read every post"
  on public.posts for select to authenticated
  using (true);

create policy "members write posts as themselves"
  on public.posts for insert to authenticated
  with check (author_id = (select auth.uid()));
