insert into public.kiosk_staff (kiosk, user_id) values
  ('park', '11111111-1111-4111-8111-111111111111'), ('park', '22222222-2222-4222-8222-222222222222'), ('pier', '22222222-2222-4222-8222-222222222222'), ('pier', '33333333-3333-4333-8333-333333333333');
insert into public.orders (id, kiosk, item, cents) values
  (1, 'park', 'ice cream', 250),
  (2, 'park', 'lemonade', 180),
  (3, 'pier', 'waffle', 320),
  (4, 'mall', 'pretzel', 150);
