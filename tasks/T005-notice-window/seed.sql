insert into public.notices (id, title, starts_at, ends_at) values
  (1, 'market day', '2001-01-01 00:00+00', '2901-01-01 00:00+00'),
  (2, 'library hours', '2001-01-01 00:00+00', null),
  (3, 'old road works', '2001-01-01 00:00+00', '2002-01-01 00:00+00'),
  (4, 'surprise party', '2901-01-01 00:00+00', null),
  (5, 'draft of a complaint', null, null),
  (6, 'draft with an end', null, '2901-01-01 00:00+00');
