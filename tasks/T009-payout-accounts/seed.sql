insert into public.payout_accounts (id, owner_id, bank, iban) values
  (1, '11111111-1111-4111-8111-111111111111', 'Seaside Bank', 'XX01'),
  (2, '11111111-1111-4111-8111-111111111111', 'Hill Bank', 'XX02'),
  (3, '22222222-2222-4222-8222-222222222222', 'Hill Bank', 'XX03');
