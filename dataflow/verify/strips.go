package verify

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// strips wants, where PEs do not send completion acknowledgements, a proof that other
// messages do so before each node that may assign the source. A barrier says nothing of
// gets, and may be left out at run time.
func (v *verifier) strips(s *plan.Strip) error {
	if s.Completes {
		return nil
	}
	if s.Proof == nil {
		return fmt.Errorf("there is no proof that gets are over")
	}
	for _, n := range v.Graph.Nodes {
		if n.Kind == cfg.Barrier {
			return fmt.Errorf("line %d: a barrier, which says nothing of gets, and may be left out at run time", n.Line)
		}
	}
	return v.checker.CheckAt(s.Proof, s.Writes)
}

// strip checks of strips what only the program shows: that the program can be
// divided so, and that nothing else assigns the source.
func strip(p *plan.Plan, slot *plan.Slot) error {
	s, c := slot.Strip, slot.Comm
	at, why := p.Program.Strips(c)
	if why != "" {
		return fmt.Errorf("#%d comes in strips: %s", c.ID, why)
	}
	if *at != *s.Strips {
		return fmt.Errorf("#%d comes in strips of another loop than it can", c.ID)
	}
	for i := range p.Slots {
		if o := p.Slots[i].Strip; o != nil && o.Loop == s.Loop && o.Size != s.Size {
			return fmt.Errorf("#%d and #%d divide the loop in line %d into strips of %d and of %d iterations", c.ID, i+1, s.Loop.Pos.Line, s.Size, o.Size)
		}
	}
	if !slices.Equal(p.Writes(c.Array), s.Writes) {
		return fmt.Errorf("#%d comes in strips: %s is assigned at nodes %v, not %v", c.ID, c.Array.Name, p.Writes(c.Array), s.Writes)
	}
	return nil
}
