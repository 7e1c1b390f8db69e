package codegen

import (
	"go/token"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// reserved are identifiers that emitted code uses itself, besides Go's keywords.
var reserved = map[string]bool{
	"head": true, "args": true, "rest": true, "pe": true, "q": true, "t": true, "it": true, "end": true, "strip": true, "step": true, "trips": true, "record": true, "spmd": true, "fio": true, "dist": true, "elementary": true, "math": true, "main": true, "run": true, "program": true, "init": true,
	"bool": true, "byte": true, "error": true, "float32": true, "float64": true, "int": true, "string": true, "any": true,
	"true": true, "false": true, "nil": true, "iota": true,
	"append": true, "cap": true, "clear": true, "close": true, "complex": true, "copy": true, "delete": true, "imag": true,
	"len": true, "make": true, "max": true, "min": true, "new": true, "panic": true, "print": true, "println": true, "real": true, "recover": true,
	"uint": true, "uint8": true, "int8": true, "int16": true, "int32": true, "int64": true, "rune": true, "uintptr": true,
	"uint16": true, "uint32": true, "uint64": true, "complex64": true, "complex128": true, "comparable": true,
}

// names gives every object of the program one Go identifier. Source names are
// kept; a name that Go or the emitted code needs gets an underscore behind it.
type names struct {
	used map[string]bool
	of   map[*ir.Symbol]string
}

func newNames(p *ir.Program, measured bool) *names {
	n := &names{used: map[string]bool{}, of: map[*ir.Symbol]string{}}
	if measured {
		n.used["trace"], n.used["measured"] = true, true
	}
	for _, s := range p.Symbols {
		n.of[s] = n.fresh(s.Name)
	}
	return n
}

// fresh returns an unused identifier like want. Only letters, digits and
// underscores get through, whatever the source called it.
func (n *names) fresh(want string) string {
	var b strings.Builder
	for i, r := range want {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', i > 0 && r >= '0' && r <= '9', r == '_' && i > 0:
			b.WriteRune(r)
		case r == '.':
			b.WriteByte('_')
		}
	}
	name := b.String()
	if name == "" {
		name = "v"
	}
	for reserved[name] || token.IsKeyword(name) || n.used[name] {
		name += "_"
	}
	n.used[name] = true
	return name
}

func (n *names) sym(s *ir.Symbol) string {
	if n.of[s] == "" {
		n.of[s] = n.fresh(s.Name)
	}
	return n.of[s]
}
