create table public.books (
  id    bigint primary key,
  title text not null
);
create table public.progress (
  user_id    uuid not null,
  book_id    bigint not null references public.books (id),
  page       integer not null,
  started_on date not null default '2024-01-01',
  primary key (user_id, book_id)
);
