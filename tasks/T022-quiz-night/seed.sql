insert into public.questions (id, author_id, text, published) values
  (1, '11111111-1111-4111-8111-111111111111', 'capital of Peru?', true),
  (2, '11111111-1111-4111-8111-111111111111', 'deepest lake?', false),
  (3, '22222222-2222-4222-8222-222222222222', 'oldest bridge?', true),
  (4, '77777777-7777-4777-8777-777777777777', 'written by a guest', false),
  (5, '77777777-7777-4777-8777-777777777777', 'published by a guest', true);
insert into public.answers (question_id, user_id, choice) values
  (1, '22222222-2222-4222-8222-222222222222', 'Lima'),
  (1, '77777777-7777-4777-8777-777777777777', 'Cusco'),
  (5, '22222222-2222-4222-8222-222222222222', 'yes');
