package elide

import (
	"slices"
	"testing"
)

// verdict is what must come of a trace.
type verdict struct {
	fails   bool
	barrier int // number of the first disputed op, from 1
}

// reference says it from the definition, with all PEs in lock step and one
// global notion of what is known of a context: elided when it was private often
// enough in a row, and PEs never met in it from elsewhere.
func reference(tr trace, c config, planned map[Site]bool) verdict {
	type known struct {
		private, need, vetoes int
		elided, never         bool
	}
	contexts := map[Site]*known{}
	at := func(s Site) *known {
		k := contexts[s]
		if k == nil {
			k = &known{need: int(c.threshold), elided: planned[s], never: !c.online && !planned[s]}
			contexts[s] = k
		}
		return k
	}
	armed := len(planned) > 0
	summary := make([]Access, len(tr))
	for pe := range summary {
		summary[pe] = Private
	}
	seq := 0 // counts as machines do
	for i := 0; ; i++ {
		ended, coll := 0, 0
		for pe := range tr {
			switch {
			case i == len(tr[pe]):
				ended++
			case tr[pe][i].collective:
				coll++
			}
		}
		if ended == len(tr) {
			return verdict{}
		}
		if coll == len(tr) && !armed {
			for pe := range tr {
				summary[pe] = min(summary[pe], tr[pe][i].access)
			}
			continue
		}
		seq++
		if ended > 0 || coll > 0 && coll < len(tr) {
			return verdict{true, seq}
		}
		var elide, broke, private, aligned = 0, 0, 0, true
		for pe := range tr {
			o := tr[pe][i]
			if summary[pe] = min(summary[pe], o.access); summary[pe] == Private {
				private++
			}
			aligned = aligned && o.site == tr[0][i].site
			switch {
			case o.collective || !at(o.site).elided:
			case summary[pe] == Private:
				elide++
			default:
				broke++
			}
		}
		switch {
		case elide == len(tr):
			continue // nobody had accessed anything
		case elide > 0, broke > 0 && broke < len(tr), !aligned && (broke > 0 || coll > 0):
			return verdict{true, seq}
		}
		for pe := range tr {
			summary[pe] = Private
		}
		k := at(tr[0][i].site)
		switch {
		case coll > 0:
		case !aligned:
			for pe := range tr {
				at(tr[pe][i].site).never = true
			}
		case broke > 0:
			if c.pessimistic {
				k.elided, k.never = false, true
			}
		case k.never:
		case private < len(tr):
			if k.private = 0; c.relearn == 0 {
				k.never = true
			}
			k.need = int(c.relearn) << k.vetoes
			k.vetoes++
		default:
			if k.private++; k.private >= k.need {
				k.elided, armed = true, true
			}
		}
	}
}

// checkEnd compares an end of a trace with what must come of it, and, if it did
// not fail, looks for accesses of two PEs that the barriers of the program
// order and the executed ones do not.
func checkEnd(t *testing.T, w *model, want verdict) {
	if fails := w.pes[0].phase == failed; fails != want.fails {
		t.Fatalf("%v: misspeculation reported %t, must be %t", w.trace, fails, want.fails)
	}
	if want.fails {
		for pe := range w.pes {
			if got := (*Vote)(w.net[pe].Vote()).firstSeq(); got != uint64(want.barrier) {
				t.Fatalf("%v: PE %d reports barrier %d, must be %d", w.trace, pe, got, want.barrier)
			}
		}
		return
	}
	for p, ops := range w.trace {
		for q := range w.trace {
			if p == q {
				continue
			}
			if !slices.Equal(w.pes[p].log, w.pes[q].log) {
				t.Fatalf("%v: PEs %d, %d executed different barriers", w.trace, p, q)
			}
			for i := range ops {
				for j := i + 1; j <= len(ops); j++ {
					after := Remote
					if j < len(ops) {
						after = w.trace[q][j].access
					}
					before := ops[i].access
					conflict := before != Private && after != Private && (before == Remote || after == Remote)
					if conflict && orderedByProgram(ops, i, j) && !slices.Contains(w.pes[p].log[i:j], executed) {
						t.Fatalf("%v: PE %d before op %d and PE %d before op %d are not ordered, and nothing is reported", w.trace, p, i, q, j)
					}
				}
			}
		}
	}
}

// orderedByProgram: is one of the ops i..j-1 a barrier?
func orderedByProgram(ops []op, i, j int) bool {
	return slices.ContainsFunc(ops[i:j], func(o op) bool { return !o.collective })
}
