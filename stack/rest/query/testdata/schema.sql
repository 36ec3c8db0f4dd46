create table public.clients (id int primary key, name text not null, settings jsonb, born date);
create table public.projects (
  id int primary key,
  name text default 'new',
  client_id int references public.clients (id),
  lead_id int,
  tags text[],
  doc jsonb,
  search tsvector
);
create table public.people (id int primary key, name text, manager_id int references public.people (id));
alter table public.projects add constraint projects_lead_fkey foreign key (lead_id) references public.people (id);
create table public.members (
  project_id int references public.projects (id),
  person_id int references public.people (id),
  primary key (project_id, person_id)
);
create table public.passports (person_id int primary key references public.people (id), code text);
create view public.project_names as select id, name, client_id from public.projects;
create function public.active(public.clients) returns setof public.projects language sql stable as $$ select * from public.projects where client_id = $1.id $$;
create function public.add(a int, b int default 1) returns int language sql immutable as $$ select a + b $$;
create function public.find(q text) returns setof public.projects language sql stable as $$ select * from public.projects where name = q $$;
create function public.join_all(variadic parts text[]) returns text language sql immutable as $$ select array_to_string(parts, '') $$;
create function public.take(json) returns json language sql immutable as $$ select $1 $$;
create function public.same(x int) returns int language sql immutable as $$ select x $$;
create function public.same(x text) returns text language sql immutable as $$ select x $$;
create function public.wipe() returns void language sql volatile as $$ select null::void $$;
