// Typical calls of supabase-js and postgrest-js with the answers that PostgREST gives. Prints one JSON object a call:
// {"name", "problem"}; an empty problem means that the answer was the expected one.
//
// Usage: node calls.mjs API_URL ANON_KEY SERVICE_ROLE_KEY
import assert from 'node:assert/strict'
import { PostgrestClient } from '@supabase/postgrest-js'
import { createClient } from '@supabase/supabase-js'

const [url, anonKey, serviceKey] = process.argv.slice(2)
// Node.js before 22 has no WebSocket, and without a transport supabase-js does not start. None is opened here.
const options = {
  auth: { persistSession: false, autoRefreshToken: false },
  realtime: { transport: class {} },
}
const anon = createClient(url, anonKey, options)
const service = createClient(url, serviceKey, options)
const rest = new PostgrestClient(`${url}/rest/v1`, { headers: { apikey: anonKey } })

async function signedUp(name) {
  const client = createClient(url, anonKey, options)
  const { data, error } = await client.auth.signUp({ email: `${name}@example.com`, password: 'a password of ' + name })
  assert.equal(error, null)
  return { client, id: data.user.id }
}
const rae = await signedUp('rae')
const sol = await signedUp('sol')

// call runs a query and compares what is named in want with the answer.
async function call(name, query, want) {
  let problem = ''
  try {
    const got = await query()
    for (const key of Object.keys(want)) {
      const value = key === 'code' ? got.error?.code : key === 'message' ? got.error?.message : got[key]
      assert.deepStrictEqual(value, want[key], `${key} is ${JSON.stringify(value)} (${JSON.stringify(got)})`)
    }
  } catch (e) {
    problem = e.message || String(e)
  }
  console.log(JSON.stringify({ name, problem }))
}

// Reading.
const ids = (...list) => list.map((id) => ({ id }))
await call('select everything of one row', () => anon.from('authors').select().eq('id', 1), {
  status: 200, data: [{ id: 1, name: 'Ada', born: 1815 }], error: null,
})
await call('select columns', () => anon.from('authors').select('name').order('id'), {
  data: [{ name: 'Ada' }, { name: 'Bo' }, { name: 'Cy' }],
})
await call('alias and cast', () => anon.from('books').select('label:title,pages::text').eq('id', 1), {
  data: [{ label: 'Engines', pages: '120' }],
})
await call('path into JSON', () => anon.from('books').select('lang:facts->>lang,left:facts->stock->left').eq('id', 2), {
  data: [{ lang: 'fr', left: 0 }],
})
await call('computed column', () => anon.from('books').select('label').eq('id', 2), { data: [{ label: 'Notes (80)' }] })
await call('neq', () => anon.from('books').select('id').neq('id', 1).order('id'), { data: ids(2, 3, 4) })
await call('gt and lte', () => anon.from('books').select('id').gt('pages', 80).lte('pages', 300).order('id'), { data: ids(1, 3) })
await call('gte and lt', () => anon.from('books').select('id').gte('pages', 80).lt('pages', 300).order('id'), { data: ids(1, 2) })
await call('like', () => anon.from('books').select('id').like('title', 'E%'), { data: ids(1) })
await call('ilike', () => anon.from('books').select('id').ilike('title', '%SEA%'), { data: ids(3) })
await call('likeAnyOf', () => anon.from('books').select('id').likeAnyOf('title', ['E%', 'N%']).order('id'), { data: ids(1, 2) })
await call('ilikeAllOf', () => anon.from('books').select('id').ilikeAllOf('title', ['%tree%', 's%']), { data: ids(3) })
await call('is null', () => anon.from('books').select('id').is('pages', null), { data: ids(4) })
await call('not is null', () => anon.from('books').select('id').not('author_id', 'is', null).order('id'), { data: ids(1, 2, 3) })
await call('in', () => anon.from('books').select('id').in('title', ['Notes', 'Sea of Trees', 'a,b']).order('id'), { data: ids(2, 3) })
await call('contains an array', () => anon.from('books').select('id').contains('tags', ['maths', 'old']), { data: ids(1) })
await call('contains JSON', () => anon.from('books').select('id').contains('facts', { lang: 'fr' }), { data: ids(2) })
await call('contained by', () => anon.from('books').select('id').containedBy('tags', ['maths', 'green']).order('id'), { data: ids(2, 3, 4) })
await call('overlaps', () => anon.from('books').select('id').overlaps('tags', ['old', 'green']).order('id'), { data: ids(1, 3) })
await call('range is right of', () => anon.from('books').select('id').rangeGt('shelf', '[1,20)'), { data: ids(3) })
await call('range is adjacent to', () => anon.from('books').select('id').rangeAdjacent('shelf', '[20,30)'), { data: ids(2) })
await call('text search', () => anon.from('books').select('id').textSearch('title', 'tree', { type: 'websearch', config: 'english' }), { data: ids(3) })
await call('match', () => anon.from('books').select('id').match({ author_id: 1, pages: 80 }), { data: ids(2) })
await call('or', () => anon.from('books').select('id').or('pages.lt.100,and(author_id.eq.2,tags.cs.{green})').order('id'), { data: ids(2, 3) })
await call('filter by hand', () => anon.from('books').select('id').filter('facts->>lang', 'eq', 'en').order('id'), { data: ids(1, 4) })
await call('special characters', () => anon.from('books').select('id').eq('title', 'Untitled 100%'), { data: ids(4) })
await call('order with nulls first', () => anon.from('authors').select('id').order('born', { ascending: false, nullsFirst: true }), { data: ids(3, 2, 1) })
await call('limit', () => anon.from('numbers').select('n').order('n').limit(2), { data: [{ n: 1 }, { n: 2 }] })
await call('range', () => anon.from('numbers').select('n').order('n').range(9, 20), { data: [{ n: 10 }, { n: 11 }, { n: 12 }] })
await call('the server limits rows', () => anon.from('numbers').select('n', { count: 'exact' }), { status: 206, count: 12 })
await call('count without rows', () => anon.from('numbers').select('*', { count: 'exact', head: true }), { status: 206, count: 12, data: null })
await call('CSV', () => anon.from('authors').select('id,name').order('id').limit(2).csv(), { data: 'id,name\n1,Ada\n2,Bo' })
await call('an aborted request', () => {
  const abort = new AbortController()
  abort.abort()
  return anon.from('authors').select().abortSignal(abort.signal)
}, { data: null })

// One row.
await call('single', () => anon.from('authors').select('name').eq('id', 2).single(), { data: { name: 'Bo' }, error: null })
await call('single without rows', () => anon.from('authors').select('name').eq('id', 9).single(), {
  status: 406, code: 'PGRST116', message: 'Cannot coerce the result to a single JSON object', data: null,
})
await call('maybeSingle without rows', () => anon.from('authors').select('name').eq('id', 9).maybeSingle(), { data: null, error: null })
await call('maybeSingle with several rows', () => anon.from('authors').select('name').maybeSingle(), { code: 'PGRST116', data: null })

// Embedding.
await call('to one', () => anon.from('books').select('title,authors(name)').eq('id', 1).single(), {
  data: { title: 'Engines', authors: { name: 'Ada' } },
})
await call('to many, ordered and limited', () => anon.from('authors').select('name,books(title)').eq('id', 1)
  .order('title', { referencedTable: 'books', ascending: false }).limit(1, { referencedTable: 'books' }).single(), {
  data: { name: 'Ada', books: [{ title: 'Notes' }] },
})
await call('through a junction', () => anon.from('books').select('title,readers(name)').eq('id', 1)
  .order('name', { referencedTable: 'readers' }).single(), { data: { title: 'Engines', readers: [{ name: 'Rae' }, { name: 'Sol' }] } })
await call('inner', () => anon.from('books').select('id,authors!inner()').eq('authors.name', 'Bo'), { data: ids(3) })
await call('spread', () => anon.from('books').select('title,...authors(author:name)').eq('id', 3).single(), {
  data: { title: 'Sea of Trees', author: 'Bo' },
})
await call('filter on the embedded rows', () => anon.from('authors').select('id,books(id)').eq('books.id', 2).order('id').limit(1), {
  data: [{ id: 1, books: [{ id: 2 }] }],
})
await call('no such relationship', () => anon.from('books').select('id,numbers(n)'), { status: 400, code: 'PGRST200' })

// Errors of reading.
await call('unknown table', () => anon.from('nowhere').select(), {
  status: 404, code: 'PGRST205', message: "Could not find the table 'public.nowhere' in the schema cache",
})
await call('unknown column', () => anon.from('books').select('colour'), {
  status: 400, code: '42703', message: 'column books.colour does not exist',
})
await call('malformed value', () => anon.from('books').select().eq('id', 'x'), {
  status: 400, code: '22P02', message: 'invalid input syntax for type integer: "x"',
})

// Writing as people, under policies.
const mine = rae.client.from('notes')
await call('insert', () => mine.insert({ body: 'first', slug: 'a' }), { status: 201, data: null, error: null })
await call('insert and read back', () => mine.insert({ body: 'second', slug: 'b' }).select('body,owner,stars').single(), {
  status: 201, data: { body: 'second', owner: rae.id, stars: 3 },
})
await call('insert several rows, defaults for what is missing', () => mine
  .insert([{ body: 'third', slug: 'c', stars: 5 }, { body: 'fourth', slug: 'd' }], { defaultToNull: false }).select('slug,stars'), {
  data: [{ slug: 'c', stars: 5 }, { slug: 'd', stars: 3 }],
})
await call('count what was inserted', () => mine.insert([{ body: 'fifth' }], { count: 'exact' }), { status: 201, count: 1 })
await call('read own rows', () => mine.select('slug').not('slug', 'is', null).order('slug'), {
  data: [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }, { slug: 'd' }],
})
await call('rows of others are not there', () => sol.client.from('notes').select(), { status: 200, data: [] })
await call('nobody sees rows', () => anon.from('notes').select(), { status: 200, data: [], error: null })
await call('write for somebody else', () => sol.client.from('notes').insert({ body: 'x', owner: rae.id }), {
  status: 403, code: '42501', message: 'new row violates row-level security policy for table "notes"',
})
await call('write as nobody', () => anon.from('notes').insert({ body: 'x' }), { status: 401, code: '42501' })
await call('violate a unique key', () => mine.insert({ body: 'again', slug: 'a' }), { status: 409, code: '23505' })
await call('violate a check', () => mine.insert({ body: '' }), { status: 400, code: '23514' })
await call('unknown column in a body', () => mine.insert({ nope: 1 }), { status: 400, code: 'PGRST204' })
await call('upsert', () => service.from('authors').upsert({ id: 3, name: 'Cyd' }).select(), {
  status: 200, data: [{ id: 3, name: 'Cyd', born: null }],
})
await call('upsert on another key', () => service.from('notes')
  .upsert({ slug: 'a', body: 'changed', owner: rae.id }, { onConflict: 'slug' }).select('slug,body'), { data: [{ slug: 'a', body: 'changed' }] })
await call('ignore duplicates', () => service.from('authors')
  .upsert([{ id: 1, name: 'Nobody' }, { id: 4, name: 'Di' }], { ignoreDuplicates: true }).select('id,name'), {
  status: 201, data: [{ id: 4, name: 'Di' }],
})
await call('update', () => mine.update({ stars: 1 }).eq('slug', 'b'), { status: 204, data: null, error: null })
await call('update and read back', () => mine.update({ stars: 2 }).eq('slug', 'b').select('stars').single(), { status: 200, data: { stars: 2 } })
await call('update rows of others', () => sol.client.from('notes').update({ stars: 0 }).eq('slug', 'b').select(), { status: 200, data: [] })
await call('too many rows are affected', () => mine.update({ stars: 0 }).gte('id', 0).maxAffected(1), { status: 400, code: 'PGRST124' })
await call('delete and count', () => mine.delete({ count: 'exact' }).in('slug', ['c', 'd']), { status: 204, count: 2 })
await call('delete and read back', () => mine.delete().eq('slug', 'b').select('slug'), { status: 200, data: [{ slug: 'b' }] })

// Functions.
await call('function', () => anon.rpc('add', { a: 1, b: 2 }), { status: 200, data: 3 })
await call('function with a default', () => anon.rpc('add', { a: 1 }), { data: 11 })
await call('function by GET', () => anon.rpc('add', { a: 4, b: 4 }, { get: true }), { data: 8 })
await call('function with rows, filtered', () => anon.rpc('books_over', { floor_pages: 50 }).select('id,authors(name)').lt('pages', 100), {
  data: [{ id: 2, authors: { name: 'Ada' } }],
})
await call('count the rows of a function', () => anon.rpc('books_over', { floor_pages: 50 }, { head: true, count: 'exact' }), { count: 3, data: null })
await call('function without result', () => service.rpc('nothing'), { status: 204, data: null, error: null })
await call('who am I', () => rae.client.rpc('me'), { data: { role: 'authenticated', uid: rae.id, email: 'rae@example.com' } })
await call('who is nobody', () => anon.rpc('me'), { data: { role: 'anon', uid: null, email: null } })
await call('raised error', () => anon.rpc('fail', { why: 'no coffee' }), { status: 418, code: 'PT418', message: 'no coffee' })
await call('no such function', () => anon.rpc('ad', { a: 1 }), { status: 404, code: 'PGRST202' })

// postgrest-js alone, another schema.
await call('postgrest-js reads', () => rest.from('authors').select('name').eq('id', 1), { status: 200, data: [{ name: 'Ada' }] })
await call('postgrest-js calls', () => rest.rpc('add', { a: 2, b: 3 }), { data: 5 })
await call('postgrest-js on another schema', () => rest.schema('archive').from('books').select(), { data: [{ id: 1, title: 'Dust' }] })
await call('postgrest-js on a schema that is not exposed', () => rest.schema('auth').from('users').select(), {
  status: 406, code: 'PGRST106', message: 'Invalid schema: auth',
})
await call('supabase-js on another schema', () => rae.client.schema('archive').from('books').select('title').single(), { data: { title: 'Dust' } })
await call('postgrest-js strips nulls', () => rest.from('books').select('id,pages').eq('id', 4).stripNulls(), { data: [{ id: 4 }] })
await call('postgrest-js throws', async () => {
  await assert.rejects(async () => { await rest.from('nowhere').select().throwOnError() }, { code: 'PGRST205' })
  return { thrown: true }
}, { thrown: true })
