-- Casts that somebody made.
select 'cast', castsource::regtype || ' as ' || casttarget::regtype, castfunc::regprocedure::text
from pg_cast where oid >= 16384
