-- Schemas.
select 'schema' as kind, nspname::text as name, 'owner ' || nspowner::regrole as state
from spaces
