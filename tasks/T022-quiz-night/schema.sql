create table public.questions (
  id        bigint primary key,
  author_id uuid not null,
  text      text not null,
  published boolean not null default false
);
create table public.answers (
  question_id bigint not null references public.questions (id) on delete cascade,
  user_id     uuid not null,
  choice      text not null,
  primary key (question_id, user_id)
);
create index on public.questions (author_id);
create index on public.answers (user_id);
