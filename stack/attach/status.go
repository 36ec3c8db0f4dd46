package attach

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/supascore/supascore/stack/keys"
)

// maxObjects bounds how many places of an output are tried as the beginning of the
// JSON in it.
const maxObjects = 64

// ParseStatus reads what `supabase status -o json` of any version printed. Lines before
// and after the JSON, such as the stopped services and news of updates, are passed over.
// An output without JSON is an error; one that names no API, no database or no key of
// clients is an error that wraps ErrNotRunning, because the CLI leaves out what does not
// run.
//
// The names are those of the CLI's internal/status/status.go: API_URL, DB_URL, JWT_SECRET,
// ANON_KEY and SERVICE_ROLE_KEY from the beginning, PUBLISHABLE_KEY and SECRET_KEY since
// the new keys came, and the same in lower case in the rewritten CLI's "data".
func ParseStatus(output []byte) (Place, error) {
	values := findStatus(output)
	if values == nil {
		return Place{}, fmt.Errorf("there is no JSON of a status in what it printed: %q", firstLine(output))
	}
	place := Place{
		APIURL: values["API_URL"], DBURL: values["DB_URL"], From: "supabase status",
		Keys: keys.Set{
			JWTSecret: values["JWT_SECRET"], Publishable: values["PUBLISHABLE_KEY"], Secret: values["SECRET_KEY"],
			Anon: values["ANON_KEY"], ServiceRole: values["SERVICE_ROLE_KEY"],
		},
	}
	if place.APIURL == "" {
		place.APIURL = strings.TrimSuffix(values["REST_URL"], "/rest/v1")
	}
	var absent []string
	for _, need := range []struct{ name, value string }{
		{"API_URL", place.APIURL},
		{"DB_URL", place.DBURL},
		{"PUBLISHABLE_KEY or ANON_KEY", place.Keys.Publishable + place.Keys.Anon},
	} {
		if need.value == "" {
			absent = append(absent, need.name)
		}
	}
	if len(absent) > 0 {
		return Place{}, fmt.Errorf("%w: supabase status names no %s", ErrNotRunning, strings.Join(absent, ", no "))
	}
	return place, nil
}

// findStatus finds the object with a status in an output; nil when there is none.
func findStatus(output []byte) map[string]string {
	tried := 0
	for at := 0; at < len(output) && tried < maxObjects; {
		line := output[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("{")) {
			tried++
			if values := statusAt(output[at:]); values != nil {
				return values
			}
		}
		at += len(line)
	}
	return nil
}

// statusAt reads the object that a text begins with; nil when it is no status.
func statusAt(text []byte) map[string]string {
	var object map[string]any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&object); err != nil {
		return nil
	}
	if data, ok := object["data"].(map[string]any); ok {
		object = data
	}
	values := map[string]string{}
	for name, value := range object {
		if text, ok := value.(string); ok {
			values[strings.ToUpper(name)] = strings.TrimSpace(text)
		}
	}
	for _, name := range []string{"API_URL", "DB_URL", "ANON_KEY", "PUBLISHABLE_KEY"} {
		if values[name] != "" {
			return values
		}
	}
	return nil
}

// firstLine is what an error shows of an output. Keys do not get into it: they would
// have been found.
func firstLine(output []byte) string {
	const limit = 200
	line, _, _ := strings.Cut(strings.TrimSpace(string(output[:min(len(output), 10*limit)])), "\n")
	return line[:min(len(line), limit)]
}
