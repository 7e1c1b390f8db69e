package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// askedPEs are the numbers of PEs for which the report lists who is answered,
// unless it is asked for one: as small as they are common, and two at which
// blocks get small.
var askedPEs = []int{2, 3, 4, 8, 16, 32, 64}

// mostPairs is how many pairs without an answer are named.
const mostPairs = 4

// asking says which messages answer which pairs.
func (s *agedStory) asking(chains []Chain) *Asking {
	f, r := s.b.f, s.slots.Comm
	out := &Asking{Asked: []Asked{}, Pairs: []PairCount{}}
	for _, y := range s.slot.Asks {
		n := f.Put(y)
		a := Asked{Ref: y, Point: point(n), Relation: f.Relations[y-1].String()}
		if reason := f.KillReasonAfter(y, r, s.nth(y, chains)); !reason.Kills {
			a.Why = reason.Text
		}
		out.Asked = append(out.Asked, a)
	}
	list := askedPEs
	if s.b.a.options.PEs > 0 {
		list = []int{s.b.a.options.PEs}
	}
	for _, np := range list {
		if c, ok := s.pairs(np); ok {
			out.Pairs = append(out.Pairs, c)
		}
	}
	return out
}

// nth is which execution of the communication from y on overwrites the value that
// y tells of.
func (s *agedStory) nth(y int, chains []Chain) int {
	for _, c := range chains {
		for i, id := range c.Path {
			n := s.b.g.Nodes[id]
			if n.Kind == cfg.Comm && n.Ref == y && c.By == y && i > 0 {
				count := 0
				for _, later := range c.Path[i+1:] {
					if s.b.g.Nodes[later] == s.put {
						count++
					}
				}
				return max(1, count)
			}
		}
	}
	return 1
}

// pairs counts the messages of one execution on np PEs, and those that all that is
// asked for answers. What is asked for is the same in each execution; where the
// messages are not, they are those for index and scalar values of 1. It is false
// where no messages are known.
func (s *agedStory) pairs(np int) (PairCount, bool) {
	out := PairCount{PEs: np, Without: [][2]int{}}
	var scalars []string
	space := procfunc.NewPESpace(np, func(name string) (int64, bool) {
		if !slices.Contains(scalars, name) {
			scalars = append(scalars, name)
		}
		return 1, true
	})
	messages, ok := space.Messages(s.b.f.Program.Comms[s.slots.Comm-1])
	if !ok {
		return out, false
	}
	if !s.b.f.Alike(s.slots.Comm, s.slots.Comm) {
		slices.Sort(scalars)
		for i, name := range scalars {
			scalars[i] = name + " = 1"
		}
		out.For = list(scalars, "and")
	}
	back := make([]map[procfunc.Pair]bool, len(s.slot.Asks))
	for i, y := range s.slot.Asks {
		list, ok := space.Messages(s.b.f.Program.Comms[y-1])
		if !ok {
			return out, false
		}
		back[i] = map[procfunc.Pair]bool{}
		for _, m := range list {
			back[i][procfunc.Pair{From: m.To, To: m.From}] = true
		}
	}
	for _, m := range messages {
		out.Messages++
		if !slices.ContainsFunc(back, func(b map[procfunc.Pair]bool) bool { return !b[m] }) {
			out.Answered++
		} else if len(out.Without) < mostPairs {
			out.Without = append(out.Without, [2]int{m.From, m.To})
		}
	}
	return out, true
}

// say tells of the numbers of PEs, those together where the answer is the same.
func (a *Asking) say() []string {
	var none, all, out []string
	messages := 0
	for _, c := range a.Pairs {
		np := fmt.Sprint(c.PEs)
		switch {
		case c.For != "":
			out = append(out, c.String())
		case c.Messages == 0:
			none = append(none, np)
		case c.Answered == c.Messages:
			all = append(all, np)
			messages = max(messages, c.Messages)
		default:
			out = append(out, c.String())
		}
	}
	if all != nil {
		out = append([]string{fmt.Sprintf("on %s PEs: every message (up to %d) is answered, and no ready message is sent", list(all, "and"), messages)}, out...)
	}
	if none != nil {
		out = append([]string{fmt.Sprintf("on %s PEs: there is no message", list(none, "and"))}, out...)
	}
	return out
}

// String is "on 32 PEs: 58 of 62 messages are answered; a ready message before
// those of PE 0 -> 1, ...".
func (c PairCount) String() string {
	text := fmt.Sprintf("on %d PEs", c.PEs)
	if c.For != "" {
		text += " for " + c.For
	}
	text += fmt.Sprintf(": %d of %d messages are answered", c.Answered, c.Messages)
	if c.Answered == c.Messages {
		return text
	}
	text += "; a ready message before those of PE"
	for i, m := range c.Without {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d -> %d", m[0], m[1])
	}
	if len(c.Without) < c.Messages-c.Answered {
		text += ", ..."
	}
	return text
}

// handshake is the story of a ready message that the plan has before every put,
// whether it is needed or not.
func (b *builder) handshake(r int) Obligation {
	o := Obligation{Use: r, Put: r, Verdict: synch.NeedsSync.String(), Slots: 1, Sweeps: []Sweep{}}
	put := b.f.Put(r)
	what := b.refText(r)
	c := Chain{By: r}
	for _, use := range b.uses[r] {
		if path := pathForth(use, put, func(*cfg.Node) bool { return true }); path != nil && (c.Path == nil || len(path) < len(c.Path)) {
			c.Path = ids(path)
			c.Hops = []Hop{{point(use), "use", "", fmt.Sprintf("every PE q that received %s is done with it, which only q knows", what)}}
		}
	}
	again := ""
	if c.Path == nil {
		c.Path = []int{put.ID}
	} else {
		var path []*cfg.Node
		for _, id := range c.Path {
			path = append(path, b.g.Nodes[id])
		}
		if l := crossed(path); l != nil {
			again = next(l) + " "
		}
	}
	rel := b.f.Relations[r-1]
	c.Hops = append(c.Hops,
		Hop{point(put), "tells", reversed(rel), fmt.Sprintf("%sq comes here, and sends p a ready message: all its uses lie behind it", again)},
		Hop{point(put), "put", rel.String(), fmt.Sprintf("p waits for that, and puts %s", what)})
	o.Chains = []Chain{c}
	o.Values = []Values{}
	return o
}

// reversed is the relation of the ready messages of r: q -> p.
func reversed(r *procfunc.Relation) string {
	back := *r
	back.P, back.Q = r.Q, r.P
	return back.String()
}
