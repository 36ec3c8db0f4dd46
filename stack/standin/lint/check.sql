-- What plpgsql_check says of the functions of a schema, triggers' apart, which it would need the tables of.
select p.proname, %[1]s.plpgsql_check_function(p.oid, format := 'json')
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_language l on l.oid = p.prolang
where l.lanname = 'plpgsql' and n.nspname = $1 and p.prorettype <> 'trigger'::regtype
order by p.proname, p.oid
