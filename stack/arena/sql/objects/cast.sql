-- Casts that somebody made; those of extensions come with them.
select 'cast', castsource::regtype || ' as ' || casttarget::regtype, castfunc::regprocedure::text
from pg_cast c
where c.oid >= 16384
  and not exists (select from pg_depend d where d.classid = 'pg_cast'::regclass and d.objid = c.oid and d.deptype = 'e')
