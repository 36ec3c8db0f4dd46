-- Who may do what, and what new objects will let whom do. Nothing said counts as what
-- PostgreSQL takes for it.
with spaces as (
  select oid, nspname from pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and nspname !~ '^pg_(toast_)?temp_'
), calm as (
  -- In the others the services make tables as they go.
  select * from spaces where nspname not in ('realtime', '_realtime', '_analytics')
), found (word, target, parent, columns, acl) as (
  select 'schema', quote_ident(nspname), quote_ident(nspname), '', coalesce(n.nspacl, acldefault('n', n.nspowner))
  from pg_namespace n join spaces using (oid, nspname)
  union all
  select case c.relkind when 'S' then 'sequence' else 'table' end, format('%I.%I', s.nspname, c.relname), format('%I.%I', s.nspname, c.relname), '',
    coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
  from pg_class c join calm s on s.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select 'table', format('%I.%I', s.nspname, c.relname), format('%I.%I', s.nspname, c.relname), format(' (%I)', a.attname), a.attacl
  from pg_attribute a join pg_class c on c.oid = a.attrelid join calm s on s.oid = c.relnamespace where a.attacl is not null and not a.attisdropped
  union all
  select 'routine', i.identity, i.identity, '', coalesce(p.proacl, acldefault('f', p.proowner))
  from pg_proc p join spaces s on s.oid = p.pronamespace cross join lateral pg_identify_object('pg_proc'::regclass, p.oid, 0) i
  union all
  select 'type', t.oid::regtype::text, t.oid::regtype::text, '', t.typacl
  from pg_type t join spaces s on s.oid = t.typnamespace where t.typacl is not null
  union all
  select 'language', quote_ident(lanname), quote_ident(lanname), '', lanacl from pg_language where lanacl is not null
  union all
  select 'foreign data wrapper', quote_ident(fdwname), quote_ident(fdwname), '', fdwacl from pg_foreign_data_wrapper where fdwacl is not null
  union all
  select 'foreign server', quote_ident(srvname), quote_ident(srvname), '', srvacl from pg_foreign_server where srvacl is not null
  union all
  select 'large object', oid::text, oid::text, '', lomacl from pg_largeobject_metadata where lomacl is not null
)
select 'privilege', privilege_type || columns || ' on ' || word || ' ' || target,
  concat_ws(' ', grantee_name, 'by', grantor_name, case when is_grantable then 'with grant option' end), parent,
  format('revoke %s%s on %s %s from %s cascade', privilege_type, columns, word, target, grantee_name),
  format('grant %s%s on %s %s to %s%s', privilege_type, columns, word, target, grantee_name, case when is_grantable then ' with grant option' else '' end), 4
from found cross join lateral aclexplode(acl) a
  cross join lateral (select case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end, quote_ident(pg_get_userbyid(grantor))) q (grantee_name, grantor_name)
union all
select 'default privilege', privilege_type || ' on ' || o.words || place,
  concat_ws(' ', grantee_name, 'by', owner, case when is_grantable then 'with grant option' end), owner,
  format('alter default privileges for role %s%s revoke %s on %s from %s', owner, place, privilege_type, o.words, grantee_name),
  format('alter default privileges for role %s%s grant %s on %s to %s%s', owner, place, privilege_type, o.words, grantee_name,
    case when is_grantable then ' with grant option' else '' end), 4
from (
  select d.defaclrole, d.defaclobjtype, d.defaclnamespace, d.defaclacl from pg_default_acl d where d.defaclnamespace <> 0
  union all
  select r.oid, k.kind, 0, coalesce(d.defaclacl, acldefault(case k.kind when 'S' then 's' else k.kind end, r.oid))
  from pg_roles r cross join (values ('r'::"char"), ('S'), ('f'), ('T'), ('n')) k (kind)
    left join pg_default_acl d on d.defaclrole = r.oid and d.defaclobjtype = k.kind and d.defaclnamespace = 0
  where pg_has_role(r.oid, 'member')
) d
  join (values ('r'::"char", 'tables'), ('S', 'sequences'), ('f', 'functions'), ('T', 'types'), ('n', 'schemas')) o (kind, words) on o.kind = d.defaclobjtype
  cross join lateral aclexplode(d.defaclacl) a
  cross join lateral (select case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end, d.defaclrole::regrole::text,
    case when d.defaclnamespace = 0 then '' else ' in schema ' || d.defaclnamespace::regnamespace end) q (grantee_name, owner, place)
