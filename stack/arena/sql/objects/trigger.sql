-- Triggers.
select 'trigger', s.nspname || '.' || r.relname || '.' || t.tgname, md5(pg_get_triggerdef(t.oid)) || ' ' || t.tgenabled::text
from pg_trigger t join pg_class r on r.oid = t.tgrelid join spaces s on s.oid = r.relnamespace where not t.tgisinternal
