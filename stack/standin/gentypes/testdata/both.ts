export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  other: {
    Tables: {
      shades: {
        Row: {
          e: string | null
          s: Database["other"]["Enums"]["shade"]
          sa: Database["other"]["Enums"]["shade"][]
        }
        Insert: {
          e?: string | null
          s: Database["other"]["Enums"]["shade"]
          sa: Database["other"]["Enums"]["shade"][]
        }
        Update: {
          e?: string | null
          s?: Database["other"]["Enums"]["shade"]
          sa?: Database["other"]["Enums"]["shade"][]
        }
        Relationships: []
      }
      things: {
        Row: {
          id: number
          kind: Database["public"]["Enums"]["mood"] | null
          person: string | null
        }
        Insert: {
          id: number
          kind?: Database["public"]["Enums"]["mood"] | null
          person?: string | null
        }
        Update: {
          id?: number
          kind?: Database["public"]["Enums"]["mood"] | null
          person?: string | null
        }
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      [_ in never]: never
    }
    Enums: {
      shade:
        | "a_long_name_of_a_variant_number_one"
        | "a_long_name_of_a_variant_number_two"
        | "a_long_name_of_a_variant_number_three"
      single: "only"
      two: "a_variant_of_thirty_characters" | "one_more_of_thirty_characters_"
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
  public: {
    Tables: {
      child: {
        Row: {
          a: number | null
          b: number | null
          c: string | null
          parent_of_this_row_with_a_long_name: number | null
        }
        Insert: {
          a?: number | null
          b?: number | null
          c?: string | null
          parent_of_this_row_with_a_long_name?: number | null
        }
        Update: {
          a?: number | null
          b?: number | null
          c?: string | null
          parent_of_this_row_with_a_long_name?: number | null
        }
        Relationships: [
          {
            foreignKeyName: "a_rather_long_constraint_name_for_a_foreign_key_of_two_columns"
            columns: ["a", "b"]
            isOneToOne: false
            referencedRelation: "pair"
            referencedColumns: [
              "first_long_column_name",
              "second_long_column_name",
            ]
          },
          {
            foreignKeyName: "a_rather_long_constraint_name_for_a_foreign_key_of_two_columns"
            columns: ["a", "b"]
            isOneToOne: false
            referencedRelation: "pair_view"
            referencedColumns: ["f", "s"]
          },
          {
            foreignKeyName: "a_rather_long_constraint_name_for_a_foreign_key_of_two_columns"
            columns: ["a", "b"]
            isOneToOne: false
            referencedRelation: "pair_view"
            referencedColumns: ["f2", "s"]
          },
          {
            foreignKeyName: "child_parent_of_this_row_with_a_long_name_fkey"
            columns: ["parent_of_this_row_with_a_long_name"]
            isOneToOne: false
            referencedRelation: "Weird Table"
            referencedColumns: ["Key"]
          },
        ]
      }
      ext: {
        Row: {
          bits: unknown
          c: string | null
          cs: string[] | null
          j: Json
          m: unknown
          n: unknown
          nn: number[] | null
          o: unknown
          p: unknown
          ts: unknown
          x: unknown
        }
        Insert: {
          bits?: unknown
          c?: string | null
          cs?: string[] | null
          j?: Json
          m?: unknown
          n?: unknown
          nn?: number[] | null
          o?: unknown
          p?: unknown
          ts?: unknown
          x?: unknown
        }
        Update: {
          bits?: unknown
          c?: string | null
          cs?: string[] | null
          j?: Json
          m?: unknown
          n?: unknown
          nn?: number[] | null
          o?: unknown
          p?: unknown
          ts?: unknown
          x?: unknown
        }
        Relationships: []
      }
      nothing: {
        Row: {}
        Insert: {}
        Update: {}
        Relationships: []
      }
      one: {
        Row: {
          id: number
          pair: number | null
        }
        Insert: {
          id: number
          pair?: number | null
        }
        Update: {
          id?: number
          pair?: number | null
        }
        Relationships: [
          {
            foreignKeyName: "one_pair_fkey"
            columns: ["pair"]
            isOneToOne: true
            referencedRelation: "self"
            referencedColumns: ["id"]
          },
        ]
      }
      pair: {
        Row: {
          first_long_column_name: number
          second_long_column_name: number
        }
        Insert: {
          first_long_column_name: number
          second_long_column_name: number
        }
        Update: {
          first_long_column_name?: number
          second_long_column_name?: number
        }
        Relationships: []
      }
      parts: {
        Row: {
          at: string
          id: number
        }
        Insert: {
          at: string
          id: number
        }
        Update: {
          at?: string
          id?: number
        }
        Relationships: []
      }
      parts_1: {
        Row: {
          at: string
          id: number
        }
        Insert: {
          at: string
          id: number
        }
        Update: {
          at?: string
          id?: number
        }
        Relationships: []
      }
      people: {
        Row: {
          addr: Database["public"]["CompositeTypes"]["address"] | null
          age: number | null
          at: string
          big: number
          born: string | null
          bydef: number
          ch: string | null
          class: string
          doc: Json | null
          docs: Json[] | null
          doubled: number | null
          during: unknown
          flt: number | null
          id: string
          ip: unknown
          mail: string | null
          mood: Database["public"]["Enums"]["mood"] | null
          moods: Database["public"]["Enums"]["mood"][] | null
          name: string
          price: number
          raw: string | null
          span: string | null
          t: string | null
          vec: unknown
          "weird name": string | null
          yes: boolean
          best: Database["public"]["Enums"]["mood"] | null
          people_count: number | null
          posts_of: {
            author: string
            editor: string | null
            id: number
            title: string
          } | null
        }
        Insert: {
          addr?: Database["public"]["CompositeTypes"]["address"] | null
          age?: number | null
          at?: string
          big?: never
          born?: string | null
          bydef?: number
          ch?: string | null
          class?: string
          doc?: Json | null
          docs?: Json[] | null
          doubled?: number | null
          during?: unknown
          flt?: number | null
          id?: string
          ip?: unknown
          mail?: string | null
          mood?: Database["public"]["Enums"]["mood"] | null
          moods?: Database["public"]["Enums"]["mood"][] | null
          name: string
          price?: number
          raw?: string | null
          span?: string | null
          t?: string | null
          vec?: unknown
          "weird name"?: string | null
          yes: boolean
        }
        Update: {
          addr?: Database["public"]["CompositeTypes"]["address"] | null
          age?: number | null
          at?: string
          big?: never
          born?: string | null
          bydef?: number
          ch?: string | null
          class?: string
          doc?: Json | null
          docs?: Json[] | null
          doubled?: number | null
          during?: unknown
          flt?: number | null
          id?: string
          ip?: unknown
          mail?: string | null
          mood?: Database["public"]["Enums"]["mood"] | null
          moods?: Database["public"]["Enums"]["mood"][] | null
          name?: string
          price?: number
          raw?: string | null
          span?: string | null
          t?: string | null
          vec?: unknown
          "weird name"?: string | null
          yes?: boolean
        }
        Relationships: []
      }
      posts: {
        Row: {
          author: string
          editor: string | null
          id: number
          title: string
          full_title: string | null
        }
        Insert: {
          author: string
          editor?: string | null
          id?: number
          title: string
        }
        Update: {
          author?: string
          editor?: string | null
          id?: number
          title?: string
        }
        Relationships: [
          {
            foreignKeyName: "posts_author_fkey"
            columns: ["author"]
            isOneToOne: false
            referencedRelation: "people"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "posts_editor_fkey"
            columns: ["editor"]
            isOneToOne: false
            referencedRelation: "people"
            referencedColumns: ["id"]
          },
        ]
      }
      profiles: {
        Row: {
          bio: string | null
          id: string
          user_id: string | null
        }
        Insert: {
          bio?: string | null
          id: string
          user_id?: string | null
        }
        Update: {
          bio?: string | null
          id?: string
          user_id?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "profiles_id_fkey"
            columns: ["id"]
            isOneToOne: true
            referencedRelation: "people"
            referencedColumns: ["id"]
          },
        ]
      }
      self: {
        Row: {
          id: number
          parent: number | null
        }
        Insert: {
          id: number
          parent?: number | null
        }
        Update: {
          id?: number
          parent?: number | null
        }
        Relationships: [
          {
            foreignKeyName: "self_parent_fkey"
            columns: ["parent"]
            isOneToOne: false
            referencedRelation: "self"
            referencedColumns: ["id"]
          },
        ]
      }
      tags: {
        Row: {
          post: number
          tag: string
        }
        Insert: {
          post: number
          tag: string
        }
        Update: {
          post?: number
          tag?: string
        }
        Relationships: [
          {
            foreignKeyName: "tags_post_fkey"
            columns: ["post"]
            isOneToOne: false
            referencedRelation: "mixed"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "tags_post_fkey"
            columns: ["post"]
            isOneToOne: false
            referencedRelation: "post_people"
            referencedColumns: ["post"]
          },
          {
            foreignKeyName: "tags_post_fkey"
            columns: ["post"]
            isOneToOne: false
            referencedRelation: "posts"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "tags_post_fkey"
            columns: ["post"]
            isOneToOne: false
            referencedRelation: "ro"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "tags_post_fkey"
            columns: ["post"]
            isOneToOne: false
            referencedRelation: "titles"
            referencedColumns: ["id"]
          },
        ]
      }
      twos: {
        Row: {
          a: Database["other"]["Enums"]["two"][] | null
          b: Database["other"]["Enums"]["two"]
          c: Database["other"]["Enums"]["single"] | null
          d: Database["other"]["Enums"]["single"][]
        }
        Insert: {
          a?: Database["other"]["Enums"]["two"][] | null
          b: Database["other"]["Enums"]["two"]
          c?: Database["other"]["Enums"]["single"] | null
          d: Database["other"]["Enums"]["single"][]
        }
        Update: {
          a?: Database["other"]["Enums"]["two"][] | null
          b?: Database["other"]["Enums"]["two"]
          c?: Database["other"]["Enums"]["single"] | null
          d?: Database["other"]["Enums"]["single"][]
        }
        Relationships: []
      }
      "Weird Table": {
        Row: {
          "1st": string | null
          a_rather_long_column_name_to_make_the_line_long:
            Database["public"]["Enums"]["long_variants"] | null
          another_long_column_name:
            Database["public"]["Enums"]["Weird Enum"][] | null
          'has"quote': string | null
          Key: number
          short_y: Database["public"]["Enums"]["mood"][]
          ünï: string | null
          x: Database["other"]["Enums"]["shade"] | null
          y: Database["other"]["Enums"]["shade"][] | null
        }
        Insert: {
          "1st"?: string | null
          a_rather_long_column_name_to_make_the_line_long?:
            Database["public"]["Enums"]["long_variants"] | null
          another_long_column_name?:
            Database["public"]["Enums"]["Weird Enum"][] | null
          'has"quote'?: string | null
          Key: number
          short_y: Database["public"]["Enums"]["mood"][]
          ünï?: string | null
          x?: Database["other"]["Enums"]["shade"] | null
          y?: Database["other"]["Enums"]["shade"][] | null
        }
        Update: {
          "1st"?: string | null
          a_rather_long_column_name_to_make_the_line_long?:
            Database["public"]["Enums"]["long_variants"] | null
          another_long_column_name?:
            Database["public"]["Enums"]["Weird Enum"][] | null
          'has"quote'?: string | null
          Key?: number
          short_y?: Database["public"]["Enums"]["mood"][]
          ünï?: string | null
          x?: Database["other"]["Enums"]["shade"] | null
          y?: Database["other"]["Enums"]["shade"][] | null
        }
        Relationships: []
      }
      zed: {
        Row: {
          _a: number | null
          "-x": number | null
          a: number | null
          A: number | null
          a_1: number | null
          a1: number | null
          aa: number | null
          b: number | null
          B: number | null
          é: number | null
          f: number | null
        }
        Insert: {
          _a?: number | null
          "-x"?: number | null
          a?: number | null
          A?: number | null
          a_1?: number | null
          a1?: number | null
          aa?: number | null
          b?: number | null
          B?: number | null
          é?: number | null
          f?: number | null
        }
        Update: {
          _a?: number | null
          "-x"?: number | null
          a?: number | null
          A?: number | null
          a_1?: number | null
          a1?: number | null
          aa?: number | null
          b?: number | null
          B?: number | null
          é?: number | null
          f?: number | null
        }
        Relationships: []
      }
    }
    Views: {
      child_view: {
        Row: {
          a: number | null
          b: number | null
          c: string | null
          parent_of_this_row_with_a_long_name: number | null
        }
        Insert: {
          a?: number | null
          b?: number | null
          c?: string | null
          parent_of_this_row_with_a_long_name?: number | null
        }
        Update: {
          a?: number | null
          b?: number | null
          c?: string | null
          parent_of_this_row_with_a_long_name?: number | null
        }
        Relationships: [
          {
            foreignKeyName: "a_rather_long_constraint_name_for_a_foreign_key_of_two_columns"
            columns: ["a", "b"]
            isOneToOne: false
            referencedRelation: "pair"
            referencedColumns: [
              "first_long_column_name",
              "second_long_column_name",
            ]
          },
          {
            foreignKeyName: "a_rather_long_constraint_name_for_a_foreign_key_of_two_columns"
            columns: ["a", "b"]
            isOneToOne: false
            referencedRelation: "pair_view"
            referencedColumns: ["f", "s"]
          },
          {
            foreignKeyName: "a_rather_long_constraint_name_for_a_foreign_key_of_two_columns"
            columns: ["a", "b"]
            isOneToOne: false
            referencedRelation: "pair_view"
            referencedColumns: ["f2", "s"]
          },
          {
            foreignKeyName: "child_parent_of_this_row_with_a_long_name_fkey"
            columns: ["parent_of_this_row_with_a_long_name"]
            isOneToOne: false
            referencedRelation: "Weird Table"
            referencedColumns: ["Key"]
          },
        ]
      }
      counts: {
        Row: {
          author: string | null
          count: number | null
        }
        Relationships: [
          {
            foreignKeyName: "posts_author_fkey"
            columns: ["author"]
            isOneToOne: false
            referencedRelation: "people"
            referencedColumns: ["id"]
          },
        ]
      }
      mixed: {
        Row: {
          id: number | null
          title: string | null
          up: string | null
        }
        Insert: {
          id?: number | null
          title?: string | null
          up?: never
        }
        Update: {
          id?: number | null
          title?: string | null
          up?: never
        }
        Relationships: []
      }
      pair_view: {
        Row: {
          f: number | null
          f2: number | null
          s: number | null
        }
        Insert: {
          f?: number | null
          f2?: number | null
          s?: number | null
        }
        Update: {
          f?: number | null
          f2?: number | null
          s?: number | null
        }
        Relationships: []
      }
      post_people: {
        Row: {
          name: string | null
          post: number | null
          title: string | null
        }
        Relationships: []
      }
      ro: {
        Row: {
          id: number | null
          up: string | null
        }
        Insert: {
          id?: number | null
          up?: never
        }
        Update: {
          id?: number | null
          up?: never
        }
        Relationships: []
      }
      titles: {
        Row: {
          author: string | null
          id: number | null
          title: string | null
        }
        Insert: {
          author?: string | null
          id?: number | null
          title?: string | null
        }
        Update: {
          author?: string | null
          id?: number | null
          title?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "posts_author_fkey"
            columns: ["author"]
            isOneToOne: false
            referencedRelation: "people"
            referencedColumns: ["id"]
          },
        ]
      }
    }
    Functions: {
      a_function_with_a_rather_long_name: {
        Args: {
          first_argument: string
          second_argument: Database["public"]["Enums"]["mood"]
          third_argument?: Json
        }
        Returns: string[]
      }
      add: { Args: { a: number; b?: number }; Returns: number }
      addr: {
        Args: { m: Database["public"]["Enums"]["mood"] }
        Returns: Database["public"]["CompositeTypes"]["address"]
        SetofOptions: {
          from: "*"
          to: "address"
          isOneToOne: true
          isSetofReturn: false
        }
      }
      all_posts: {
        Args: never
        Returns: {
          author: string
          editor: string | null
          id: number
          title: string
        }[]
        SetofOptions: {
          from: "*"
          to: "posts"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      author_of: {
        Args: { p: Database["public"]["Tables"]["posts"]["Row"] }
        Returns: {
          addr: Database["public"]["CompositeTypes"]["address"] | null
          age: number | null
          at: string
          big: number
          born: string | null
          bydef: number
          ch: string | null
          class: string
          doc: Json | null
          docs: Json[] | null
          doubled: number | null
          during: unknown
          flt: number | null
          id: string
          ip: unknown
          mail: string | null
          mood: Database["public"]["Enums"]["mood"] | null
          moods: Database["public"]["Enums"]["mood"][] | null
          name: string
          price: number
          raw: string | null
          span: string | null
          t: string | null
          vec: unknown
          "weird name": string | null
          yes: boolean
        }
        SetofOptions: {
          from: "posts"
          to: "people"
          isOneToOne: true
          isSetofReturn: true
        }
      }
      best: {
        Args: { "": Database["public"]["Tables"]["people"]["Row"] }
        Returns: {
          error: true
        } & "the function public.best with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
      }
      cnt: {
        Args: never
        Returns: {
          author: string | null
          count: number | null
        }[]
        SetofOptions: {
          from: "*"
          to: "counts"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      defjson:
        | {
            Args: never
            Returns: {
              error: true
            } & "Could not choose the best candidate function between: public.defjson(), public.defjson( => int4). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
          }
        | { Args: { ""?: Json }; Returns: number }
      dom: { Args: { e: unknown }; Returns: unknown }
      full_title: {
        Args: { "": Database["public"]["Tables"]["posts"]["Row"] }
        Returns: {
          error: true
        } & "the function public.full_title with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
      }
      hello: { Args: never; Returns: string }
      ids: { Args: never; Returns: string[] }
      inouts: {
        Args: { a: number; b?: string }
        Returns: Record<string, unknown>
      }
      longer_function_name_here: {
        Args: { a_number: number; some_text: string }
        Returns: number
      }
      moods: { Args: never; Returns: Database["public"]["Enums"]["mood"][] }
      nop: { Args: never; Returns: undefined }
      nov:
        | { Args: never; Returns: string }
        | { Args: { "": Json }; Returns: string }
      one_other: {
        Args: { "": Database["other"]["Tables"]["things"]["Row"] }
        Returns: Database["other"]["Tables"]["things"]["Row"]
        SetofOptions: {
          from: "other.things"
          to: "things"
          isOneToOne: true
          isSetofReturn: false
        }
      }
      one_post: {
        Args: { pid: number }
        Returns: {
          author: string
          editor: string | null
          id: number
          title: string
        }
        SetofOptions: {
          from: "*"
          to: "posts"
          isOneToOne: true
          isSetofReturn: false
        }
      }
      one_row: {
        Args: { pid: number }
        Returns: {
          author: string
          editor: string | null
          id: number
          title: string
        }
        SetofOptions: {
          from: "*"
          to: "posts"
          isOneToOne: true
          isSetofReturn: true
        }
      }
      onejson: { Args: { "": Json }; Returns: number }
      onejsonb: { Args: { "": Json }; Returns: Json }
      outs: { Args: { a: number }; Returns: Record<string, unknown> }
      ov:
        | { Args: { a: string }; Returns: Database["public"]["Enums"]["mood"] }
        | {
            Args: { a: string; b: number }
            Returns: {
              first_long_column_name: number
              second_long_column_name: number
            }[]
            SetofOptions: {
              from: "*"
              to: "pair"
              isOneToOne: false
              isSetofReturn: true
            }
          }
      over:
        | {
            Args: { a: number }
            Returns: {
              error: true
            } & "Could not choose the best candidate function between: public.over(a => int4), public.over(a => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
          }
        | {
            Args: { a: string }
            Returns: {
              error: true
            } & "Could not choose the best candidate function between: public.over(a => int4), public.over(a => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
          }
      over2:
        | { Args: { a: number }; Returns: number }
        | { Args: { a: number; b: number }; Returns: string }
      people_count: {
        Args: { "": Database["public"]["Tables"]["people"]["Row"] }
        Returns: {
          error: true
        } & "the function public.people_count with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
      }
      posts_of: {
        Args: { "": Database["public"]["Tables"]["people"]["Row"] }
        Returns: {
          author: string
          editor: string | null
          id: number
          title: string
        }[]
        SetofOptions: {
          from: "people"
          to: "posts"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      rec: { Args: never; Returns: Record<string, unknown>[] }
      shade: { Args: never; Returns: Database["other"]["Enums"]["shade"] }
      shade_of: {
        Args: {
          s: Database["other"]["Enums"]["shade"]
          t: Database["other"]["Enums"]["shade"][]
        }
        Returns: Database["other"]["Enums"]["shade"][]
      }
      short:
        { Args: never; Returns: Json } | { Args: { a: Json }; Returns: Json }
      slightly_longer:
        { Args: never; Returns: Json } | { Args: { a: Json }; Returns: Json }
      tab: {
        Args: { q: string }
        Returns: {
          id: number
          label: string
        }[]
      }
      things: {
        Args: never
        Returns: Database["other"]["Tables"]["things"]["Row"][]
        SetofOptions: {
          from: "*"
          to: "things"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      two:
        | { Args: never; Returns: number }
        | { Args: { a: number }; Returns: number }
      v: {
        Args: { t: Database["public"]["Views"]["titles"]["Row"] }
        Returns: {
          author: string | null
          id: number | null
          title: string | null
        }[]
        SetofOptions: {
          from: "titles"
          to: "titles"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      vary: { Args: { xs: number[] }; Returns: number }
    }
    Enums: {
      long_variants:
        | "the first of the long variants"
        | "the second of the long variants"
        | "the third"
      mood: "happy" | 'so "so"' | "sad"
      "Weird Enum":
        "it's" | 'say "hi"' | "both ' and \"" | "back\\slash" | "tab\tx" | "ünï"
    }
    CompositeTypes: {
      address: {
        street: string | null
        zip: number | null
        mood: Database["public"]["Enums"]["mood"] | null
        tags: string[] | null
      }
      nested: {
        a: Database["public"]["CompositeTypes"]["address"] | null
        m: Database["public"]["Enums"]["mood"][] | null
        p: Database["public"]["Tables"]["people"]["Row"] | null
        d: unknown
      }
    }
  }
}

// The names that come here are the CLI's own text, and not recorded.

export const Constants = {
  other: {
    Enums: {
      shade: [
        "a_long_name_of_a_variant_number_one",
        "a_long_name_of_a_variant_number_two",
        "a_long_name_of_a_variant_number_three",
      ],
      single: ["only"],
      two: ["a_variant_of_thirty_characters", "one_more_of_thirty_characters_"],
    },
  },
  public: {
    Enums: {
      long_variants: [
        "the first of the long variants",
        "the second of the long variants",
        "the third",
      ],
      mood: ["happy", 'so "so"', "sad"],
      "Weird Enum": [
        "it's",
        'say "hi"',
        "both ' and \"",
        "back\\slash",
        "tab\tx",
        "ünï",
      ],
    },
  },
} as const
