package supascore_test

import (
	"encoding/json"
	"encoding/xml"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/fixtures/recordings"
)

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	require.NoError(t, err)
	return string(text)
}

// markdown lists the documents of the repository. Files of fixtures are data.
func markdown(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || name == "fixtures") {
			return filepath.SkipDir
		}
		if !d.IsDir() && filepath.Ext(name) == ".md" && d.Name() != "PROMPT.md" {
			all = append(all, filepath.ToSlash(name))
		}
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, all, "README.md")
	return all
}

// anchors are the places in a document that a link can lead to.
func anchors(text string) []string {
	var all []string
	text = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		slug := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
		all = append(all, regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(slug, ""))
	}
	return all
}

func TestEveryLinkInADocumentLeadsSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	checked := 0
	for _, document := range markdown(t) {
		text := readDocument(t, document)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			checked++
			file := document
			if target != "" {
				file = path.Join(path.Dir(document), target)
			}
			if _, err := os.Stat(filepath.FromSlash(file)); !assert.NoError(t, err, "%s links to %s", document, m[0]) {
				continue
			}
			if anchor != "" {
				assert.Contains(t, anchors(readDocument(t, file)), anchor, "%s links to %s", document, m[0])
			}
		}
	}
	assert.Greater(t, checked, 10)
}

// directModules are the modules that a file of this one imports, whatever the
// platform and tests included: what `go mod tidy` leaves without "// indirect".
func directModules(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json").Output()
	require.NoError(t, err)
	var mod struct{ Require []struct{ Path string } }
	require.NoError(t, json.Unmarshal(out, &mod))
	var direct []string
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			owner, imported := "", strings.Trim(spec.Path.Value, `"`)
			for _, r := range mod.Require {
				if matches(imported, r.Path+"/...") && len(r.Path) > len(owner) {
					owner = r.Path
				}
			}
			if owner != "" {
				direct = append(direct, owner)
			}
		}
	}
	slices.Sort(direct)
	return slices.Compact(direct)
}

func TestTheREADMESaysWhatEveryDependencyIsFor(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(readDocument(t, "README.md"), "\n## Dependencies\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\|$").FindAllStringSubmatch(section, -1) {
		listed = append(listed, m[1])
	}
	assert.Equal(t, directModules(t), listed, "one row a module that we import, sorted: `module` | what for | why this one")
}

func TestTheREADMEsGoCodeIsTheExampleThatRuns(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(readDocument(t, "README.md"), -1)
	require.NotEmpty(t, blocks)
	example := readDocument(t, "example_test.go")
	for _, block := range blocks {
		indented := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(block[1], "\t$1")
		assert.Contains(t, example, indented)
	}
}

func TestTheREADMECountsFixturesAndRecordingsRight(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(readDocument(t, "README.md")), " ")
	number := func(pattern string) int {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, m, pattern)
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		return n
	}
	all, err := fixtures.List(rbac)
	require.NoError(t, err)
	assert.Equal(t, len(all), number(`runs all (\d+) of them`))
	auth, err := fs.Glob(recordings.Files, "auth/*.json")
	require.NoError(t, err)
	rest, err := fs.Glob(recordings.Files, "rest/*/*.json")
	require.NoError(t, err)
	assert.Equal(t, len(auth)+len(rest), number(`: (\d+) scenarios`))
}

func TestEveryDrawingIsReadableWithoutEyes(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(readDocument(t, "README.md")), " ")
	pictures := regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+\.svg)\)`).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, pictures)
	for _, picture := range pictures {
		assert.Greater(t, len(picture[1]), 100, "the text beside %s says too little", picture[2])
		var drawing struct {
			XMLName xml.Name
			Title   string `xml:"title"`
			Desc    string `xml:"desc"`
		}
		require.NoError(t, xml.Unmarshal([]byte(readDocument(t, picture[2])), &drawing), picture[2])
		assert.Equal(t, "svg", drawing.XMLName.Local)
		assert.NotEmpty(t, drawing.Title, picture[2])
		assert.NotEmpty(t, drawing.Desc, picture[2])
	}
}
