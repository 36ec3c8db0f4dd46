insert into public.devices (token, owner_id, label, blocked) values
  ('ana-phone', '11111111-1111-4111-8111-111111111111', 'phone', false),
  ('ana-stolen', '11111111-1111-4111-8111-111111111111', 'old phone', true),
  ('ben-tablet', '22222222-2222-4222-8222-222222222222', 'tablet', false);

insert into public.device_topics (token, topic) values
  ('ana-phone', 'news'),
  ('ana-stolen', 'news'),
  ('ben-tablet', 'offers');
