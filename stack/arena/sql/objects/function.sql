-- Functions with all that decides what they do.
select 'function', p.oid::regprocedure::text,
  md5(concat_ws(' ', p.proowner::regrole, p.prosecdef, p.provolatile, p.proconfig, p.prosrc, p.probin, p.prolang))
  || case when p.prosecdef then ' security definer' else '' end
from pg_proc p join spaces s on s.oid = p.pronamespace
