package plan

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc"
)

// Example is an execution on a few PEs that shows what a ready message is for: at
// a put from PE From to PE To no data message and no reduction has told From that
// To is done with what the put overwrites.
type Example struct {
	PEs, From, To int
	Use           int // the communication whose value is overwritten
	Line          int // of the put
	// Guessed: conditions that the source does not decide were taken as it came, so
	// the way may be one that no input leads to.
	Guessed bool
	// Input: it is so for some input, since numbers that the program reads were made
	// up.
	Input bool
	// At are the values of the loops' indices around the put, "it = 2", outermost
	// first.
	At []string
}

// Examples looks for examples for all communications that have ready messages, on
// np PEs, or on a few for 0. One that is not there may still exist. What listens is
// looked at as if it had one slot, and ready messages for every put.
func (p *Plan) Examples(np int) map[int]*Example {
	plain := *p
	plain.Slots = slices.Clone(p.Slots)
	for i := range plain.Slots {
		if s := &plain.Slots[i]; s.OnDemand && len(s.At) == 0 {
			s.OnDemand, s.Staged, s.Count = false, false, 1
		}
	}
	p = &plain
	pes := replayPEs
	if np > 0 {
		pes = []int{np}
	}
	out := map[int]*Example{}
	for _, np := range pes {
		for run := range replayRuns {
			s := &seeker{replay: newReplay(p, np, uint64(run)), found: out}
			s.do = s.look
			s.nodes(p.Program.Body)
		}
	}
	return out
}

// seeker is a replay that does not stop at what is not ordered.
type seeker struct {
	*replay
	found map[int]*Example
}

func (s *seeker) look(e event, c *comm.Comm) {
	if e == post && c.Kind != comm.Irregular && s.p.Slots[c.ID-1].Ready {
		if messages, known := s.messages(c); known {
			s.seek(c, messages)
		}
	}
	s.event(e, c)
}

// seek looks at the puts of c that come now: for a PE that does not know of the end
// of a use.
func (s *seeker) seek(c *comm.Comm, messages []procfunc.Pair) {
	slot := &s.p.Slots[c.ID-1]
	if slot.own() {
		st := &s.state[c.ID]
		if last := len(st.ends) - slot.Count; last >= 0 {
			s.compare(c, c.ID, st.ends[last], messages)
		}
		return
	}
	for _, use := range s.class[c.ID] {
		s.compare(c, use, s.state[use].used, messages)
	}
}

// compare takes the ends of uses by PE, of which 0 stands for no use.
func (s *seeker) compare(c *comm.Comm, use int, ends []int, messages []procfunc.Pair) {
	for _, m := range messages {
		have := s.found[c.ID]
		if end := ends[m.To]; end <= s.knows[m.From][m.To] || s.state[use].live[m.To] && end != inUse || have != nil && (!have.Guessed || s.guessed) {
			continue
		}
		e := &Example{PEs: s.np, From: m.From, To: m.To, Use: use, Line: c.CLine, Guessed: s.guessed, Input: s.invented}
		for _, index := range s.p.putLoops(c.ID) {
			if v, ok := s.values[index]; ok {
				e.At = append(e.At, fmt.Sprintf("%s = %d", index, v))
			}
		}
		s.found[c.ID] = e
		return
	}
}

// putLoops are the indices of the loops around the puts of communication r,
// outermost first.
func (p *Plan) putLoops(r int) []string {
	var out []string
	for _, n := range p.Graph.Nodes {
		if puts(n, r) {
			for l := n.Loop; l != nil; l = l.Parent {
				if l.Index != "" {
					out = append([]string{l.Index}, out...)
				}
			}
			break
		}
	}
	return out
}
