create table public.crew (
  id           uuid primary key,            -- the user's id
  name         text not null,
  station      text not null,
  phone        text not null default '',
  medical_note text not null default '',
  listed       boolean not null default true
);
