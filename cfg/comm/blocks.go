package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Blocks says how a pipelined region sends blocks instead of all at once, so that the
// PEs behind begin soon. In
//
//	do j = 2, n                    all
//	   do i = 2, n                 each PE its rows, PE after PE
//	      a(i,j) = a(i-1,j) + a(i-1,j-1)
//
// the loop over j is divided into strips (strip mining), and these become the outermost
// loop: each PE receives what the PE before has computed in a strip, executes the whole
// nest for the strip, and sends what the next PE needs of it. That is legal where the
// loop and the one that is divided among PEs can be exchanged: no dependence goes
// backwards along either of them. It makes no difference which of them is the outer one.
//
// For the analyses a communication stays what it was. Its blocks are different cells,
// written once and not before the first is sent, and the first goes wherever there is
// something to send at all: so what orders the put of all orders that of each, and who has
// got the last block has got what was said with the whole.
type Blocks struct {
	Loop *ir.Do
	// Down: the iterations go through the values of the index in descending order.
	Down bool
	// Ranges are those of Loop in the communications of the pipeline. What Behind of
	// them is: an iteration reads what the iteration so many before it has written. A
	// block has the elements that are written in it, and the first also those that
	// are not written at all.
	Ranges map[*Comm]*Range
	Behind map[*Comm]int
	// Outside are the loops of the nest outside of Loop, which every block executes anew.
	Outside []*ir.Do
}

// divisor is the loop that is divided among the PEs, if there is one and nothing else is.
func (t *attempt) divisor() *ir.Do {
	if len(t.region.Part) != 1 || len(t.region.Picks) > 0 {
		return nil
	}
	for d := range t.region.Part {
		return d
	}
	return nil
}

// blockLoop picks the loop of the nest whose strips are the blocks of a pipeline in which
// d is divided among the PEs: the outermost one that can be.
func (t *attempt) blockLoop(d *ir.Do) (loop *ir.Do, why string) {
	if t.blocked == nil {
		t.blocked = &struct {
			loop *ir.Do
			why  string
		}{}
		t.blocked.loop, t.blocked.why = t.findBlockLoop(d)
	}
	return t.blocked.loop, t.blocked.why
}

// unblocked says why a nest of which a loop inside is divided is no pipeline in blocks, as
// part of a sentence.
func (t *attempt) unblocked() string {
	d := t.divisor()
	if d == nil || t.root == nil || d == t.root || !slices.Contains(t.chain(), d) {
		return ""
	}
	if _, why := t.blockLoop(d); why != "" {
		return "; no pipeline in blocks: " + why
	}
	return ""
}

func (t *attempt) findBlockLoop(d *ir.Do) (*ir.Do, string) {
	chain := t.chain()
	at := slices.Index(chain, d)
	switch {
	case at < 0:
		return nil, "the loop that is divided is not part of a perfect nest"
	case len(chain) == 1:
		return nil, "no other loop lies directly around or in it"
	}
	if why := t.rigid(chain); why != "" {
		return nil, why
	}
	why := ""
	for k, l := range chain {
		if l == d {
			continue
		}
		bad := t.rectangular(l, chain)
		if bad == "" {
			bad = t.ordered(k)
		}
		if bad == "" {
			bad = t.exchangeable(at, k)
		}
		if bad == "" {
			return l, ""
		}
		if why == "" {
			why = bad
		}
	}
	return nil, why
}

// rigid says why the iterations of a nest cannot be executed in another order at all.
func (t *attempt) rigid(chain []*ir.Do) (why string) {
	innermost := chain[len(chain)-1]
	of := map[ir.Stmt]bool{}
	for _, l := range chain {
		of[l] = true
		if t.a.liveAfter(l, l.Index) {
			return fmt.Sprintf("%s keeps its value behind the loop in line %d", l.Index.Name, l.Pos.Line)
		}
	}
	reduced := map[*ir.Symbol]bool{}
	for _, r := range t.reduced {
		reduced[r.Sym] = true
	}
	own := func(sym *ir.Symbol, s ir.Stmt) {
		if !reduced[sym] && t.a.info.Class(innermost, sym) != scalar.Private {
			why = fmt.Sprintf("%s in line %d is carried from one iteration to another, or used behind the nest", sym.Name, s.Position().Line)
		}
	}
	ir.Walk(innermost.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Exit:
			if of[s.Loop] {
				why = fmt.Sprintf("EXIT in line %d ends a loop of the nest", s.Pos.Line)
			}
		case *ir.Cycle:
			if of[s.Loop] && s.Loop != ir.Stmt(innermost) {
				why = fmt.Sprintf("CYCLE in line %d leaves the innermost loop", s.Pos.Line)
			}
		case *ir.Do:
			own(s.Index, s)
		case *ir.Assign:
			if _, element := s.LHS.(*ir.Ref); !element {
				own(ir.Target(s.LHS), s)
			}
		}
		return why == ""
	})
	return why
}

// rectangular says why the values of a loop's index are not the same whatever the
// iteration of the loops around.
func (t *attempt) rectangular(l *ir.Do, chain []*ir.Do) string {
	index := map[string]bool{}
	for _, c := range chain {
		index[c.Index.Name] = true
	}
	step, ok := t.a.affine(l.Step)
	if !ok || !step.IsConst() || step.C == 0 {
		return fmt.Sprintf("the step of the loop in line %d is not a constant", l.Pos.Line)
	}
	for _, e := range []ir.Expr{l.Lo, l.Hi} {
		f, ok := t.a.affine(e)
		bad := !ok || t.a.changes(f, t.variant)
		for _, v := range f.Vars() {
			bad = bad || index[v]
		}
		if bad {
			return fmt.Sprintf("the bounds of the loop in line %d are not the same in the whole nest", l.Pos.Line)
		}
	}
	return ""
}

// ordered says which reduction needs the order of iterations that blocks of the k-th loop
// of the nest change: those of the outermost loop change none on a PE. The value must not
// depend on the size of blocks.
func (t *attempt) ordered(k int) string {
	if k == 0 {
		return ""
	}
	for _, l := range t.a.info.Locations(t.root) {
		return fmt.Sprintf("the place of %s in line %d depends on the order of the iterations", l.Extreme.Name, l.Stmt.Pos.Line)
	}
	for _, r := range t.a.info.Reductions(t.root) {
		if r.Sym.Type.IsInteger() || r.Sym.Type == ir.Logical {
			continue
		}
		if _, guarded := r.Stmts[0].(*ir.If); guarded || r.Op.Counts() {
			return fmt.Sprintf("the %s of %s in line %d is formed in the order of the iterations", reductionName(r.Op), r.Sym.Name, r.Stmts[0].Position().Line)
		}
	}
	return ""
}

// exchangeable says which dependence goes backwards along the loops of the nest with
// numbers i and k.
func (t *attempt) exchangeable(i, k int) string {
	chain := t.chain()
	outer := len(t.a.loops)
	inner := ir.Stmt(chain[len(chain)-1])
	for _, o := range t.occs {
		if len(o.loops) < len(chain) || o.loops[len(chain)-1] != inner {
			return fmt.Sprintf("%s in line %d is used by the loops of the nest", ir.ExprString(o.ref), o.stmt.Position().Line)
		}
	}
	for _, w := range t.writes {
		for _, o := range t.occs {
			if o.ref.Sym != w.ref.Sym {
				continue
			}
			for _, pair := range [][2]occurrence{{w, o}, {o, w}} {
				res := t.a.flow(pair[0], pair[1], t.stmt, t.variant)
				if res.Answer == depend.No {
					continue
				}
				for _, n := range []int{i, k} {
					step, _ := t.a.affine(chain[n].Step)
					far := res.Distance[outer+n]
					if far == nil || *far*step.C < 0 {
						return fmt.Sprintf("%s in line %d depends on %s in line %d, which may come later along the loop in line %d",
							ir.ExprString(pair[1].ref), pair[1].stmt.Position().Line, ir.ExprString(pair[0].ref), pair[0].stmt.Position().Line, chain[n].Pos.Line)
					}
				}
			}
		}
	}
	return ""
}

// blocks says how the pipelined region is divided into blocks, or why it is not.
func (t *attempt) blocks() (*Blocks, string) {
	loop, why := t.blockLoop(t.divisor())
	if loop == nil {
		return nil, why
	}
	step, _ := t.a.affine(loop.Step)
	b := &Blocks{Loop: loop, Down: step.C < 0, Ranges: map[*Comm]*Range{}, Behind: map[*Comm]int{}}
	for _, l := range t.chain() {
		if l == loop {
			break
		}
		b.Outside = append(b.Outside, l)
	}
	for _, c := range t.pre {
		if c.Kind == Irregular {
			return nil, fmt.Sprintf("subscripts of %s are listed in the order of the iterations", c.Array.Name)
		}
	}
	for _, c := range t.pipe {
		if c.Partial && len(t.pipe) > 1 {
			return nil, fmt.Sprintf("%s in line %d is read under a condition", ir.ExprString(c.Refs[0]), c.Line)
		}
		if why := b.follow(t, c, step.C); why != "" {
			return nil, why
		}
	}
	return b, ""
}

// follow finds out how the elements of c follow the loop of the blocks.
func (b *Blocks) follow(t *attempt, c *Comm, step int64) string {
	none := fmt.Sprintf("what %s in line %d needs does not follow the loop in line %d", ir.ExprString(c.Refs[0]), c.Line, b.Loop.Pos.Line)
	axis := -1
	for d, ax := range c.Axes {
		if ax.All {
			return none
		}
		for _, term := range ax.Terms {
			if term.Range.Loop != b.Loop {
				continue
			}
			if axis >= 0 || len(ax.Terms) != 1 || term.Range.Unknown {
				return none
			}
			axis = d
			b.Ranges[c] = term.Range
		}
	}
	if axis < 0 || c.Subs != nil {
		return none
	}
	term := c.Axes[axis].Terms[0]
	read, ok := c.Axes[axis].Off.AddScaled(linalg.Var(b.Loop.Index.Name), int64(term.Coef))
	if !ok {
		return none
	}
	known := false
	for _, w := range t.writes {
		if w.ref.Sym != c.Array {
			continue
		}
		f, ok := t.a.affine(w.ref.Subs[axis])
		if !ok {
			return none
		}
		ahead, ok := f.Sub(read)
		by := int64(term.Coef) * step
		if !ok || !ahead.IsConst() || ahead.C%by != 0 || ahead.C/by < 0 {
			return none
		}
		if behind := int(ahead.C / by); known && behind != b.Behind[c] {
			return fmt.Sprintf("%s is assigned at several places along the loop in line %d", c.Array.Name, b.Loop.Pos.Line)
		} else {
			b.Behind[c], known = behind, true
		}
	}
	return ""
}
