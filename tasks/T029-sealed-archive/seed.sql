insert into public.records (id, title, body, sealed) values
  (1, 'harvest of 1890', 'rye and oats', false),
  (2, 'trial of 1911', 'names of witnesses', true),
  (3, 'flood of 1924', 'height of the water', false);
insert into public.archivists (user_id) values ('11111111-1111-4111-8111-111111111111'), ('22222222-2222-4222-8222-222222222222');
insert into public.lookups (id, record_id, user_id, reason) values
  (1, 2, '11111111-1111-4111-8111-111111111111', 'restoration'),
  (2, 2, '22222222-2222-4222-8222-222222222222', 'inventory');
