-- The relations of the schemas that the role may do anything with. Bits 4 and 16 of updatability are UPDATE and DELETE.
select c.oid::bigint, n.nspname, c.relname, c.relkind::text, pg_relation_is_updatable(c.oid, false) & 20 = 20
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any ($1)
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and (pg_has_role(c.relowner, 'USAGE')
    or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
    or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
