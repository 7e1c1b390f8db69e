package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// askedPEs are the numbers of PEs for which the report lists who is answered,
// unless it is asked for one; besides, it lists the smallest number, of those up to
// the last one, on which somebody is not.
var askedPEs = []int{2, 3, 4, 8, 16, 32, 64}

// mostPairs is how many pairs without an answer are named.
const mostPairs = 4

// asking says which messages answer which pairs.
func (s *agedStory) asking(chains []Chain) *Asking {
	f, r := s.b.f, s.slots.Use
	out := &Asking{Asked: []Asked{}, Pairs: []PairCount{}}
	for _, y := range s.slot.Pairwise {
		n := f.Put(y)
		a := Asked{Ref: y, Point: point(n), Relation: f.Relations[y-1].String()}
		if reason := f.KillReasonAfter(y, r, s.nth(y, chains)); !reason.Kills {
			a.Why = reason.Text
		}
		out.Asked = append(out.Asked, a)
	}
	if np := s.b.a.options.PEs; np > 0 {
		if c, ok := s.pairs(np); ok {
			out.Pairs = append(out.Pairs, c)
		}
		return out
	}
	out.Through = askedPEs[len(askedPEs)-1]
	for np, last := 2, out.Through; np <= last; np++ {
		c, ok := s.pairs(np)
		if !ok {
			out.Through = 0
			return out
		}
		missing := c.Answered < c.Messages && out.Through == last
		if missing {
			out.Through = np - 1
		}
		if missing || slices.Contains(askedPEs, np) {
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
	mine := s.b.sent(s.slots.Use, np)
	if !mine.known {
		return out, false
	}
	if !s.b.f.Alike(s.slots.Use, s.slots.Use) {
		var values []string
		for _, name := range mine.scalars {
			values = append(values, name+" = 1")
		}
		out.For = list(values, "and")
	}
	for _, y := range s.slot.Pairwise {
		if !s.b.sent(y, np).known {
			return out, false
		}
	}
	for _, m := range mine.list {
		out.Messages++
		if !slices.ContainsFunc(s.slot.Pairwise, func(y int) bool { return !s.b.sent(y, np).has[procfunc.Pair{From: m.To, To: m.From}] }) {
			out.Answered++
		} else if len(out.Without) < mostPairs {
			out.Without = append(out.Without, [2]int{m.From, m.To})
		}
	}
	return out, true
}

// sent is the messages of an execution of a communication on some PEs, with 1 for
// the values of scalars.
type sent struct {
	known   bool
	list    []procfunc.Pair
	has     map[procfunc.Pair]bool
	scalars []string // that were asked for, sorted
}

// sent finds the messages of communication r on np PEs.
func (b *builder) sent(r, np int) *sent {
	key := [2]int{r, np}
	if b.messages[key] != nil {
		return b.messages[key]
	}
	out := &sent{has: map[procfunc.Pair]bool{}}
	space := procfunc.NewPESpace(np, func(name string) (int64, bool) {
		if !slices.Contains(out.scalars, name) {
			out.scalars = append(out.scalars, name)
		}
		return 1, true
	})
	out.list, out.known = space.Messages(b.f.Program.Comms[r-1])
	for _, m := range out.list {
		out.has[m] = true
	}
	slices.Sort(out.scalars)
	if b.messages == nil {
		b.messages = map[[2]int]*sent{}
	}
	b.messages[key] = out
	return out
}

// say tells of the numbers of PEs, those together where all messages are answered.
func (a *Asking) say() []string {
	var out []string
	last, values := -1, ""
	for i, c := range a.Pairs {
		if c.PEs <= a.Through {
			last, values = i, c.For
		} else {
			out = append(out, c.String())
		}
	}
	if last < 0 {
		return out
	}
	text := fmt.Sprintf("on 2 to %d PEs", a.Through)
	if values != "" {
		text += " for " + values
	}
	most := 0
	for _, c := range a.Pairs[:last+1] {
		most = max(most, c.Messages)
	}
	return append([]string{fmt.Sprintf("%s: every message (up to %d at a time) is answered, and no ready message is sent", text, most)}, out...)
}

// String is "on 32 PEs: 58 of 62 messages are answered; a ready message before
// those of PE 0 -> 1, ...".
func (c PairCount) String() string {
	text := fmt.Sprintf("on %d PEs", c.PEs)
	if c.For != "" {
		text += " for " + c.For
	}
	if c.Messages == 0 {
		return text + ": there is no message"
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
