-- What the current role may use in schema $1, as one JSON value: relations by name, functions by name and the types of their
-- input arguments, and the schema's comment. A relation counts when any right on it or on one of its columns is granted.
select json_build_object(
  'description', obj_description(to_regnamespace(quote_ident($1::text)), 'pg_namespace'),
  'tables', coalesce((
    select json_agg(c.relname)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1::text
       and c.relkind in ('v', 'r', 'm', 'f', 'p')
       and (pg_has_role(c.relowner, 'USAGE')
            or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))), '[]'),
  'functions', coalesce((
    select json_agg(json_build_object(
             'name', p.proname,
             'types', array(select format_type(t, null) from unnest(p.proargtypes) with ordinality as a(t, i) order by i)))
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = $1::text
       and has_function_privilege(p.oid, 'EXECUTE')), '[]')
)::text
  -- Names of types are qualified, as those of the schema are that was read: without a search path format_type shortens none.
  from (select set_config('search_path', '', true) offset 0) as everywhere
