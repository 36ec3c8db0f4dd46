insert into public.second_factors (user_id) values ('11111111-1111-4111-8111-111111111111'), ('33333333-3333-4333-8333-333333333333');
insert into public.vault_items (id, owner_id, label, secret, shared) values
  (1, '11111111-1111-4111-8111-111111111111', 'bank', '4711', false),
  (2, '11111111-1111-4111-8111-111111111111', 'alarm', '0000', true),
  (3, '22222222-2222-4222-8222-222222222222', 'diary', 'open sesame', false),
  (4, '22222222-2222-4222-8222-222222222222', 'garage', '1234', true);
