package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// In
//
//	do t = 1, 5
//	   if (...) then
//	      C_1 …
//	   end if
//	end do
//
// communication 1 is executed at most five times, whatever conditions say. With five
// slots each of its puts is into one that was never used, and waits for nobody. That
// holds for all numbers of PEs, and takes no message at all.
//
// How often a communication is executed is counted over the loops around it, with the
// values of their indices where the bounds of inner ones depend on them. Jumps and
// branches can only make it less.

// countLimit is the most iterations that are looked at for one communication.
const countLimit = 4096

// fewTimes is the most executions for which there is a slot each: few slots by turns
// stay in the cache, and do for sizes that are not known as well. One that asks, which
// two or three slots free for most pairs of PEs, gets one each for half as many.
const fewTimes = 16

// times is the most executions that there can be of communication r, 0 if that is not
// known to be at most fewTimes.
func (p *Plan) times(r int) int {
	total := 0
	for _, n := range p.Graph.Nodes {
		if !puts(n, r) {
			continue
		}
		c := &counter{values: map[string]int64{}, left: countLimit}
		for l := n.Loop; l != nil; l = l.Parent {
			d, ok := p.Program.Loop(l).(*ir.Do)
			if !ok {
				return 0
			}
			b := p.Program.Info.Bounds(d)
			if !b.Affine() {
				return 0
			}
			c.loops, c.names = append([]scalar.LoopBounds{b}, c.loops...), append([]string{d.Index.Name}, c.names...)
		}
		if !c.count(0) {
			return 0
		}
		total += c.found
	}
	// The verifier has the texts alone.
	if k, err := executions(p.Graph, r); err != nil || k > total || total > fewTimes {
		return 0
	}
	return total
}

// counter counts the iterations of a nest of loops.
type counter struct {
	loops  []scalar.LoopBounds // the outermost first
	names  []string            // of their indices
	values map[string]int64
	left   int // iterations to look at
	found  int
}

// count adds the iterations of the loops from number k on; false if they are not
// known, or too many.
func (c *counter) count(k int) bool {
	if k == len(c.loops) {
		c.found++
		return c.found <= fewTimes
	}
	b := c.loops[k]
	for _, v := range slices.Concat(b.Lo.Vars(), b.Hi.Vars()) {
		if _, known := c.values[v]; !known {
			return false
		}
	}
	of := func(v string) int64 { return c.values[v] }
	lo, ok1 := b.Lo.Eval(of)
	hi, ok2 := b.Hi.Eval(of)
	if !ok1 || !ok2 {
		return false
	}
	defer delete(c.values, c.names[k])
	for v := lo; b.Step > 0 && v <= hi || b.Step < 0 && v >= hi; v += b.Step {
		if c.left--; c.left < 0 {
			return false
		}
		c.values[c.names[k]] = v
		if !c.count(k + 1) {
			return false
		}
	}
	return true
}

// whyTimes is the reason of a slot without ready messages.
func whyTimes(times int) string {
	return fmt.Sprintf("no ready message: at most %d executions, each with a slot of its own", times)
}

// checkTimes wants, for a communication that puts without ready messages as there is
// a slot for each of its executions, that there are so few of them. It knows the
// texts of the loops alone.
func (d *Document) checkTimes(put *cfg.Node, s *SlotText) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("line %d: %s puts without ready message, with a slot for each of %d executions: %s", put.Line, put.Name(), s.Times, fmt.Sprintf(format, args...))
	}
	switch {
	case s.Times < 1 || s.Count < s.Times:
		return bad("there are %d slots", s.Count)
	case put.Flavour == "recv" || put.Flavour == "send":
		return bad("it is pipelined, and has one slot")
	case !s.Staged && slices.ContainsFunc(d.Classes, func(c []int) bool { return slices.Contains(c, s.ID) }):
		return bad("it fills the cells of others too")
	}
	switch most, err := executions(d.Graph, s.ID); {
	case err != nil:
		return bad("%v", err)
	case most > s.Times:
		return bad("there are %d", most)
	}
	return nil
}

// executions is the most that there can be of a communication, by the texts of the
// loops.
func executions(g *cfg.Graph, id int) (int, error) {
	most := 0
	for _, n := range g.Nodes {
		if !puts(n, id) {
			continue
		}
		var around []*cfg.Loop
		for l := n.Loop; l != nil; l = l.Parent {
			around = append([]*cfg.Loop{l}, around...)
		}
		left := countLimit
		k, err := iterations(around, map[string]int{}, &left)
		if err != nil {
			return 0, err
		}
		most += k
	}
	return most, nil
}

// iterations counts those of a nest, with the values that outer indices have.
func iterations(nest []*cfg.Loop, values map[string]int, left *int) (int, error) {
	if len(nest) == 0 {
		return 1, nil
	}
	l := nest[0]
	var bound [3]int
	for i, text := range []string{l.Lo, l.Hi, l.Step} {
		v, ok := wholeNumber(text, values)
		if !ok || i == 2 && v == 0 {
			return 0, fmt.Errorf("how often the loop in line %d runs is not known, from %q to %q by %q", l.Line, l.Lo, l.Hi, l.Step)
		}
		bound[i] = v
	}
	inner := map[string]int{}
	for name, v := range values {
		inner[name] = v
	}
	sum := 0
	for v := bound[0]; bound[2] > 0 && v <= bound[1] || bound[2] < 0 && v >= bound[1]; v += bound[2] {
		if *left--; *left < 0 {
			return 0, fmt.Errorf("more than %d iterations", countLimit)
		}
		inner[l.Index] = v
		k, err := iterations(nest[1:], inner, left)
		if err != nil {
			return 0, err
		}
		sum += k
	}
	return sum, nil
}

// wholeNumber is the value of an expression of whole numbers and the names that have
// values.
func wholeNumber(text string, values map[string]int) (int, bool) {
	r := &reader{rest: strings.ReplaceAll(text, " ", ""), of: func(name string) integer {
		if v, ok := values[name]; ok {
			return integer{'c', v}
		}
		return integer{}
	}}
	x := r.sum()
	return x.c, !r.bad && r.rest == "" && x.kind == 'c'
}

// writeTimes writes how often a communication with a slot for each execution can be
// executed.
func writeTimes(b *strings.Builder, id, times int) {
	if times > 0 {
		fmt.Fprintf(b, "times %d: %d\n", id, times)
	}
}

// parseTimes reads the line "times COMM: NUMBER".
func parseTimes(line string) (id, times int, err error) {
	head, number, ok := strings.Cut(line, ": ")
	word, name, ok2 := strings.Cut(head, " ")
	id, err1 := strconv.Atoi(name)
	times, err2 := strconv.Atoi(number)
	if !ok || !ok2 || word != "times" || err1 != nil || err2 != nil || times < 1 || times > MostSlots {
		return 0, 0, fmt.Errorf("found %q, want \"times COMM: NUMBER\", of at most %d", line, MostSlots)
	}
	return id, times, nil
}
