package arena

import (
	"regexp"
	"slices"
	"strings"

	"github.com/supascore/supascore/stack/migrate/split"
)

// Shareable says whether a candidate's SQL can be tried in a transaction of a copy that
// candidates share: it consists of statements that define policies, privileges and the
// code around them, and does the same inside a transaction as outside. It goes by the
// first words of the statements, and would rather say no.
func Shareable(sql string) bool {
	if len(sql) > maxShareable || unshareable.MatchString(sql) {
		return false
	}
	for _, s := range split.Statements(sql) {
		first, more := leadingWords(s.Text, 4)
		if len(first) == 0 && !more {
			continue // nothing but comments
		}
		words := strings.Join(first, " ") + " "
		begins := func(first string) bool { return strings.HasPrefix(words, first+" ") }
		if s.Backslash >= 0 || !slices.ContainsFunc(shareableStatements(), begins) {
			return false
		}
	}
	return true
}

// maxShareable is how much SQL is looked at, in bytes.
const maxShareable = 1 << 20

// shareableStatements are the first words of statements that run in any transaction and
// can be taken back. Tables are not among them: what looks at the rows has to be made for
// them, by somebody else's session.
func shareableStatements() []string {
	return []string{
		"create policy", "alter policy", "drop policy", "grant", "revoke", "alter default privileges",
		"alter table", "comment on", "create schema",
		"create function", "create or replace function", "alter function", "drop function",
		"create view", "create or replace view", "alter view", "drop view",
		"create trigger", "create or replace trigger", "drop trigger",
		"create index", "create unique index", "drop index", "do",
	}
}

// unshareable finds what must not be in such SQL wherever it stands, also in the bodies
// of functions: the end of a transaction, statements that want to be alone, settings of
// whole transactions, what all databases of a cluster share, and the grader's own objects,
// which a name with escaped letters could hide.
var unshareable = regexp.MustCompile(`(?i)\bcommit\b|\brollback\b|\bconcurrently\b|transaction_isolation|transaction_read_only|transaction_deferrable` +
	`|transaction\s+isolation|supascore|\bu&|\balter\s+(role|user|group|database|system)\b`)

// MakesSettings says whether SQL may give a value to a setting of its own, such as
// app.tenant. A session that has had one reads it as empty ever after, and no longer as
// NULL, so it is not for others. SQL that is put together by SQL may say anything.
func MakesSettings(sql string) bool {
	sql = namesExecute.ReplaceAllString(sql, " ")
	return makesSettings.MatchString(sql)
}

var (
	// The privilege, also as has_function_privilege takes it, and the clause of triggers.
	namesExecute  = regexp.MustCompile(`(?i)'execute'|\bexecute\s+(on|function|procedure)\b`)
	makesSettings = regexp.MustCompile(`(?i)set_config|\bexecute\b|\bset\s+(local\s+|session\s+)?("[^"]*"|\w+)\s*\.`)
)

// leadingWords are the first words of a statement in lower case, at most n, behind
// comments and up to anything else, and whether there is anything else.
func leadingWords(text string, n int) (words []string, more bool) {
	for {
		text = afterComments(text)
		end := strings.IndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
		if end < 0 {
			end = len(text)
		}
		if end == 0 || len(words) == n {
			return words, text != ""
		}
		words = append(words, strings.ToLower(text[:end]))
		text = text[end:]
	}
}

// afterComments is a text without the white space and the comments that it begins with.
// Comments in /* */ nest; one that does not end stays.
func afterComments(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v")
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*"):
			depth, end := 0, 0
			for i := 0; i+1 < len(text) && end == 0; i++ {
				switch text[i : i+2] {
				case "/*":
					depth++
					i++
				case "*/":
					depth--
					i++
					if depth == 0 {
						end = i + 1
					}
				}
			}
			if end == 0 {
				return text
			}
			text = text[end:]
		default:
			return text
		}
	}
}
