-- Functions that show how the Data API was started. They are called by whoever a request
-- is from.
create function public.supascore_shown() returns json language sql as $$
  select json_build_object('search_path', current_setting('search_path'), 'role', current_user)
$$;
create function public.supascore_rows() returns setof int language sql as 'select generate_series(1, 1001)';
