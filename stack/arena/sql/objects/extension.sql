-- Extensions.
select 'extension', extname::text, extversion from pg_extension
