package probes

// CatalogObservation holds what the database's catalog says about the tables,
// policies and functions that explain why requests end as they do. It is taken
// after the arrange steps and before the probes.
type CatalogObservation struct {
	Timing
	// Tables maps "schema.table" to its facts. A table that does not exist is in
	// it with Exists false.
	Tables map[string]*TableFacts `json:"tables,omitempty"`
	// Functions are the functions of the exposed schema that belong to no
	// extension.
	Functions []FunctionFacts `json:"functions,omitempty"`
	// Trouble is set when the catalog could not be read.
	Trouble string `json:"trouble,omitempty"`
}

// TableFacts is what the catalog says about one table.
type TableFacts struct {
	Exists bool `json:"exists"`
	// RLS is true when row level security is enabled.
	RLS bool `json:"rls"`
	// Owner is the role that owns it.
	Owner string `json:"owner,omitempty"`
	// Grants maps a role (anon, authenticated, supabase_auth_admin) to the
	// privileges it has, directly or by membership, in lower case: "delete".
	Grants map[string][]string `json:"grants,omitempty"`
	// Policies are the table's policies, by name.
	Policies []PolicyFacts `json:"policies,omitempty"`
}

// Granted reports whether the role has the privilege on the table.
func (t *TableFacts) Granted(role, privilege string) bool {
	if t == nil {
		return false
	}
	for _, granted := range t.Grants[role] {
		if granted == privilege {
			return true
		}
	}
	return false
}

// PolicyFacts is one row level security policy.
type PolicyFacts struct {
	Name string `json:"name"`
	// Permissive is false for a restrictive policy.
	Permissive bool `json:"permissive"`
	// Command is "select", "insert", "update", "delete" or "all".
	Command string `json:"command"`
	// Roles are the roles it is for; "public" means everyone.
	Roles []string `json:"roles"`
	// Using and Check are the expressions as Postgres prints them; empty when the
	// policy has none.
	Using string `json:"using,omitempty"`
	Check string `json:"check,omitempty"`
}

// For reports whether the policy is for the command and the role.
func (p *PolicyFacts) For(command, role string) bool {
	if p.Command != command && p.Command != "all" {
		return false
	}
	for _, name := range p.Roles {
		if name == role || name == "public" {
			return true
		}
	}
	return false
}

// FunctionFacts is what the catalog says about one function.
type FunctionFacts struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	// Arguments are the argument types as Postgres prints them: "event jsonb".
	Arguments string `json:"arguments"`
	Returns   string `json:"returns"`
	Language  string `json:"language"`
	// Definer is true for SECURITY DEFINER.
	Definer bool `json:"definer"`
	// SearchPath is true when the function pins its search_path.
	SearchPath bool `json:"search_path"`
	// Mentions are the observed tables ("schema.table") that its text names.
	Mentions []string `json:"mentions,omitempty"`
}

// HookObservation is an Auth hook as configured, and its function as the database
// has it.
type HookObservation struct {
	Timing
	Config HookConfig `json:"config"`
	// Others are the names of other hooks that are enabled, sorted: one of them may
	// have been taken for this one.
	Others []string `json:"others,omitempty"`
	// Checked is true when the database was asked for the function, which needs a
	// pg-functions uri.
	Checked bool `json:"checked"`
	// Exists is true when a function of that schema and name exists.
	Exists bool `json:"exists"`
	// Similar names functions "schema.name" that take one jsonb and return jsonb,
	// when the configured one does not exist.
	Similar []string `json:"similar,omitempty"`
	// Signatures are the functions of that name: "custom_access_token_hook(jsonb)
	// returns jsonb".
	Signatures []string `json:"signatures,omitempty"`
	// Callable is true when one of them can be called with one argument, the event.
	Callable bool `json:"callable"`
	// SchemaUsage and Execute say what supabase_auth_admin, the role that runs
	// hooks, may do.
	SchemaUsage bool `json:"schema_usage"`
	Execute     bool `json:"execute"`
	// Definer is true for SECURITY DEFINER: then the owner's rights count.
	Definer bool `json:"definer"`
	// Reads are the tables that the function's text mentions.
	Reads []HookRead `json:"reads,omitempty"`
	// Trouble is set when the database could not be asked.
	Trouble string `json:"trouble,omitempty"`
}

// HookRead is a table that a hook's function mentions.
type HookRead struct {
	// Table is "schema.table".
	Table string `json:"table"`
	// Select is true when supabase_auth_admin may select from it.
	Select bool `json:"select"`
	// RLS is true when row level security is enabled on it, and Policy when one of
	// its policies lets supabase_auth_admin select.
	RLS    bool `json:"rls"`
	Policy bool `json:"policy"`
}
