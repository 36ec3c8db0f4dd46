insert into public.books (id, title) values (1, 'Moby-Dick'), (2, 'Emma'), (3, 'Ulysses');
insert into public.progress (user_id, book_id, page) values
  ('11111111-1111-4111-8111-111111111111', 1, 50),
  ('11111111-1111-4111-8111-111111111111', 2, 120),
  ('22222222-2222-4222-8222-222222222222', 1, 300);
