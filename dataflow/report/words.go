package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// useOver says what ends the use at a node.
func (s *reason) useOver(n *cfg.Node) string {
	what := s.b.refText(s.o.Use)
	switch {
	case n.Kind == cfg.Comm:
		return fmt.Sprintf("puts into the cells of C_%d after their last use; further puts have to come after that use too", s.o.Put)
	case s.o.Staged:
		return "q has copied it from the staging buffer into its overlap: the buffer is free, which only q knows"
	case s.planes():
		return fmt.Sprintf("q is done with the plane of %s, which only q knows", what)
	case s.o.Own():
		return fmt.Sprintf("q is done with the slot of %s, which only q knows", what)
	}
	return fmt.Sprintf("every PE q that received %s is done with it, which only q knows", what)
}

// leaves says what communication y, which acknowledges the end of the use, does.
func (s *reason) leaves(y int) string {
	put := s.o.Put
	if by := s.b.relays(put, y); by != nil && !s.b.f.KillsAfter(y, put, 1) {
		return fmt.Sprintf("%s leaves: what each PE q that C_%d will put to has sent with %s, one after the other, now goes on to the PE p that will put to q", s.b.refText(y), put, refs(by, "and"))
	}
	return fmt.Sprintf("%s leaves: each PE q that C_%d will put to sends it to the PE p that will put to q", s.b.refText(y), put)
}

// overwrites says what the put at the end of a chain does.
func (s *reason) overwrites() string {
	switch {
	case s.o.Staged:
		return "p puts into the same staging buffer again, and knows that it is free"
	case s.planes():
		return "p puts into a plane that it has filled before, and knows that q is done with it"
	case s.o.Own():
		return "p puts into the same slot again, and knows that q is done with it"
	}
	return fmt.Sprintf("p puts %s into the slot, and knows that q is done with it", s.b.refText(s.o.Put))
}

// numeral is a number of slots in words.
func numeral(n int) string {
	if words := []string{"no", "one", "two", "three", "four"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// slotName is "the staging buffer", "a slot (there are two, used in turn)".
func (s *reason) slotName() string {
	kind := "slot"
	if s.o.Staged {
		kind = "staging buffer"
	}
	if s.planes() {
		kind = "plane of the overlap"
	}
	if s.o.Ring == 1 {
		return "the " + kind
	}
	return fmt.Sprintf("a %s (there are %s, used in turn)", kind, numeral(s.o.Ring))
}

// planes reports whether the slots are planes of an overlap.
func (s *reason) planes() bool { return s.slot != nil && s.slot.Planes != nil }

// overwritten says what a put overwrites: "what came two iterations of it before".
func (s *reason) overwritten() string {
	n := s.o.Ring
	if l := s.everyIteration(); l != nil {
		name := "iteration"
		if l.Index != "" {
			name += " of " + l.Index
		}
		switch n {
		case 1:
			return fmt.Sprintf("what came in the %s before", name)
		default:
			return fmt.Sprintf("what came %s iterations%s before", numeral(n), strings.TrimPrefix(name, "iteration"))
		}
	}
	if n == 1 {
		return "what the execution before brought"
	}
	return fmt.Sprintf("what came %s executions before", numeral(n))
}

// everyIteration is the innermost loop around the put if each of its iterations
// that goes on passes the put, else nil.
func (s *reason) everyIteration() *cfg.Loop {
	l := s.put.Loop
	if l == nil {
		return nil
	}
	tree := s.b.dominators()
	for _, p := range l.Head.Preds {
		if l.Contains(p.Loop) && !tree.Dominates(s.put, p) {
			return nil
		}
	}
	return l
}

// sentence is the reason in one sentence.
func (s *reason) sentence(o *Obligation) string {
	overwrites := fmt.Sprintf("a put overwrites %s", s.overwritten())
	switch {
	case s.o.Staged && s.o.Ring > 1:
		overwrites = fmt.Sprintf("%s staging buffers, used in turn: %s", numeral(s.o.Ring), overwrites)
	case s.o.Staged:
		overwrites = "it comes into a staging buffer, which is free as soon as q has copied it into its overlap: " + overwrites
	case s.planes():
		overwrites = fmt.Sprintf("%v, the subscript in dimension %d, is another one in each execution, so that the planes of the overlap are two slots: %s", s.slot.Planes.Sub, s.slot.Planes.Dim, overwrites)
	case s.o.Ring > 1:
		overwrites = fmt.Sprintf("%s slots, used in turn: %s", numeral(s.o.Ring), overwrites)
	}
	if o.Chains == nil {
		return overwrites + "; " + o.Once
	}
	acknowledged := "has by then acknowledged to p that q is done with it"
	by := witnessNames(o.Chains)
	overwrites += ", and " + list(by, "or")
	if len(by) > 1 {
		overwrites += ", whichever lies on the way,"
	}
	overwrites += " " + acknowledged
	return overwrites
}

// witnessNames names what acknowledges the end of a use in chains, with lines.
func witnessNames(chains []Chain) []string {
	var by []string
	for _, c := range chains {
		for _, h := range c.Hops {
			if name := fmt.Sprintf("%s (line %d)", h.Name, h.Line); h.Role == "witness" && !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
	}
	return by
}

// refs is "C_1 and C_2".
func refs(numbers []int, and string) string {
	var names []string
	for _, r := range numbers {
		names = append(names, fmt.Sprintf("C_%d", r))
	}
	return list(names, and)
}

// list is "a, b and c".
func list(items []string, and string) string {
	if k := len(items) - 1; k > 0 {
		return strings.Join(items[:k], ", ") + " " + and + " " + items[k]
	}
	return strings.Join(items, "")
}

// relays are the communications before y in a chain that acknowledges the end of the use to a put, nil if there is
// none that y ends.
func (b *builder) relays(put, y int) []int {
	for _, c := range b.f.Chains(put) {
		if last := len(c) - 1; c[last] == y {
			return c[:last]
		}
	}
	return nil
}

// refText is the first reference of a communication.
func (b *builder) refText(r int) string {
	return b.f.Put(r).Text
}

// sentence says in one sentence why communication r has its verdict.
func (b *builder) sentence(r int, obligations []Obligation) string {
	var by []string
	for _, o := range obligations {
		if o.Gap != nil {
			return b.gapSentence(o)
		}
		for _, name := range witnessNames(o.Chains) {
			if !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
	}
	if len(by) > 0 {
		if len(by) == 1 {
			return fmt.Sprintf("%s orders every use before the next put", by[0])
		}
		return list(by, "or") + ", whichever lies on the way, orders every use before the next put"
	}
	for _, o := range obligations {
		if o.Once != "" {
			return o.Once
		}
	}
	return fmt.Sprintf("nothing uses the cells of C_%d before it puts", r)
}
