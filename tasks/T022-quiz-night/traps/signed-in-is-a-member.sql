-- Takes everybody of role authenticated for a member.
alter table public.questions enable row level security;
alter table public.answers enable row level security;

revoke all on public.questions, public.answers from anon, authenticated, service_role;
grant select, insert, update, delete on public.questions to authenticated;
grant select, insert on public.answers to authenticated;
grant select on public.questions to service_role;
grant select, delete on public.answers to service_role;

create policy questions_published on public.questions
  for select to authenticated
  using (published);

create policy questions_own on public.questions
  for select to authenticated
  using (author_id = (select auth.uid()));

create policy questions_add on public.questions
  for insert to authenticated
  with check (author_id = (select auth.uid()));

create policy questions_change on public.questions
  for update to authenticated
  using (author_id = (select auth.uid()));

create policy questions_delete on public.questions
  for delete to authenticated
  using (author_id = (select auth.uid()));

create policy answers_own on public.answers
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy answers_to_own_questions on public.answers
  for select to authenticated
  using (
    exists (
      select from public.questions q
      where q.id = answers.question_id and q.author_id = (select auth.uid())
    )
  );

create policy answers_give on public.answers
  for insert to authenticated
  with check (
    user_id = (select auth.uid())
    and exists (
      select from public.questions q
      where q.id = answers.question_id and q.published
    )
  );
