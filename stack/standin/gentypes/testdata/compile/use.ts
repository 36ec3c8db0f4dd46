// What programs do with the types, as claims that the compiler checks.
import { createClient } from "@supabase/supabase-js"
import {
  Constants,
  type CompositeTypes,
  type Database,
  type Enums,
  type Json,
  type Tables,
  type TablesInsert,
  type TablesUpdate,
} from "./types.js"

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
    ? true
    : false
declare function claim<_ extends true>(): void

// Rows of tables and views, of the default schema and of another.
claim<Same<Tables<"posts">["title"], string>>()
claim<Same<Tables<"posts">["editor"], string | null>>()
claim<Same<Tables<"titles">["title"], string | null>>()
claim<Same<Tables<"people">["doc"], Json | null>>()
claim<Same<Tables<"people">["moods"], ("happy" | 'so "so"' | "sad")[] | null>>()
claim<Same<Tables<{ schema: "other" }, "things">, { id: number; kind: Enums<"mood"> | null; person: string | null }>>()
claim<Same<Tables<{ schema: "public" }, "titles">, Tables<"titles">>>()
// @ts-expect-error there is no such table
type Missing = Tables<"nothing_here">
// @ts-expect-error the other schema has no such table
type MissingThere = Tables<{ schema: "other" }, "posts">
// @ts-expect-error there is no such schema
type MissingSchema = Tables<{ schema: "elsewhere" }, "posts">

// What is given to write rows.
claim<Same<TablesInsert<"posts">, { author: string; editor?: string | null; id?: number; title: string }>>()
claim<Same<TablesUpdate<"posts">, { author?: string; editor?: string | null; id?: number; title?: string }>>()
claim<Same<TablesInsert<{ schema: "other" }, "things">["id"], number>>()
claim<Same<TablesUpdate<{ schema: "other" }, "things">["person"], string | null | undefined>>()
claim<Same<TablesInsert<"people">["big"], undefined>>()
// @ts-expect-error a view is not among the tables
type NoTable = TablesInsert<"titles">
// @ts-expect-error a title is required
const incomplete: TablesInsert<"posts"> = { author: "someone" }

// Enums, composite types, and values that are there when the program runs.
claim<Same<Enums<"mood">, "happy" | 'so "so"' | "sad">>()
claim<Same<Enums<{ schema: "other" }, "single">, "only">>()
claim<Same<CompositeTypes<"address">["zip"], number | null>>()
claim<Same<CompositeTypes<{ schema: "public" }, "address">, CompositeTypes<"address">>>()
claim<Same<(typeof Constants.public.Enums.mood)[number], Enums<"mood">>>()
// @ts-expect-error there is no such enum
type NoEnum = Enums<"shade">

// supabase-js knows tables, their relationships and functions by these types.
const client = createClient<Database>("http://127.0.0.1", "key")

export async function read() {
  const post = await client
    .from("posts")
    .select("id, title, author:people!posts_author_fkey (name, mood)")
    .single()
  if (post.data) {
    claim<Same<typeof post.data.title, string>>()
    claim<Same<typeof post.data.author.name, string>>()
    claim<Same<typeof post.data.author.mood, Enums<"mood"> | null>>()
  }
  const tagged = await client.from("posts").select("title, tags (tag)").single()
  if (tagged.data) claim<Same<typeof tagged.data.tags, { tag: string }[]>>()
  const profile = await client.from("people").select("profiles (bio)").single()
  if (profile.data) claim<Same<typeof profile.data.profiles, { bio: string | null } | null>>()
  const things = await client.schema("other").from("things").select("kind")
  if (things.data) claim<Same<typeof things.data, { kind: Enums<"mood"> | null }[]>>()
  const missing = await client.from("posts").select("no_such_column")
  // @ts-expect-error the column is not there
  missing.data?.[0].no_such_column
}

export async function write() {
  await client.from("posts").insert({ author: "someone", title: "words" })
  await client.from("posts").update({ title: "others" }).eq("id", 1)
  // @ts-expect-error a title is no number
  await client.from("posts").update({ title: 1 })
  // @ts-expect-error the database alone gives this value
  await client.from("people").insert({ name: "A", yes: true, big: 1 })
}

export async function call() {
  const sum = await client.rpc("add", { a: 1 })
  claim<Same<typeof sum.data, number | null>>()
  const posts = await client.rpc("all_posts").select("title")
  claim<Same<typeof posts.data, { title: string }[] | null>>()
  const rows = await client.rpc("tab", { q: "x" })
  claim<Same<typeof rows.data, { id: number; label: string }[] | null>>()
  // @ts-expect-error an argument is missing
  await client.rpc("add", { b: 1 })
  // @ts-expect-error there is no such function
  await client.rpc("subtract", { a: 1 })
}
