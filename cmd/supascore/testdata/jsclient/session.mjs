// One person's session as an application has it: signUp, insert, select, rpc, signOut. It finds the stack by the variables
// that `supabase status -o env` prints, and ends with exit code 1 at the first answer that is not the expected one.
import assert from 'node:assert/strict'
import { createClient } from '@supabase/supabase-js'

const { API_URL, PUBLISHABLE_KEY } = process.env
// Node.js before 22 has no WebSocket, and without a transport supabase-js does not start. None is opened here.
const options = {
  auth: { persistSession: false, autoRefreshToken: false },
  realtime: { transport: class {} },
}
const client = createClient(API_URL, PUBLISHABLE_KEY, options)
const before = await client.from('notes').select('body')
assert.equal(before.error?.code, '42501', 'nobody is signed in')

const up = await client.auth.signUp({ email: 'ada@example.com', password: 'a password of ada' })
assert.equal(up.error, null)
assert.equal(up.data.user.email, 'ada@example.com')
assert.ok(up.data.session.access_token)

const inserted = await client.from('notes').insert({ body: 'first' }).select('body, owner').single()
assert.equal(inserted.error, null)
assert.deepEqual(inserted.data, { body: 'first', owner: up.data.user.id })
const foreign = await client.from('notes').insert({ body: 'second', owner: '00000000-0000-0000-0000-000000000000' })
assert.equal(foreign.error.code, '42501')

const selected = await client.from('notes').select('body').order('body')
assert.deepEqual(selected.data, [{ body: 'first' }])
const count = await client.rpc('count_notes', { containing: 'ir' })
assert.equal(count.error, null)
assert.equal(count.data, 1)

const out = await client.auth.signOut()
assert.equal(out.error, null)
assert.equal((await client.auth.getSession()).data.session, null)
const after = await client.from('notes').select('body')
assert.equal(after.error?.code, '42501', 'nobody is signed in any more')

const back = await client.auth.signInWithPassword({ email: 'ada@example.com', password: 'a password of ada' })
assert.equal(back.error, null)
assert.deepEqual((await client.from('notes').select('body')).data, [{ body: 'first' }])
console.log('every answer was the expected one')
