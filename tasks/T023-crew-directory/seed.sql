insert into public.crew (id, name, station, phone, medical_note, listed) values
  ('11111111-1111-4111-8111-111111111111', 'Ada', 'bridge', '101', 'asthma', true),
  ('22222222-2222-4222-8222-222222222222', 'Bo', 'engine', '102', '', true),
  ('33333333-3333-4333-8333-333333333333', 'Cy', 'galley', '103', 'diabetes', false),
  ('44444444-4444-4444-8444-444444444444', 'Di', 'sickbay', '104', '', true);
