-- What a row of a table needs beside the columns that are given: the columns that
-- are not null and get no value of their own, each with one that fits its type.
-- Parameters: $1 the table, $2 the given columns.
select a.attname as name,
  case
    when exists (
      select from pg_constraint c
      where c.conrelid = a.attrelid and c.contype = 'f' and c.conkey = array[a.attnum]
        and c.confrelid = to_regclass('auth.users')
    ) then 'user'
    when e.label is not null then e.label
    when a.atttypid in ('json'::regtype, 'jsonb'::regtype) then '{}'
    when a.atttypid = 'uuid'::regtype then gen_random_uuid()::text
    else case t.typcategory
      when 'S' then 'written by a probe'
      when 'N' then '0'
      when 'B' then 'false'
      when 'D' then now()::text
      when 'T' then '0'
      when 'A' then '{}'
      else ''
    end
  end as value
from pg_attribute a
join pg_type t on t.oid = a.atttypid
left join lateral (
  select enumlabel::text as label from pg_enum where enumtypid = t.oid order by enumsortorder limit 1
) e on true
where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
  and a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = ''
  and a.attname <> all ($2::text[])
order by a.attnum
