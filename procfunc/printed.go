package procfunc

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// PrintedTest is the outcome of the paper's test of Conditions 2 and 3 for a
// chain of killers: one of them for Theorems 1 and 2, more for Theorem 3.
type PrintedTest struct {
	Kills bool
	// Product is RF_yn * ... * RF_y1 * RF_x, where the test got that far.
	Product *linalg.Transform
	// Next is NP_x, the identity matrix where repetitions are identical.
	Next *linalg.Transform
	// Rules has for each dimension the number of the condition in the paper's
	// Check for Condition 3 that holds, 0 for none.
	Rules []linalg.Rule
	Why   string // for people
}

// LiteralKills reports whether the paper's tests, exactly as they are printed,
// say that communication y kills the synchronisation of repetitions of x:
//
//   - Condition 2: Consumers[x] is inside Producers[y], dimension by dimension,
//     by the comparison of bounds and strides (section 3.2).
//   - Condition 3: RF_y * RF_x is a superset of NP_x, which is the identity
//     matrix where the repetitions in the innermost loop around x are identical
//     (sections 3.2 and 4). Next instances over the back edges of outer loops,
//     and paths past x, are not considered.
//
// Entries that contain loop indices are compared by name, although x's next
// instance has other values of them. All this is part of what is wrong with the
// printed tests: the answer is for comparison with the paper, and no ground to
// omit a ready message. Numbers that are Collective stand for reductions and
// barriers, in which all positions send to all; y and x may be equal.
//
// With a number of PEs above 0 Condition 2 is tested on physical processors, as section 4
// suggests, where the sets of producers and consumers are known: they are where they
// depend on no loop index and no scalar. The answer is for that number only.
func (f *Functions) LiteralKills(pes, y, x int) bool {
	if pes > 0 {
		return f.printedTest(pes, []int{y}, x, false).Kills
	}
	if f.shapes == nil {
		f.shapes = f.shapesOf()
	}
	n := f.shapes.count
	known := &f.shapes.kills[f.shapes.of(y)*n+f.shapes.of(x)]
	if *known == 0 {
		*known = 1
		if f.printedTest(0, []int{y}, x, false).Kills {
			*known = 2
		}
	}
	return *known == 2
}

// shapes groups the communications that the printed tests cannot tell apart, so
// that each pair of groups is tested once: programs have few different ones.
type shapes struct {
	id    []int  // by number; that of collectives is 0
	count int    // ids are below it
	kills []byte // count x count; 0 for not tested, 1 for no, 2 for yes
}

func (f *Functions) shapesOf() *shapes {
	s := &shapes{id: make([]int, len(f.Relations)+1), count: 1}
	ids := map[string]int{}
	for i, rel := range f.Relations {
		m := f.shaped(i+1, true)
		key := fmt.Sprintf("%p %v %v %v", rel.Grid, m.Producers, m.Consumers, m.RF)
		if len(m.Next) > 0 {
			key += m.Next[0].Matrix.String()
		}
		for d := range rel.P {
			p, q := rel.P[d], rel.Q[d]
			key += fmt.Sprintf("|%d %v %d %v", p.Kind, p.Space, q.Kind, q.Space)
		}
		if ids[key] == 0 {
			ids[key] = s.count
			s.count++
		}
		s.id[i+1] = ids[key]
	}
	s.kills = make([]byte, s.count*s.count)
	return s
}

// of is the group of r, 0 for collectives.
func (s *shapes) of(r int) int {
	if r < 1 || r >= len(s.id) {
		return 0
	}
	return s.id[r]
}

// PrintedTest is the test of Theorem 3 as printed, for the sequence ys of
// communications, each of which starts after the one before is complete:
// Consumers[x] inside Producers[y1], Consumers[yi] inside Producers[yi+1], and
// RF_yn * ... * RF_y1 * RF_x a superset of NP_x. One killer makes it Theorem 2.
// pes is as for LiteralKills.
func (f *Functions) PrintedTest(pes int, ys []int, x int) PrintedTest {
	return f.printedTest(pes, ys, x, true)
}

// within is Condition 2 on physical processors: whether the PEs that receive in x are
// among those that own what y sends. It is false where these are not known.
func (f *Functions) within(pes, x, y int) (inside, known bool) {
	if pes == 0 || f.Collective(x) || f.Collective(y) {
		return false, false
	}
	s := NewPESpace(pes, f.Program.IR.Ends, func(string) (int64, bool) { return 0, false })
	consumers, ok := s.Consumers(Plain(f.Program.Comms[x-1]))
	if !ok {
		return false, false
	}
	producers, ok := s.Producers(Plain(f.Program.Comms[y-1]))
	for p, receives := range consumers {
		if receives && ok && !producers[p] {
			return false, true
		}
	}
	return ok, ok
}

// printedTest leaves out Why unless it is asked for.
func (f *Functions) printedTest(pes int, ys []int, x int, say bool) PrintedTest {
	// A collective has as many dimensions as what it is compared with.
	rank := 1
	for _, r := range append([]int{x}, ys...) {
		if !f.Collective(r) {
			rank = f.Relations[r-1].Dims()
			break
		}
	}
	mx := f.printed(x, rank)
	product, from, last := mx.RF, mx, x
	for _, y := range ys {
		my := f.printed(y, len(from.Consumers))
		if k := len(my.Producers); from.Collective && k != len(from.Consumers) {
			from, product = collective(last, k), linalg.Everywhere(k, product.Cols())
		}
		if why := f.composable(last, y); why != "" {
			return PrintedTest{Why: why}
		}
		inside, known := f.within(pes, last, y)
		if known && !inside {
			return PrintedTest{Why: fmt.Sprintf("Condition 2 fails on %d PEs: not all that receive in %s send in %s", pes, f.name(last), f.name(y))}
		}
		for d := range from.Consumers {
			if known {
				break
			}
			if d >= len(my.Producers) || !from.Consumers[d].WithinPrinted(my.Producers[d]) {
				if !say {
					return PrintedTest{}
				}
				return PrintedTest{Why: fmt.Sprintf("Condition 2 fails in dimension %d: the consumers %v of %s are not inside the producers of %s",
					d+1, from.Consumers[d], f.name(last), f.name(y))}
			}
		}
		product, _ = my.RF.Mul(product)
		from, last = my, y
	}
	if why := f.returns(last, x); why != "" {
		return PrintedTest{Why: why}
	}
	if from.Collective {
		product = linalg.Everywhere(len(mx.Producers), product.Cols())
	}
	next := linalg.IdentityTransform(len(mx.Producers))
	if len(mx.Next) > 0 {
		next = mx.Next[0].Matrix
	}
	if product.Rows() != next.Rows() {
		return PrintedTest{Why: fmt.Sprintf("%s and %s lie on arrangements of different rank", f.name(last), f.name(x))}
	}
	rules, ok := product.Covers(next, mx.Producers, linalg.Triplet.WithinPrinted)
	t := PrintedTest{Kills: ok, Product: &product, Next: &next, Rules: rules}
	if say {
		t.Why = t.explain(f, x)
	}
	return t
}

func (t PrintedTest) explain(f *Functions, x int) string {
	what := "the identity matrix"
	if !t.Next.Equal(linalg.IdentityTransform(t.Next.Cols())) {
		what = fmt.Sprintf("NP of %s", f.name(x))
	}
	var how []string
	for d, rule := range t.Rules {
		switch rule {
		case 0:
			return fmt.Sprintf("Condition 3 fails in dimension %d: the product of the matrices does not contain %s there", d+1, what)
		case 1:
			how = append(how, fmt.Sprintf("dimension %d has equal coefficients", d+1))
		case 2:
			how = append(how, fmt.Sprintf("dimension %d is U", d+1))
		case 3:
			how = append(how, fmt.Sprintf("dimension %d holds all next producers", d+1))
		}
	}
	return fmt.Sprintf("Conditions 2 and 3 hold as printed: the product of the matrices contains %s (%s)", what, strings.Join(how, ", "))
}

// printed is the matrices of the paper; those of a collective have k dimensions.
func (f *Functions) printed(r, k int) *Matrices {
	if f.Collective(r) {
		return collective(r, k)
	}
	return f.shaped(r, true)
}

// composable is why positions that receive in x cannot be compared with those
// that send in y, "" if they can: the paper has one template for all.
func (f *Functions) composable(x, y int) string {
	if f.Collective(x) || f.Collective(y) {
		return ""
	}
	rx, ry := f.Relations[x-1], f.Relations[y-1]
	if !sameGrid(rx.Grid, ry.Grid) {
		return fmt.Sprintf("%s and %s lie on different processor arrangements", f.name(x), f.name(y))
	}
	for d := range ry.P {
		if ry.P[d].Kind == Nowhere || ry.Q[d].Kind == Nowhere {
			return fmt.Sprintf("who takes part in %s has no template position: %s", f.name(y), ry.Why)
		}
		if !comparable(rx.Q[d], ry.P[d]) {
			return fmt.Sprintf("consumers of %s and producers of %s lie in different templates", f.name(x), f.name(y))
		}
	}
	return ""
}

// returns is why positions that receive in y cannot be compared with those that
// send in x, "" if they can.
func (f *Functions) returns(y, x int) string {
	if f.Collective(x) || f.Collective(y) {
		return ""
	}
	rx, ry := f.Relations[x-1], f.Relations[y-1]
	for d := range ry.Q {
		if !comparable(ry.Q[d], rx.P[d]) {
			return fmt.Sprintf("consumers of %s and producers of %s lie in different templates", f.name(y), f.name(x))
		}
	}
	return ""
}

func comparable(a, b Pos) bool {
	return a.Kind != At || b.Kind != At || a.Space == b.Space ||
		a.Space.Format == dist.Collapsed || b.Space.Format == dist.Collapsed // coordinates that stay what they are
}
