insert into public.profiles (id, name, motto, is_referee, rating) values
  ('11111111-1111-4111-8111-111111111111', 'Ana', 'slow and steady', false, 1210),
  ('22222222-2222-4222-8222-222222222222', 'Ben', '', true, 1875);
