package hooks

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// claimsSchema is what a token's claims must satisfy after the hook. The order
// of "required" is the order in which missing claims are named.
//
//go:embed claims.schema.json
var claimsSchema []byte

// accessTokenAnswer reads the custom access token hook's answer. Its own
// UnmarshalJSON tells a missing member, which has a message of its own, from
// null, which fails the schema.
type accessTokenAnswer struct {
	Claims map[string]any
}

func (a *accessTokenAnswer) UnmarshalJSON(answer []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		return err
	}
	// A map keeps names as written, so a member "Claims" is not this one.
	claims, ok := members["claims"]
	if !ok {
		return &Error{Status: http.StatusInternalServerError, Message: "output claims field is missing"}
	}
	return json.Unmarshal(claims, &a.Claims)
}

// compileClaimsSchema is done once per Hooks: it costs more than a check.
func compileClaimsSchema() (*gojsonschema.Schema, error) {
	return gojsonschema.NewSchema(gojsonschema.NewBytesLoader(claimsSchema))
}

// validateClaims checks claims against the schema and names every violation in
// the validator's words.
func validateClaims(schema *gojsonschema.Schema, claims map[string]any) error {
	result, err := schema.Validate(gojsonschema.NewGoLoader(claims))
	if err != nil {
		return &Error{Status: http.StatusInternalServerError, Message: err.Error(), cause: err}
	}
	if result.Valid() {
		return nil
	}
	var text strings.Builder
	text.WriteString("output claims do not conform to the expected schema: \n")
	for _, violation := range result.Errors() {
		fmt.Fprintf(&text, "- %s\n", violation)
	}
	return &Error{Status: http.StatusInternalServerError, Message: text.String()}
}
