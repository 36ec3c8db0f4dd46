insert into public.accounts (id, owner_id) values (1, '11111111-1111-4111-8111-111111111111'), (2, '22222222-2222-4222-8222-222222222222'), (3, '33333333-3333-4333-8333-333333333333');
insert into public.entries (id, account_id, points, reason) values
  (1, 1, 100, 'coffee'),
  (2, 1, -30, 'mug'),
  (3, 2, 50, 'tea');
