insert into public.suggestions (id, sender_id, body, contact, status) values
  (1, '11111111-1111-4111-8111-111111111111', 'more bicycle stands', 'ana@example.org', 'new'),
  (2, null, 'the door squeaks', null, 'new'),
  (3, '22222222-2222-4222-8222-222222222222', 'longer opening hours', null, 'done');
