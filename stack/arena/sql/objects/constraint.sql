-- Constraints of tables.
select 'constraint', s.nspname || '.' || r.relname || '.' || c.conname, md5(pg_get_constraintdef(c.oid))
from pg_constraint c join pg_class r on r.oid = c.conrelid join spaces s on s.oid = r.relnamespace where not s.managed
