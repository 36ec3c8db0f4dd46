insert into public.artists (id, name) values (1, 'Okoye'), (2, 'Lindqvist'), (3, 'Baptiste');
insert into public.works (id, title, artist_id, on_show) values
  (1, 'river', 1, true),
  (2, 'forge', 1, false),
  (3, 'winter', 2, false),
  (4, 'market', 3, true);
insert into public.loans (work_id, lender_id, value) values
  (1, '11111111-1111-4111-8111-111111111111', 900),
  (3, '11111111-1111-4111-8111-111111111111', 4000),
  (4, null, 700);
