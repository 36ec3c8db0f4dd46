begin;
select plan(1); -- how many tests follow

-- Assertions: https://pgtap.org/documentation.html

select * from finish();
rollback;
