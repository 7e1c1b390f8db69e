package plan

import (
	"fmt"
	"slices"
	"strings"

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
	// The verifier counts in its own way.
	if k, err := p.executions(r); err != nil || k > total || total > fewTimes {
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
// a slot for each of its executions, that there are so few of them. It evaluates the
// bounds of the loops as they stand in the program.
func (p *Plan) checkTimes(s *Slot) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("line %d: #%d puts without ready message, with a slot for each of %d executions: %s", s.Comm.CLine, s.Comm.ID, s.Times, fmt.Sprintf(format, args...))
	}
	switch most, err := p.executions(s.Comm.ID); {
	case err != nil:
		return bad("%v", err)
	case most > s.Times:
		return bad("there are %d", most)
	}
	return nil
}

// executions is the most that there can be of a communication.
func (p *Plan) executions(id int) (int, error) {
	most := 0
	for _, n := range p.Graph.Nodes {
		if !puts(n, id) {
			continue
		}
		var around []*ir.Do
		for l := n.Loop; l != nil; l = l.Parent {
			d, ok := p.Program.Loop(l).(*ir.Do)
			if !ok {
				return 0, fmt.Errorf("how often the loop in line %d runs is not known", l.Line)
			}
			around = append([]*ir.Do{d}, around...)
		}
		left := countLimit
		k, err := iterations(around, &walker{program: p.Program, values: map[string]int64{}}, &left)
		if err != nil {
			return 0, err
		}
		most += k
	}
	return most, nil
}

// iterations counts those of a nest, with the values that outer indices have.
func iterations(nest []*ir.Do, w *walker, left *int) (int, error) {
	if len(nest) == 0 {
		return 1, nil
	}
	d := nest[0]
	var bound [3]int64
	for i, e := range []ir.Expr{d.Lo, d.Hi, d.Step} {
		v, ok := w.value(e)
		if !ok || i == 2 && v == 0 {
			return 0, fmt.Errorf("how often the loop in line %d runs is not known, from %q to %q by %q", d.Pos.Line, ir.ExprString(d.Lo), ir.ExprString(d.Hi), ir.ExprString(d.Step))
		}
		bound[i] = v
	}
	defer delete(w.values, d.Index.Name)
	sum := 0
	for v := bound[0]; bound[2] > 0 && v <= bound[1] || bound[2] < 0 && v >= bound[1]; v += bound[2] {
		if *left--; *left < 0 {
			return 0, fmt.Errorf("more than %d iterations", countLimit)
		}
		w.values[d.Index.Name] = v
		k, err := iterations(nest[1:], w, left)
		if err != nil {
			return 0, err
		}
		sum += k
	}
	return sum, nil
}

// writeTimes writes how often a communication with a slot for each execution can be
// executed.
func writeTimes(b *strings.Builder, id, times int) {
	if times > 0 {
		fmt.Fprintf(b, "times %d: %d\n", id, times)
	}
}
