package request

import (
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// ParsePrefer reads Prefer headers (RFC 7240 as PostgREST understands it): comma separated, of each kind the first value that
// is known. A time zone that the database does not know is not understood; tx= counts only where the settings allow it.
func ParsePrefer(headers []string, s Settings) Preferences {
	var p Preferences
	for _, h := range headers {
		for one := range strings.SplitSeq(h, ",") {
			p.add(strings.TrimSpace(one), s)
		}
	}
	return p
}

// add takes one preference. Kinds are told by the key; PostgREST compares whole texts, so there are no blanks around "=".
func (p *Preferences) add(one string, s Settings) {
	key, value, _ := strings.Cut(one, "=")
	switch key {
	case "return":
		choose(p, one, &p.Return, Return(value), ReturnRepresentation, ReturnMinimal, ReturnHeadersOnly)
	case "count":
		choose(p, one, &p.Count, Count(value), CountExact, CountPlanned, CountEstimated)
	case "resolution":
		choose(p, one, &p.Resolution, Resolution(value), ResolutionMerge, ResolutionIgnore)
	case "missing":
		choose(p, one, &p.Missing, Missing(value), MissingDefault, MissingNull)
	case "handling":
		choose(p, one, &p.Handling, Handling(value), HandlingStrict, HandlingLenient)
	case "tx":
		var ignored TxEnd
		target := &p.Tx
		if !s.AllowTxOverride {
			target = &ignored
		}
		choose(p, one, target, TxEnd(value), TxCommit, TxRollback)
	case "timezone":
		p.addTimezone(one, value, s)
	case "max-affected":
		p.addMaxAffected(one, value)
	default:
		p.Invalid = append(p.Invalid, one)
	}
}

// choose sets target to value when it is one of the known values and nothing was chosen before.
func choose[T ~string](p *Preferences, one string, target *T, value T, known ...T) {
	switch {
	case !slices.Contains(known, value):
		p.Invalid = append(p.Invalid, one)
	case *target == "":
		*target = value
	}
}

// addTimezone takes any name that the database knows. An unknown one would make the transaction fail.
func (p *Preferences) addTimezone(one, value string, s Settings) {
	if !strings.Contains(one, "=") || s.KnownTimezone == nil || !s.KnownTimezone(value) {
		p.Invalid = append(p.Invalid, one)
		return
	}
	if p.Timezone == "" {
		p.Timezone = value
	}
}

// addMaxAffected ignores a value that is no number, which is no reason for a complaint either.
func (p *Preferences) addMaxAffected(one, value string) {
	if !strings.Contains(one, "=") {
		p.Invalid = append(p.Invalid, one)
		return
	}
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err == nil && p.MaxAffected == nil {
		p.MaxAffected = &n
	}
}

// CheckHandling is PGRST122 when preferences were not understood and the client asked for strict handling. The planner calls
// it: an unknown table is reported before it (recording mutations/max_affected_and_handling).
func (p Preferences) CheckHandling() error {
	if p.Handling != HandlingStrict || len(p.Invalid) == 0 {
		return nil
	}
	return apierror.New(400, "PGRST122", "Invalid preferences given with handling=strict").
		WithDetails("Invalid preferences: " + strings.Join(p.Invalid, ", "))
}

// Applied is the value of Preference-Applied for p, empty when there is nothing to say. A response that did not use a
// preference clears it in its copy of p first.
func (p Preferences) Applied() string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+"="+value)
		}
	}
	add("resolution", string(p.Resolution))
	add("missing", string(p.Missing))
	add("return", string(p.Return))
	add("count", string(p.Count))
	add("tx", string(p.Tx))
	add("handling", string(p.Handling))
	add("timezone", p.Timezone)
	if p.Handling == HandlingStrict && p.MaxAffected != nil {
		add("max-affected", strconv.FormatInt(*p.MaxAffected, 10))
	}
	return strings.Join(out, ", ")
}
