-- Every column, constraint, index, type and function-free property of the schema auth that SQL of a
-- project can depend on, one line each.
select line from (
  select format('column %s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' else '' end,
      case when a.attgenerated <> '' then ' generated' else '' end,
      coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'auth'::regnamespace
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
  union all
  select format('order %s %s', c.relname, string_agg(a.attname, ' ' order by a.attnum))
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'auth'::regnamespace
    where a.attnum > 0 and not a.attisdropped
    group by c.relname
  union all
  select format('constraint %s.%s %s', conrelid::regclass::text, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = 'auth'::regnamespace and contype <> 'n'
  union all
  select 'index ' || indexdef from pg_indexes where schemaname = 'auth'
  union all
  select format('type %s %s', t.typname, string_agg(e.enumlabel, ' ' order by e.enumsortorder))
    from pg_type t join pg_enum e on e.enumtypid = t.oid where t.typnamespace = 'auth'::regnamespace
    group by t.typname
  union all
  select format('table %s owner %s%s', relname, relowner::regrole, case when relrowsecurity then ' row level security' else '' end)
    from pg_class where relkind = 'r' and relnamespace = 'auth'::regnamespace
  union all
  select format('sequence %s owner %s', relname, relowner::regrole)
    from pg_class where relkind = 'S' and relnamespace = 'auth'::regnamespace
) as catalog order by line collate "C";
