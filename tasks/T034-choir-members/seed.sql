insert into public.choirs (id, name) values (1, 'cathedral'), (2, 'harbour');
insert into public.join_codes (choir_id, code) values (1, 'lark'), (2, 'gull');
insert into public.memberships (choir_id, user_id, voice, is_admin) values
  (1, '11111111-1111-4111-8111-111111111111', 'alto', true),
  (1, '22222222-2222-4222-8222-222222222222', 'tenor', false),
  (1, '66666666-6666-4666-8666-666666666666', 'bass', true),
  (2, '33333333-3333-4333-8333-333333333333', 'soprano', true),
  (2, '22222222-2222-4222-8222-222222222222', 'bass', false);
