insert into public.files (id, bucket, path) values
  (1, 'private', '11111111-1111-4111-8111-111111111111/tax/2023.pdf'),
  (2, 'private', '11111111-1111-4111-8111-111111111111/passport.png'),
  (3, 'private', '22222222-2222-4222-8222-222222222222/tax/2023.pdf'),
  -- Ana's id further down, at the start of a longer name, and as a file's name
  (4, 'private', '22222222-2222-4222-8222-222222222222/11111111-1111-4111-8111-111111111111/letter.pdf'),
  (5, 'private', '11111111-1111-4111-8111-111111111111-old/letter.pdf'),
  (6, 'private', '11111111-1111-4111-8111-111111111111'),
  (7, 'shared', '11111111-1111-4111-8111-111111111111/menu.pdf'),
  (8, 'shared', '22222222-2222-4222-8222-222222222222/map.pdf');
