-- Implicit casts between a domain and json or text: how values of the domain are written and read.
select c.castsource::regtype::text,
       c.casttarget::regtype::text,
       c.castfunc::regproc::text
  from pg_catalog.pg_cast c
  join pg_catalog.pg_type source on source.oid = c.castsource
  join pg_catalog.pg_type target on target.oid = c.casttarget
 where c.castcontext = 'i'
   and c.castmethod = 'f'
   and pg_catalog.has_function_privilege(c.castfunc, 'execute')
   and (source.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype)
        or target.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))
