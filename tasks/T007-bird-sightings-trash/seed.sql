insert into public.sightings (id, observer_id, species, removed_at) values
  (1, '11111111-1111-4111-8111-111111111111', 'wren', null),
  (2, '11111111-1111-4111-8111-111111111111', 'plastic owl', '2024-03-01 08:00+00'),
  (3, '22222222-2222-4222-8222-222222222222', 'kingfisher', null),
  (4, '22222222-2222-4222-8222-222222222222', 'a kite, on a string', '2024-03-02 08:00+00');
