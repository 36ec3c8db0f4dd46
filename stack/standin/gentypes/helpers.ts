type Schemas = Omit<Database, "__InternalSupabase">

// The schema that names without one are of.
type DefaultSchema = Schemas[Extract<keyof Schemas, "public">]

type OtherSchema = { schema: keyof Schemas }

// What a schema has under the names of one or several sections.
type Section<Schema, Names extends PropertyKey> =
  Schema extends Record<Names, infer Section> ? Section : never
type Relations<Schema> = Section<Schema, "Tables"> & Section<Schema, "Views">

// The names that may follow a schema; none may follow a name of the default one.
type Second<First, Named> = First extends OtherSchema ? keyof Named : never

type Part<Relation, Name extends string> =
  Relation extends Record<Name, infer Found> ? Found : never

type SchemaOf<First> = First extends OtherSchema
  ? Schemas[First["schema"]]
  : DefaultSchema

type Chosen<Named, First, Name> = First extends OtherSchema
  ? Named[Name & keyof Named]
  : Named[First & keyof Named]

/** A row as it is read: Tables<"name">, or Tables<{ schema: "other" }, "name">. */
export type Tables<
  First extends keyof Relations<DefaultSchema> | OtherSchema,
  Name extends Second<First, Relations<SchemaOf<First>>> = never,
> = Part<Chosen<Relations<SchemaOf<First>>, First, Name>, "Row">

/** What is given to insert a row. */
export type TablesInsert<
  First extends keyof Section<DefaultSchema, "Tables"> | OtherSchema,
  Name extends Second<First, Section<SchemaOf<First>, "Tables">> = never,
> = Part<Chosen<Section<SchemaOf<First>, "Tables">, First, Name>, "Insert">

/** What is given to update rows. */
export type TablesUpdate<
  First extends keyof Section<DefaultSchema, "Tables"> | OtherSchema,
  Name extends Second<First, Section<SchemaOf<First>, "Tables">> = never,
> = Part<Chosen<Section<SchemaOf<First>, "Tables">, First, Name>, "Update">

/** The values of an enum. */
export type Enums<
  First extends keyof Section<DefaultSchema, "Enums"> | OtherSchema,
  Name extends Second<First, Section<SchemaOf<First>, "Enums">> = never,
> = Chosen<Section<SchemaOf<First>, "Enums">, First, Name>

/** A composite type. */
export type CompositeTypes<
  First extends keyof Section<DefaultSchema, "CompositeTypes"> | OtherSchema,
  Name extends Second<First, Section<SchemaOf<First>, "CompositeTypes">> = never,
> = Chosen<Section<SchemaOf<First>, "CompositeTypes">, First, Name>
