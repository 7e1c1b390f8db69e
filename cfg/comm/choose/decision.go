package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/transform"
)

// Verdict is what became of a candidate.
type Verdict string

const (
	Chosen     Verdict = "chosen"
	NoGain     Verdict = "no gain"
	Impossible Verdict = "not possible" // it would change what the program means
	Untried    Verdict = "not tried"    // the program has too many candidates
)

// Decision is one candidate with what became of it.
type Decision struct {
	Kind          transform.Kind
	Line          int
	Head          string // first line of the statement
	What          string // what the transformation makes of it
	Verdict       Verdict
	Why           string  // of Impossible and Untried
	Before, After float64 // estimated cost of the statement of the program unit that holds it, in messages
	Together      int     // how many were tried at once
}

// head is the first line of s without the directive that ir adds.
func head(s ir.Stmt) string {
	text, _, _ := strings.Cut(ir.StmtString(s), "   !")
	return text
}

// reduces reports whether a reduction is among the nodes.
func reduces(list []comm.Node) bool {
	return slices.ContainsFunc(list, func(n comm.Node) bool {
		_, ok := n.(*comm.Combine)
		return ok
	})
}

// decisions lists what was decided, in the order of the program; a candidate
// that was tried again after another was taken is reported once, as it ended.
func (s *search) decisions() []Decision {
	var list []Decision
	for _, u := range s.units {
		last := map[string]int{}
		var kept []Decision
		for _, d := range u.decisions {
			key := fmt.Sprint(d.Kind, d.Line, d.Head)
			if i, ok := last[key]; ok && kept[i].Verdict != Chosen {
				kept[i] = d
				continue
			}
			last[key] = len(kept)
			kept = append(kept, d)
		}
		list = append(list, kept...)
	}
	slices.SortStableFunc(list, func(a, b Decision) int { return a.Line - b.Line })
	return list
}
