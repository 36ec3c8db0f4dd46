insert into public.stations (id, owner_id) values ('hill', '11111111-1111-4111-8111-111111111111'), ('pier', '22222222-2222-4222-8222-222222222222'), ('base', null);
insert into public.readings (station_id, taken_on, celsius, public) values
  ('hill', '2023-05-01', 11.5, true),
  ('hill', '2024-05-01', 12.5, false),
  ('pier', '2024-05-01', 15, false),
  ('pier', '2024-06-01', 19, true),
  ('base', '2024-06-01', -3, false),
  ('pier', '2030-01-01', 4, false);
