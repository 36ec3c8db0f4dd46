insert into public.editors (user_id) values ('55555555-5555-4555-8555-555555555555');
insert into public.tips (id, sender_id, body, status) values
  (1, '11111111-1111-4111-8111-111111111111', 'the mayor owns the quarry', 'new'),
  (2, '11111111-1111-4111-8111-111111111111', 'the bridge is rusty', 'checked'),
  (3, '22222222-2222-4222-8222-222222222222', 'the well is dry', 'new');
