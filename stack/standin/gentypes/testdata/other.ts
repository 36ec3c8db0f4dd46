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
          kind: "happy" | 'so "so"' | "sad" | null
          person: string | null
        }
        Insert: {
          id: number
          kind?: "happy" | 'so "so"' | "sad" | null
          person?: string | null
        }
        Update: {
          id?: number
          kind?: "happy" | 'so "so"' | "sad" | null
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
} as const
