insert into public.recipes (id, author_id, title, visibility) values
  (1, '11111111-1111-4111-8111-111111111111', 'bread', 'public'),
  (2, '11111111-1111-4111-8111-111111111111', 'secret sauce', 'private'),
  (3, '11111111-1111-4111-8111-111111111111', 'soup for friends', 'unlisted'),
  (4, '11111111-1111-4111-8111-111111111111', 'grandmother''s cake', null),
  (5, '22222222-2222-4222-8222-222222222222', 'dumplings', 'public'),
  (6, '22222222-2222-4222-8222-222222222222', 'failed dumplings', 'private');
