package request

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// csvPayload turns CSV with a header line into a JSON array of objects. NULL is null, everything else is a string. A row with
// too many fields loses the rest; rows that are too short have to be so from the first row on (recording
// mutations/csv_and_forms).
func csvPayload(body []byte) (Payload, *apierror.Error) {
	// A header has a line end, even when nothing follows.
	if !bytes.ContainsAny(body, "\r\n") {
		return Payload{}, invalidBody(`parse error (not enough input) at ""`)
	}
	r := csv.NewReader(bytes.NewReader(body))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return csvObjects([]map[string]*string{}) // blank lines alone are a header without names
	}
	if err != nil {
		return Payload{}, csvError(err)
	}
	objects := []map[string]*string{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return csvObjects(objects)
		}
		if err != nil {
			return Payload{}, csvError(err)
		}
		object := make(map[string]*string, len(header))
		for i, name := range header[:min(len(header), len(row))] {
			object[name] = &row[i]
			if row[i] == "NULL" {
				object[name] = nil
			}
		}
		objects = append(objects, object)
	}
}

// csvError reports what is wrong with the CSV. The words are those of our own reader: the server's are those of its parser
// library, and programs do not read them.
func csvError(err error) *apierror.Error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return invalidBody(fmt.Sprintf("parse error (line %d, column %d: %v)", at.Line, at.Column, at.Err))
	}
	return invalidBody(`parse error (not enough input) at ""`)
}

// csvObjects joins the rows. Their keys have to be the same, because one statement inserts them all.
func csvObjects(objects []map[string]*string) (Payload, *apierror.Error) {
	var keys []string
	for i, o := range objects {
		names := make([]string, 0, len(o))
		for k := range o {
			names = append(names, k)
		}
		slices.Sort(names)
		if i == 0 {
			keys = names
		} else if !slices.Equal(keys, names) {
			return Payload{}, invalidBody("All lines must have same number of fields")
		}
	}
	raw, err := json.Marshal(objects)
	if err != nil {
		return Payload{}, invalidBody("Empty or invalid json")
	}
	return Payload{Kind: PayloadJSON, Raw: raw, Keys: keys}, nil
}
