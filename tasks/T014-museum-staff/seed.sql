insert into public.employees (id, user_id, name, department, phone, salary_cents, review, is_press, left_on) values
  (1, '11111111-1111-4111-8111-111111111111', 'Ana', 'prints', '101', 410000, 'careful', false, null),
  (2, '22222222-2222-4222-8222-222222222222', 'Ben', 'prints', '102', 390000, 'late', false, null),
  (3, '33333333-3333-4333-8333-333333333333', 'Cleo', 'coins', '201', 520000, 'leads', true, null),
  (4, '44444444-4444-4444-8444-444444444444', 'Dan', 'prints', '103', 300000, 'left angry', true, '2023-06-30');
