package tasks

import (
	"cmp"
	"regexp"
	"strings"
)

var (
	idPattern   = regexp.MustCompile(`^T[0-9]{3,9}$`)
	slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	// trapPattern keeps trap names usable as file names everywhere.
	trapPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
)

// ValidID reports whether id is a task's id: "T" and three to nine digits.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// CompareIDs orders ids by their numbers: T113 comes before T1000.
func CompareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// maxSlug bounds a slug, so that a folder's name fits every file system.
const maxSlug = 80

// Slugify makes a folder's slug of a title: its ASCII letters and digits in lower
// case, with single hyphens for what is between them.
func Slugify(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	slug := strings.Join(words, "-")
	if len(slug) > maxSlug {
		slug = strings.TrimRight(slug[:maxSlug], "-")
	}
	return slug
}

// DirName is the name of the task's folder: "T001-own-notes".
func (t *Task) DirName() string {
	if t.Slug == "" {
		return t.ID
	}
	return t.ID + "-" + t.Slug
}

// checkTrapNames refuses names that could not be files of one folder.
func checkTrapNames(label string, traps []NamedSQL) error {
	seen := map[string]bool{}
	for _, trap := range traps {
		if !trapPattern.MatchString(trap.Name) {
			return &FileError{
				File: label, Problem: "trap " + strings.ToValidUTF8(trap.Name, "?") + " has a name that is no file name",
				Remedy: "use letters, digits, hyphens, underscores and dots",
			}
		}
		// Some file systems do not tell upper from lower case.
		folded := strings.ToLower(trap.Name)
		if seen[folded] {
			return &FileError{File: label, Problem: "trap " + trap.Name + " is there twice"}
		}
		seen[folded] = true
	}
	return nil
}
