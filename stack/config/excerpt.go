package config

import (
	"regexp"
	"strings"
)

// maxExcerpt is the longest line that is shown beside a problem.
const maxExcerpt = 160

var (
	secretKey     = regexp.MustCompile(`(?i)([a-z0-9_-]*(?:secrets?|auth_token|_key|passw?o?r?d?)["']?\s*=).*`)
	anyAssignment = regexp.MustCompile(`^([^=]*=).*`)
	secretSection = regexp.MustCompile(`(?i)^\s*\[\s*(remotes\.[^.]+\.)?(edge_runtime\.secrets|db\.vault)\s*\]`)
)

// excerpt returns a line of the file, 1-based, as it may be shown in an error: what is assigned to a key that holds a secret is
// left out, and so is a line that is too long to help. A file that does not parse has no keys, so this goes by the text alone.
func excerpt(lines []string, n int) string {
	if n < 1 || n > len(lines) || len(lines[n-1]) > maxExcerpt {
		return ""
	}
	line := strings.ReplaceAll(strings.TrimRight(lines[n-1], "\r\n"), "\t", " ")
	if inSecretSection(lines, n) {
		return anyAssignment.ReplaceAllString(line, "$1 …")
	}
	return secretKey.ReplaceAllString(line, "$1 …")
}

// inSecretSection reports whether the header above a line is of a section whose values are all secrets.
func inSecretSection(lines []string, n int) bool {
	for i := n - 1; i >= 0; i-- {
		if strings.HasPrefix(strings.TrimSpace(lines[i]), "[") {
			return secretSection.MatchString(lines[i])
		}
	}
	return false
}
