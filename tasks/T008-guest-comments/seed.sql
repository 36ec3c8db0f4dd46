insert into public.comments (id, author_id, body) values
  (1, '11111111-1111-4111-8111-111111111111', 'first!'),
  (2, '22222222-2222-4222-8222-222222222222', 'I disagree'),
  -- written when guests still could
  (3, '44444444-4444-4444-8444-444444444444', 'hello from a guest');
