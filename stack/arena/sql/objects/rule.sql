-- Rewrite rules, those of views aside.
select 'rule', s.nspname || '.' || r.relname || '.' || w.rulename, md5(pg_get_ruledef(w.oid))
from pg_rewrite w join pg_class r on r.oid = w.ev_class join spaces s on s.oid = r.relnamespace where w.rulename <> '_RETURN'
