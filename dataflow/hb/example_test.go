package hb

import (
	"fmt"
	"strings"
	"testing"
)

// TestDocumentation: the sets of the package comment.
func TestDocumentation(t *testing.T) {
	s := newSolver(exchange(3))
	f := s.solve(s.rules(slots{n: 2}.of(1)))
	var parts []string
	for _, n := range s.sys.Graph.Nodes {
		if n.Ref == 0 {
			continue
		}
		v := f.at(n)
		text := n.Name()
		for a := range 2 {
			set := everyone(3)
			if known := f.generation(&v, a); known != nil {
				set = f.of(known, 1)
			}
			var names []string
			for p := range 3 {
				if set>>p&1 != 0 {
					names = append(names, fmt.Sprint(p))
				}
			}
			text += " {" + strings.Join(names, " ") + "}"
		}
		parts = append(parts, text)
	}
	const want = "C_1 {1} {0 1 2} · C_2 {} {1} · CO_1 {} {1} · CO_2 {} {1 2} · UO_1 {} {0 1 2} · UO_2 {1} {0 1 2}"
	if got := strings.Join(parts, " · "); got != want {
		t.Errorf("found %s\nexpected %s", got, want)
	}
}
