insert into public.tickets (id, customer_id, subject, status) values
  (1, '11111111-1111-4111-8111-111111111111', 'parcel is wet', 'open'),
  (2, '11111111-1111-4111-8111-111111111111', 'wrong colour', 'closed'),
  (3, '22222222-2222-4222-8222-222222222222', 'refund please', 'waiting');
