package docs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestACommandFetchesWhatCurlAndWgetWriteToTheOutput(t *testing.T) {
	t.Parallel()
	const page = "https://supabase.com/docs/a"
	one := []string{page}
	for _, test := range []struct {
		about, command string
		want           fetched
	}{
		{"curl that fails on an error", "curl -f " + page, fetched{urls: one}},
		{"the long option", "curl --fail --silent --location " + page, fetched{urls: one}},
		{"short options together", "curl -fsSL '" + page + "'", fetched{urls: one}},
		{"options behind the address", "curl \"" + page + "\" -sf", fetched{urls: one}},
		{"the option --url", "curl -f --url " + page, fetched{urls: one}},
		{"two dashes before the address", "curl -f -- " + page, fetched{urls: one}},
		{"curl by its path", "/usr/bin/curl -f " + page, fetched{urls: one}},
		{"assignments before it", "HTTPS_PROXY=http://proxy:3128 NO=1 curl -f " + page, fetched{urls: one}},
		{"a continued line", "curl -f \\\n  " + page, fetched{urls: one}},
		{"an ampersand in quotes", "curl -f '" + page + "?a=1&b=2;c'", fetched{urls: []string{page + "?a=1&b=2;c"}}},
		{"an escaped ampersand", "curl -f " + page + `?a=1\&b=2`, fetched{urls: []string{page + "?a=1&b=2"}}},
		{"two addresses", "curl -f " + page + " " + page + "/b", fetched{urls: []string{page, page + "/b"}}},
		{"without fail", "curl -sL " + page, fetched{urls: one, curlWithoutFail: true}},
		{"a letter f that is a header's", "curl -H f " + page, fetched{urls: one, curlWithoutFail: true}},
		{"a letter f in a value of its own word", "curl -Af " + page, fetched{urls: one, curlWithoutFail: true}},
		{"fail-with-body prints the error page", "curl --fail-with-body " + page, fetched{urls: one, curlWithoutFail: true}},

		{"into a file", "curl -fo page.md " + page, fetched{}},
		{"into a file, options together", "curl -fsSLo page.md " + page, fetched{}},
		{"into a file, long", "curl -f --output page.md " + page, fetched{}},
		{"into a file of the page's name", "curl -fO " + page, fetched{}},
		{"into a file of the page's name, long", "curl --fail --remote-name " + page, fetched{}},
		{"the head only", "curl -fI " + page, fetched{}},
		{"the head only, long", "curl -f --head " + page, fetched{}},
		{"redirected", "curl -f " + page + " > page.md", fetched{}},
		{"redirected by number", "curl -f " + page + " 1>page.md", fetched{}},
		{"appended", "curl -f " + page + " >> page.md", fetched{}},
		{"all redirected", "curl -f " + page + " &> page.md", fetched{}},
		{"sent to the error output", "curl -f " + page + " >&2", fetched{}},
		{"a redirected group", "{ curl -f " + page + "; } > page.md", fetched{}},
		{"errors redirected", "curl -f " + page + " 2>/dev/null", fetched{urls: one}},
		{"errors into the output", "curl -f " + page + " 2>&1", fetched{urls: one}},

		{"wget to the output", "wget -qO- " + page, fetched{urls: one}},
		{"wget to the output, apart", "wget -q -O - " + page, fetched{urls: one}},
		{"wget to the output, long", "wget --quiet --output-document=- " + page, fetched{urls: one}},
		{"wget to the output, long and apart", "wget --output-document - " + page, fetched{urls: one}},
		{"wget into a file", "wget " + page, fetched{}},
		{"wget into a named file", "wget -O page.md " + page, fetched{}},

		{"a pipe", "curl -f " + page + " | head -n 5 | tr a b", fetched{urls: one}},
		{"a final or true", "curl -f " + page + " || true", fetched{urls: one}},
		{"a final or colon", "curl -f " + page + " || :", fetched{urls: one}},
		{"another alternative", "curl -f " + page + " || cat page.md", fetched{urls: one, otherCommands: true}},
		{"a command before it", "cd docs && curl -f " + page, fetched{urls: one, otherCommands: true}},
		{"a command behind it", "curl -f " + page + "; ls", fetched{urls: one, otherCommands: true}},
		{"a line before it", "set -e\ncurl -f " + page, fetched{urls: one, otherCommands: true}},
		{"a command in the background", "sleep 1 & curl -f " + page, fetched{urls: one, otherCommands: true}},
		{"a group of two", "( ls; curl -f " + page + " )", fetched{urls: one, otherCommands: true}},
		{"a comment before it", "# read the guide\ncurl -f " + page, fetched{urls: one}},

		{"bash -c", "bash -c 'curl -f " + page + "'", fetched{urls: one}},
		{"bash -lc by its path", "/bin/bash -lc \"curl -f " + page + "\"", fetched{urls: one}},
		{"zsh with two options", "zsh -l -c 'curl -f " + page + "'", fetched{urls: one}},
		{"a shell in a shell", `sh -c "bash -c 'curl -f ` + page + `'"`, fetched{urls: one}},
		{"a list within", "bash -lc 'ls && curl -f " + page + "'", fetched{urls: one, otherCommands: true}},
		{"a script's name is no command", "bash read.sh curl -f " + page, fetched{}},

		{"only mentioned", "echo curl -f " + page, fetched{}},
		{"only quoted", "grep -rn 'curl -f " + page + "' .", fetched{}},
		{"only in a here-document", "cat <<EOF\ncurl -f " + page + "\nEOF", fetched{}},
		{"only in a comment", "ls # curl -f " + page, fetched{}},
		{"under a condition", "if true; then curl -f " + page + "; fi", fetched{}},
		{"an address from a variable", "curl -f $PAGE", fetched{}},
		{"an address with a variable", "curl -f \"https://supabase.com/$PAGE\"", fetched{}},
		{"an address in another option", "curl -f -e " + page + " localhost", fetched{}},
		{"nothing", "", fetched{}},
		{"one line in another shell's syntax", "if (x) { y }\ncurl -f " + page, fetched{urls: one}},
		{"too long", "curl -f " + page + strings.Repeat(" ", maxCommand), fetched{}},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			got := fetches(test.command)
			if len(test.want.urls) == 0 {
				// Whether other commands printed something is not asked then.
				assert.Empty(t, got.urls)
				return
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func FuzzFetchesReadsAnyCommandAndFindsOnlyAddresses(f *testing.F) {
	for _, seed := range []string{
		"curl -fsSL https://supabase.com/docs | head", "bash -lc 'wget -qO- https://supabase.com/docs || true'",
		"a=(1 2); { curl x; } >&2", "sh -c 'sh -c \"sh -c x\"'", "cat <<'E'\n$(\nE", "curl -o", "curl --", "\\", "$(", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, address := range fetches(command).urls {
			assert.True(t, isAddress(address), address)
		}
	})
}
