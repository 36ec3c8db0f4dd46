create table public.profiles (
  id         uuid primary key,              -- the user's id
  name       text not null,
  motto      text not null default '',
  is_referee boolean not null default false,
  rating     integer not null default 0
);
