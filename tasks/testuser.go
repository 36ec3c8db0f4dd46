package tasks

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// The roles of a Supabase project that a request may run as.
const (
	RoleAnon          = "anon"
	RoleAuthenticated = "authenticated"
	RoleService       = "service_role"
)

var (
	uuidPattern = regexp.MustCompile(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`)
	// rolePattern is a role that needs no quotes in SQL.
	rolePattern = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)
)

// inlineClaims are the claims of an access token (custom access token hook, "Access
// token claims") that a user may have beside role and sub instead of under "claims".
func inlineClaims() []string {
	return []string{
		"aal", "amr", "app_metadata", "aud", "email", "exp", "iat", "is_anonymous", "iss", "phone",
		"session_id", "user_metadata",
	}
}

// declare reads the users that a file names: a mapping from alias to user, or a list
// of users that have a name.
func (r *testsReader) declare(n strictyaml.Node) {
	if !n.Exists() || n.IsNull() {
		return
	}
	if n.IsSequence() {
		r.met("users are a list")
		for _, item := range n.Items() {
			user := r.described(item, "name|alias|id")
			if user.Alias == "" && item.IsMapping() {
				item.Fail("", "the user has no name")
			}
			r.add(item, user)
		}
		return
	}
	for _, pair := range n.Pairs() {
		user := User{}
		if pair.Value.IsText() {
			r.met("users are bare ids or roles")
			user = r.word(pair.Value)
		} else {
			user = r.described(pair.Value)
		}
		user.Alias = pair.Key
		r.add(pair.At, user)
	}
}

func (r *testsReader) add(at strictyaml.Node, user User) {
	if _, twice := r.users[user.Alias]; twice {
		at.Fail("", "user %q is declared twice", user.Alias)
	}
	r.users[user.Alias] = user
}

// actor reads who runs a test: "as" alone, or a role with sub and claims beside it.
func (r *testsReader) actor(test strictyaml.Node, f strictyaml.Fields) User {
	as := f["as"]
	if !as.Exists() {
		if !f["sub"].Exists() {
			test.Fail(`name the user: "as: alice", "as: anon" or "as: {role, sub, claims}"`, "the test has no user")
			return User{}
		}
		r.met("a user is given by sub alone: role authenticated")
		user := User{Role: RoleAuthenticated}
		r.identity(&user, f)
		return user
	}
	user := User{}
	if as.IsMapping() {
		user = r.described(as)
	} else {
		user = r.word(as)
	}
	if f["sub"].Exists() || f["claims"].Exists() {
		r.met("sub and claims stand beside the role")
		if as.IsMapping() || user.Sub != "" {
			as.Fail(`write sub and claims in one place`, "the user is described twice")
			return user
		}
		r.identity(&user, f)
	}
	return user
}

// word reads a user that is one word: a declared alias, a role, or a user's id.
func (r *testsReader) word(n strictyaml.Node) User {
	word := n.Text()
	if user, ok := r.users[word]; ok {
		return user
	}
	switch {
	case word == "":
		return User{}
	case word == RoleAnon, word == RoleAuthenticated, word == RoleService:
		return User{Alias: word, Role: word}
	case uuidPattern.MatchString(word):
		r.met("users are given by id: role authenticated")
		return User{Alias: word, Role: RoleAuthenticated, Sub: strings.ToLower(word)}
	}
	known := slices.Sorted(maps.Keys(r.users))
	known = append(known, RoleAnon, RoleAuthenticated, RoleService)
	n.Fail(strictyaml.DidYouMean(word, known), "there is no user %q", word)
	return User{}
}

// described reads a user that is a mapping; name is the key of its alias, if it may
// have one.
func (r *testsReader) described(n strictyaml.Node, name ...string) User {
	known := append(append(name, "role", "sub|uid|user_id", "claims"), inlineClaims()...)
	f := n.Fields(known...)
	user := User{}
	if len(name) > 0 {
		optional(f["name"], &user.Alias)
	}
	if role := f["role"]; role.Exists() {
		user.Role = role.Text()
		if !rolePattern.MatchString(user.Role) {
			role.Fail(`for example "authenticated"`, "%q is no role", user.Role)
		}
	} else if n.IsMapping() {
		n.Fail(`for example "role: authenticated"`, "the user has no role")
	}
	r.identity(&user, f)
	return user
}

// identity reads sub and claims.
func (r *testsReader) identity(user *User, f strictyaml.Fields) {
	if sub := f["sub"]; sub.Exists() && !sub.IsNull() {
		user.Sub = strings.ToLower(sub.Text())
		if !uuidPattern.MatchString(user.Sub) {
			sub.Fail("write the id out", "%q is no uuid", user.Sub)
		}
	}
	if claims := f["claims"]; claims.Exists() && !claims.IsNull() {
		for _, pair := range claims.Pairs() {
			r.claim(user, pair.At, pair.Key, pair.Value)
		}
	}
	for _, key := range inlineClaims() {
		if value := f[key]; value.Exists() {
			r.met("claims stand beside role and sub")
			r.claim(user, value, key, value)
		}
	}
}

// claim adds one claim. Role and sub among the claims are accepted where they agree
// with the user's own, since a token has them there.
func (r *testsReader) claim(user *User, at strictyaml.Node, key string, value strictyaml.Node) {
	switch key {
	case "role", "sub":
		r.met("claims repeat role or sub")
		own := &user.Role
		if key == "sub" {
			own = &user.Sub
		}
		text := value.Text()
		if *own == "" {
			*own = text
		} else if !strings.EqualFold(*own, text) {
			at.Fail("a token has one of each", "claim %q says %q but the user has %q", key, text, *own)
		}
		return
	}
	if _, twice := user.Claims[key]; twice {
		at.Fail("remove one of them", "claim %q is there twice", key)
	}
	if user.Claims == nil {
		user.Claims = map[string]any{}
	}
	user.Claims[key] = value.Value()
}
