-- Privileges that new objects get.
select 'default privileges', defaclrole::regrole || ' ' || coalesce(defaclnamespace::regnamespace::text, 'everywhere') || ' ' || defaclobjtype::text, defaclacl::text
from pg_default_acl
