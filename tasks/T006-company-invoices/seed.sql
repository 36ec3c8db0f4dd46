insert into public.invoices (id, company_id, number, amount_cents, status) values
  (1, 7, 'A-1', 1000, 'draft'),
  (2, 7, 'A-2', 2500, 'issued'),
  (3, 8, 'B-1', 700, 'draft'),
  (4, 8, 'B-2', 900, 'paid'),
  (5, null, 'X-1', 50, 'draft');
