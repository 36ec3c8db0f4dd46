-- Extensions that every project starts with. Migrations name them with
-- "if not exists" and rely on finding them in "extensions".

create extension "uuid-ossp" with schema extensions;
create extension pgcrypto    with schema extensions;
