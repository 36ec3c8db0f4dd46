insert into public.sightings (id, region, species, endangered, verified, reporter_id) values
  (1, 'north', 'fox', false, true, '55555555-5555-4555-8555-555555555555'),
  (2, 'north', 'lynx', true, true, '55555555-5555-4555-8555-555555555555'),
  (3, 'north', 'badger', false, false, '66666666-6666-4666-8666-666666666666'),
  (4, 'north-west', 'wolf', true, false, '66666666-6666-4666-8666-666666666666'),
  (5, 'south', 'otter', true, true, '66666666-6666-4666-8666-666666666666'),
  (6, 'south', 'hare', false, false, '55555555-5555-4555-8555-555555555555'),
  (7, 'south', 'seal', false, false, '22222222-2222-4222-8222-222222222222');
