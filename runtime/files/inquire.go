package files

import (
	"math"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// unlimitedRecord is RECL of what has none, as gfortran has it: HUGE as INTEGER(4).
const unlimitedRecord = math.MaxInt64 - math.MaxInt32 - 1

// inquire is INQUIRE by unit or by file: the values of all entries by their keys.
func (t *table) inquire(e entries) (map[string]any, error) {
	if name, ok := e.given["file"].(string); ok {
		name = strings.TrimRight(name, " ")
		st := stat(name)
		for _, u := range t.units {
			if !u.scratch && (u.name == name || sameFile(st, u.stat())) {
				u.d.flush()
				return u.facts(), nil
			}
		}
		v := unconnected()
		v["exist"], v["named"], v["name"], v["number"] = st != nil, true, name, -1
		if v["size"] = -1; st != nil {
			v["size"] = int(st.Size())
		}
		return v, nil
	}
	n := e.number("unit", 0)
	if u := t.units[n]; u != nil {
		return u.facts(), nil
	}
	if v := standard(n); v != nil {
		return v, nil
	}
	v := unconnected()
	v["exist"] = n >= 0 && possible(n) == nil
	v["number"] = -1
	if n == -1 { // gfortran has it for strings
		return v, &record.Error{Status: record.UnitInternal, Text: "Inquire statement identifies an internal file",
			Msg: "INQUIRE of unit -1, which stands for a string", Help: "write the number of a unit from 0 on"}
	}
	return v, nil
}

// unconnected is what INQUIRE says without a connection.
func unconnected() map[string]any {
	v := map[string]any{"opened": false, "named": false, "recl": -1, "nextrec": 0, "pos": 0, "size": -1, "pending": false}
	for _, key := range []string{"sequential", "direct", "stream", "formatted", "unformatted", "read", "write", "readwrite", "encoding"} {
		v[key] = "UNKNOWN"
	}
	for _, key := range []string{"access", "form", "blank", "position", "action", "delim", "pad", "sign", "decimal", "round", "asynchronous"} {
		v[key] = "UNDEFINED"
	}
	return v
}

// standard is what INQUIRE says of the units that are there without OPEN, nil of others.
func standard(n int) map[string]any {
	name := map[int]string{0: "stderr", 5: "stdin", 6: "stdout"}[n]
	if name == "" {
		return nil
	}
	u := &unit{n: n, name: name, access: "sequential", form: "formatted", action: "write", position: "asis", d: &disk{loose: true}}
	if n == 5 {
		u.action = "read"
	}
	return u.facts()
}

func yes(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

// facts is what INQUIRE says of a unit.
func (u *unit) facts() map[string]any {
	v := map[string]any{"exist": true, "opened": true, "number": u.n, "named": !u.scratch, "recl": u.recl, "nextrec": 0,
		"pos": int(u.d.pos) + 1, "size": int(u.d.size), "pending": false, "asynchronous": "NO", "encoding": "UNKNOWN"}
	if !u.scratch {
		v["name"] = u.name
	}
	for _, key := range []string{"sequential", "direct", "stream"} {
		v[key] = yes(u.access == key)
	}
	v["access"], v["form"], v["action"] = strings.ToUpper(u.access), strings.ToUpper(u.form), strings.ToUpper(u.action)
	v["formatted"], v["unformatted"] = yes(u.formatted()), yes(!u.formatted())
	v["read"], v["write"], v["readwrite"] = yes(u.reads()), yes(u.writes()), yes(u.reads() && u.writes())
	for key, pair := range map[string][2]string{
		"blank": {"NULL", "ZERO"}, "pad": {"YES", "NO"}, "decimal": {"POINT", "COMMA"}, "sign": {"PROCESSOR_DEFINED", "PLUS"},
	} {
		on := map[string]bool{"blank": u.modes.Zeros, "pad": u.modes.NoPad, "decimal": u.modes.Comma, "sign": u.modes.Plus}[key]
		switch {
		case !u.formatted() && key != "sign":
			v[key] = "UNDEFINED"
		case on:
			v[key] = pair[1]
		default:
			v[key] = pair[0]
		}
	}
	v["delim"] = map[byte]string{0: "NONE", '"': "QUOTE", '\'': "APOSTROPHE"}[u.modes.Delim]
	v["round"] = map[byte]string{0: "PROCESSOR_DEFINED", 'U': "UP", 'D': "DOWN", 'Z': "ZERO", 'N': "NEAREST", 'C': "COMPATIBLE"}[u.modes.Round]
	if u.encoding == "utf-8" {
		v["encoding"] = "UTF-8"
	}
	if !u.formatted() {
		v["delim"] = "UNDEFINED"
	}
	switch {
	case u.access == "direct":
		v["nextrec"], v["position"] = u.next, "UNDEFINED"
	case u.access == "stream":
		v["recl"] = -2
	case u.recl == 0:
		v["recl"] = unlimitedRecord
	}
	if u.access != "direct" {
		switch {
		case u.d.loose:
			v["position"] = "ASIS"
		case u.d.size == 0:
			v["position"] = strings.ToUpper(u.position)
		case u.d.pos == 0:
			v["position"] = "REWIND"
		case u.d.pos == u.d.size:
			v["position"] = "APPEND"
		case u.position == unspecified:
			v["position"] = "UNSPECIFIED"
		default:
			v["position"] = "ASIS"
		}
	}
	return v
}
