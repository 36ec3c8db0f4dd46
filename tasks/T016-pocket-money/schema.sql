create table public.wallets (
  user_id uuid primary key,
  credit  integer not null default 0 check (credit >= 0)
);

create table public.household_members (
  household text not null,
  user_id   uuid not null,
  primary key (household, user_id)
);
create index on public.household_members (user_id);

-- Whether the caller and another user share a household. For use in policies.
create function public.same_household(other uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select 1
    from public.household_members mine
    join public.household_members theirs on theirs.household = mine.household
    where mine.user_id = auth.uid() and theirs.user_id = other
  )
$$;

-- Moves credit from the caller's wallet to another; returns what the caller has left.
create function public.send_credit(recipient uuid, amount integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  left_over integer;
begin
  if amount is null or amount <= 0 then
    raise exception 'the amount must be positive' using errcode = '22023';
  end if;
  update public.wallets set credit = credit - amount
    where user_id = auth.uid() and credit >= amount
    returning credit into left_over;
  if left_over is null then
    raise exception 'not enough credit' using errcode = '22023';
  end if;
  update public.wallets set credit = credit + amount where user_id = recipient;
  return left_over;
end
$$;

-- Adds credit out of nothing. The servers have no user id.
create function public.add_credit(recipient uuid, amount integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  now_has integer;
begin
  if auth.uid() is not null then
    raise exception 'for the servers only' using errcode = '42501';
  end if;
  update public.wallets set credit = credit + amount where user_id = recipient
    returning credit into now_has;
  return now_has;
end
$$;

-- How much credit there is in all wallets.
create function public.total_credit() returns bigint
language sql stable security definer set search_path = '' as $$
  select sum(credit) from public.wallets
$$;

grant all on all tables in schema public to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
