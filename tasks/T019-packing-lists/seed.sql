insert into public.packing_lists (id, owner_id, title) values
  (1, '11111111-1111-4111-8111-111111111111', 'hike'),
  (2, '33333333-3333-4333-8333-333333333333', 'canoe trip'),
  (3, '11111111-1111-4111-8111-111111111111', 'surprise party');
insert into public.packing_shares (list_id, user_id, can_edit) values
  (1, '22222222-2222-4222-8222-222222222222', true),
  (1, '33333333-3333-4333-8333-333333333333', false),
  (2, '22222222-2222-4222-8222-222222222222', false);
insert into public.packing_items (id, list_id, label) values
  (11, 1, 'tent'), (12, 1, 'stove'), (21, 2, 'paddle'), (31, 3, 'balloons');
