package standin

import (
	"os"
	"path/filepath"
	"strings"
)

// Branch is the branch of the repository that dir is in, as the CLI names it in its
// messages; "main" outside of a repository and without a branch.
func Branch(dir string) string {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if head, err := os.ReadFile(filepath.Join(gitDir(at), "HEAD")); err == nil {
			if name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok {
				return name
			}
			return "main"
		}
		if at == filepath.Dir(at) {
			return "main"
		}
	}
}

// gitDir is where the repository of a folder is: .git, or the folder that a file .git
// names, as it does in a worktree.
func gitDir(dir string) string {
	path := filepath.Join(dir, ".git")
	text, err := os.ReadFile(path)
	if err != nil {
		return path
	}
	elsewhere := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
	if !filepath.IsAbs(elsewhere) {
		elsewhere = filepath.Join(dir, elsewhere)
	}
	return elsewhere
}
