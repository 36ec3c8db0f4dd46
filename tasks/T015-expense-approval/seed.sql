insert into public.units (id, parent_id, name, head_id, closed) values
  (1, null, 'company', '11111111-1111-4111-8111-111111111111', false),
  (2, 1, 'north', '22222222-2222-4222-8222-222222222222', false),
  (3, 1, 'south', '33333333-3333-4333-8333-333333333333', false),
  (4, 2, 'north workshop', null, true),
  (5, 4, 'north paint shop', null, false);

insert into public.expenses (id, unit_id, claimant_id, amount_cents, state) values
  (1, 5, '44444444-4444-4444-8444-444444444444', 1500, 'submitted'),
  (2, 2, '22222222-2222-4222-8222-222222222222', 9000, 'submitted'),
  (3, 3, '44444444-4444-4444-8444-444444444444', 700, 'submitted'),
  (4, 1, '11111111-1111-4111-8111-111111111111', 120000, 'submitted'),
  (5, 4, '33333333-3333-4333-8333-333333333333', 300, 'approved');
