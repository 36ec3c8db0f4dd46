insert into public.diary_entries (id, owner_id, plant, note, watered_on) values
  (1, '11111111-1111-4111-8111-111111111111', 'tomato', 'first flowers', '2024-05-01'),
  (2, '11111111-1111-4111-8111-111111111111', 'basil', '', null),
  (3, '22222222-2222-4222-8222-222222222222', 'fern', 'moved to the shade', '2024-05-02'),
  (4, null, 'old rose', 'from the paper diary', null),
  (5, null, 'quince', 'from the paper diary', '1998-09-12');
