package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// partial is a file that is being downloaded, with a note beside it that says what it is
// the beginning of. Without the note the file is worth nothing.
type partial struct{ path string }

// origin is that note.
type origin struct {
	URL string `json:"url"`
	// Validator is the strong ETag, or the modification date, of what was being sent. RFC
	// 9110, 13.1.5: only these two can be sent back as If-Range.
	Validator string `json:"validator"`
	// Total is the size of the whole, -1 when the server did not say.
	Total int64 `json:"total"`
}

func (p partial) note() string { return p.path + ".json" }

// begun is what there is of the file at url, with its size; nothing when there is none.
func (p partial) begun(url string) (origin, int64) {
	text, err := os.ReadFile(p.note())
	if err != nil {
		return origin{}, 0
	}
	var o origin
	if json.Unmarshal(text, &o) != nil || o.URL != url || o.Validator == "" {
		return origin{}, 0
	}
	info, err := os.Stat(p.path)
	if err != nil || (o.Total >= 0 && info.Size() > o.Total) {
		return origin{}, 0
	}
	return o, info.Size()
}

// discard forgets what there is.
func (p partial) discard() error {
	return errors.Join(removeIfThere(p.path), removeIfThere(p.note()))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// restart begins the file anew.
func (p partial) restart(o origin) (*os.File, error) {
	if err := p.discard(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil || o.Validator == "" {
		return file, err // what cannot be recognised again cannot be continued
	}
	text, err := json.Marshal(o)
	if err == nil {
		err = writeFile(p.note(), text)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// resume opens the file at its end.
func (p partial) resume(size int64) (*os.File, error) {
	file, err := os.OpenFile(p.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(size, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// validator is what can be sent back as If-Range, empty when the server gave nothing
// that is good enough.
func validator(h http.Header) string {
	if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return h.Get("Last-Modified")
}

// continues checks that an answer 206 is the rest of what there is.
func (o origin) continues(h http.Header, have int64) error {
	var first, last, total int64
	text := h.Get("Content-Range")
	if n, err := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &total); err != nil || n != 3 {
		return fmt.Errorf("cannot tell what part %q is", text)
	}
	if first != have || last != total-1 || (o.Total >= 0 && total != o.Total) {
		return fmt.Errorf("asked for the bytes from %d of %d, got %q", have, o.Total, text)
	}
	if tag := h.Get("ETag"); tag != "" && strings.HasPrefix(o.Validator, `"`) && tag != o.Validator {
		return fmt.Errorf("the file has changed: ETag %s, not %s", tag, o.Validator)
	}
	return nil
}

// rangeOf is the header that asks for everything from have on.
func rangeOf(have int64) string { return "bytes=" + strconv.FormatInt(have, 10) + "-" }
