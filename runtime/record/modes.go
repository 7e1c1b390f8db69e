package record

import (
	"fmt"
	"strings"
)

// Modes is how a unit treats values, as OPEN, READ or WRITE has said. The zero value is
// the default.
type Modes struct {
	Comma bool // DECIMAL='COMMA'
	Zeros bool // BLANK='ZERO'
	Plus  bool // SIGN='PLUS'
	NoPad bool // PAD='NO'
	Delim byte // of texts in list-directed output: a quote, an apostrophe, or 0
	Bare  bool // DELIM='NONE', which differs in NAMELIST groups: by default they have quotes
	Round byte // U, D, Z, N, C, or 0
}

// modeKeys are the entries that set modes, each with what it may be.
var modeKeys = []struct {
	key    string
	values []string
}{
	{"blank", []string{"null", "zero"}},
	{"pad", []string{"yes", "no"}},
	{"decimal", []string{"point", "comma"}},
	{"sign", []string{"processor_defined", "suppress", "plus"}},
	{"delim", []string{"none", "quote", "apostrophe"}},
	{"round", []string{"processor_defined", "up", "down", "zero", "nearest", "compatible"}},
}

// Set sets the modes that the entries of a statement name, which is OPEN or "data
// transfer", and leaves the others.
func (m *Modes) Set(statement string, given map[string]any) error {
	for _, k := range modeKeys {
		value, is := given[k.key].(string)
		if !is {
			continue
		}
		value = strings.ToLower(strings.TrimRight(value, " "))
		known := false
		for _, v := range k.values {
			known = known || v == value
		}
		if !known {
			name := strings.ToUpper(k.key)
			return &Error{Status: BadOption, Text: fmt.Sprintf("Bad %s parameter in %s statement", name, statement),
				Msg: fmt.Sprintf("%s=%q", name, value), Help: "it may be " + strings.Join(k.values, ", ")}
		}
		m.set(k.key, value)
	}
	return nil
}

func (m *Modes) set(key, value string) {
	switch key {
	case "blank":
		m.Zeros = value == "zero"
	case "pad":
		m.NoPad = value == "no"
	case "decimal":
		m.Comma = value == "comma"
	case "sign":
		m.Plus = value == "plus"
	case "delim":
		m.Bare = value == "none"
		m.Delim = map[string]byte{"quote": '"', "apostrophe": '\''}[value]
	case "round":
		if m.Round = value[0] - 'a' + 'A'; m.Round == 'P' {
			m.Round = 0
		}
	}
}

// Nearest returns an error unless numbers are read as the nearest ones, as READ does.
func (m *Modes) Nearest() error {
	if m.Round == 0 || m.Round == 'N' || m.Round == 'P' {
		return nil
	}
	return &Error{Status: BadOption, Msg: "READ of REAL with a rounding mode other than 'nearest' is not supported", Help: "leave ROUND=, RU, RD, RZ and RC out: numbers are read as the nearest ones"}
}
