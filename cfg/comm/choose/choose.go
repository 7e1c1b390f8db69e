// Package choose decides which source transformations a program gets: it tries
// those of package transform, puts each result into SPMD form, and keeps what is
// estimated to cost less.
//
// For
//
//	do j = 1, l
//	   do k = j, l
//	      z(k,j) = z(k,j) - e(k)
//	   end do
//	   d(j) = z(l,j)
//	end do
//
// it finds that one loop sends a message per iteration, and two send one in
// all, and records
//
//	line 1, do j = 1, l, 1: distribute: into 2 loops, of lines 3 | 5
//	    estimated cost 2.53, was 103.84
package choose

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
)

// Result is the chosen program.
type Result struct {
	IR        *ir.Program
	Info      *scalar.Info // of IR
	Decisions []Decision
}

// Options say which transformations to leave out.
type Options struct {
	Without []transform.Kind
	InOrder bool // as that of transform.Analysis
}

// minGain is what the transformation of a statement of some cost has to save: a larger part
// of it where it makes two or three copies of a loop, or copies arrays. Where PEs have parts of the
// work for themselves, whole copies of arrays, for which there has to be memory, need a gain
// that is worth it in itself.
func minGain(c candidate, k transform.Kind, cost float64) float64 {
	switch {
	case k == transform.Wrap, k == transform.Hoist:
		return -wrapLoss * cost
	case k == transform.Split, k == transform.Redistribute:
		return 0.25 * cost
	case k == transform.Peel:
		return 0.01 * cost
	case k == transform.Gather && c.divided:
		return max(0.001*cost, gatherGain)
	}
	return 0.001 * cost
}

// wrapLoss is how much more of its cost a loop may take when its subscripts have become affine:
// what kernels gain by that is not estimated.
const wrapLoss = 0.1

// gatherGain, in messages, is a few milliseconds.
const gatherGain = 2000.0

// maxWork bounds the search: the work of all analyses, as a multiple of the
// statements of the program, and at least leastWork.
const (
	maxWork   = 20
	leastWork = 20_000
)

// work is what the analysis of a statement of the program unit with so many
// statements inside counts. Communications are compared with all writes of the
// loops around them, so large loops count for more.
func work(size int) int { return size + size*size/400 }

// Choose transforms p, which it leaves as it is. info must be scalar.Analyze(p).
//
// The search is greedy. Each statement of the program unit is searched on its
// own, for communication never crosses them. Kinds come one after another: scalars that
// alternate are computed from an index, as they keep loops in one piece; loops are distributed, then put in the order of memory, then guards removed,
// sums expanded, and iterations peeled, so that what is peeled is small; what is left
// with several owners is computed by each of them. Loops are executed on copies of arrays
// before their order hides how few copies it takes. Within a kind candidates come inner loops
// first; one that pays is taken at once, and the search goes on in what it made.
// Candidates are loops of which all PEs execute every iteration, or fall back on
// gathered arrays, or wait for one another in, or use whole arrays in for their ends, and
// guards in loops of the first kind: nothing else can lose a message. Arrays are gathered
// last, for a loop as the source has it where it still does the same. The statements of the unit are
// searched side by side, so that facts about the whole program are computed
// once for a candidate of each. In a large statement with many candidates, more
// than there is work for one by one, several that do not overlap are tried
// together; if they do not pay, fewer.
//
// In a program with coarrays nothing communicates but what says so: it stays as it is.
func Choose(p *ir.Program, info *scalar.Info, o Options) *Result {
	if p.SPMD {
		return &Result{IR: p, Info: info}
	}
	return choose(p, info, o, max(maxWork*size(p.Body), leastWork))
}

func choose(p *ir.Program, info *scalar.Info, o Options, budget int) *Result {
	s := &search{symbols: p.Symbols, prog: p, info: info, budget: budget, inOrder: o.InOrder}
	for _, k := range transform.Kinds {
		if !slices.Contains(o.Without, k) {
			s.kinds = append(s.kinds, k)
		}
	}
	facts := transform.New(p, info)
	for _, st := range p.Body {
		u := &unit{body: []ir.Stmt{st}, done: len(s.kinds) == 0 || !promising(st, facts, info), tried: map[string]bool{}, same: map[ir.Stmt]ir.Stmt{}}
		ir.Walk(u.body, func(x ir.Stmt) bool {
			u.same[x] = x
			return true
		})
		s.units = append(s.units, u)
	}
	s.run()
	return &Result{IR: s.prog, Info: s.info, Decisions: s.decisions()}
}

// promising reports whether s can hold a candidate: a loop of two statements, one that
// assigns in an iteration what others read, or an element that only the run time knows, an
// IF in a loop, or a nest in another order than that of memory. It saves the analysis of all
// other statements.
func promising(s ir.Stmt, facts *transform.Analysis, info *scalar.Info) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Do:
			found = found || len(s.Body) > 1 || facts.Wraps(s) || facts.Hoists(s) || facts.Misordered(s) || transform.Crossed(info, s) || scattered(info, s)
		case *ir.If:
			found = true
		}
		return !found
	})
	return found
}

// scattered reports whether a statement of loop assigns an element of a distributed array
// whose subscript is not affine, or loop has a step that is not known.
func scattered(info *scalar.Info, loop *ir.Do) bool {
	found := info.Bounds(loop).Step == 0
	for _, s := range loop.Body {
		as, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		if l, ok := as.LHS.(*ir.Ref); ok && l.Sym.Distributed() {
			found = found || slices.ContainsFunc(l.Subs, func(e ir.Expr) bool { _, ok := info.Affine(e); return !ok })
		}
	}
	return found
}

// search is the state of Choose.
type search struct {
	symbols []*ir.Symbol // of the program as it was given
	prog    *ir.Program  // the best so far
	info    *scalar.Info
	kinds   []transform.Kind
	units   []*unit
	budget  int
	inOrder bool
	// stale: info has answered questions about nodes that were replaced for a
	// moment, and remembers its answers.
	stale bool
}

// unit is a statement of the program unit, and what it has become.
type unit struct {
	body    []ir.Stmt
	symbols []*ir.Symbol  // that its transformations made
	tree    *comm.Program // of body; nil: not analysed yet
	cost    float64
	parts   map[ir.Stmt]Cost // of cost
	// same has for a loop the one of the program as it was given that does the same.
	same      map[ir.Stmt]ir.Stmt
	kind      int             // index of the kind that is tried now
	most      int             // candidates to try at once, after more did not pay; 0: any number
	tried     map[string]bool // candidates, and places where one was taken
	decisions []Decision
	done      bool
}

// trial is the body of a unit with some candidates changed.
type trial struct {
	u       *unit
	tried   []attempt
	body    []ir.Stmt
	of      map[ir.Stmt]ir.Stmt // what the loops of body are copies of
	minGain float64
}

// attempt is a candidate that is possible.
type attempt struct {
	candidate
	change *transform.Change
	head   Decision
}

func (s *search) run() {
	for _, u := range s.units {
		if !u.done {
			s.analyze(s.prog, u.body, s.info, func(tree *comm.Program) {
				u.tree = tree
				u.cost, u.parts = cost(tree)
			})
		}
	}
	for {
		if s.stale {
			s.info, s.stale = scalar.Analyze(s.prog), false
		}
		facts := transform.New(s.prog, s.info)
		facts.InOrder = s.inOrder
		var trials []*trial
		for _, u := range s.units {
			if t := s.next(u, facts); t != nil {
				trials = append(trials, t)
			}
		}
		if len(trials) == 0 {
			return
		}
		s.judge(trials)
	}
}

// judge analyses the programs with the candidates, all in one, and keeps those
// that pay.
func (s *search) judge(trials []*trial) {
	whole := s.assemble(trials)
	info := scalar.Analyze(whole)
	s.budget -= size(whole.Body)
	all := true
	for _, t := range trials {
		s.analyze(whole, t.body, info, func(tree *comm.Program) { all = t.settle(tree) && all })
	}
	if all && !s.stale {
		s.prog, s.info = whole, info
		return
	}
	s.prog = s.assemble(nil)
	s.info, s.stale = scalar.Analyze(s.prog), false
}

// settle takes the body of the trial if it pays, and reports whether it does.
func (t *trial) settle(tree *comm.Program) bool {
	u := t.u
	after, parts := cost(tree)
	verdict := Chosen
	if after > u.cost-t.minGain {
		verdict = NoGain
		if len(t.tried) > 1 {
			// Some of them may pay.
			u.most = len(t.tried) / 2
			for _, x := range t.tried {
				delete(u.tried, x.key)
			}
			return false
		}
	}
	for _, x := range t.tried {
		x.head.Verdict, x.head.Before, x.head.After, x.head.Together = verdict, u.cost, after, len(t.tried)
		if verdict == Chosen && x.change.Kind == transform.Gather {
			u.forget(x.stmt.(*ir.Do))
		}
		u.decisions = append(u.decisions, x.head)
		if verdict == Chosen {
			u.tried[x.place] = true
		}
	}
	if verdict == Chosen {
		u.body, u.symbols, u.tree, u.cost, u.parts = t.body, t.symbols(), tree, after, parts
		same := map[ir.Stmt]ir.Stmt{}
		for to, from := range t.of {
			same[to] = u.same[from]
		}
		u.same = same
	}
	return verdict == Chosen
}

// forget drops what was decided inside of a loop of which the form in the source is taken
// again.
func (u *unit) forget(loop *ir.Do) {
	source := u.source(loop)
	if source == loop {
		return
	}
	inside := map[string]bool{}
	ir.Walk(source.Body, func(s ir.Stmt) bool {
		inside[fmt.Sprint(s.Position().Line, head(s))] = true
		return true
	})
	u.decisions = slices.DeleteFunc(u.decisions, func(d Decision) bool {
		return d.Verdict == Chosen && inside[fmt.Sprint(d.Line, d.Head)]
	})
}

// symbols are those of the unit and of the changes that are tried.
func (t *trial) symbols() []*ir.Symbol {
	list := slices.Clip(t.u.symbols)
	for _, x := range t.tried {
		list = append(list, x.change.Symbols...)
	}
	return list
}

// assemble is the program of all units, some as they are tried.
func (s *search) assemble(trials []*trial) *ir.Program {
	p := *s.prog
	p.Symbols = slices.Clip(s.symbols)
	p.Body = nil
	for _, u := range s.units {
		body, symbols := u.body, u.symbols
		for _, t := range trials {
			if t.u == u {
				body, symbols = t.body, t.symbols()
			}
		}
		p.Body = append(p.Body, body...)
		p.Symbols = append(p.Symbols, symbols...)
	}
	return &p
}

// analyze puts a body of a program into SPMD form, for use to look at. comm.Analyze
// puts scalars in the place of some subscripts; behind use they are as before, so
// that the body can still be transformed.
func (s *search) analyze(whole *ir.Program, body []ir.Stmt, info *scalar.Info, use func(*comm.Program)) {
	s.budget -= work(size(body))
	type subscripts struct {
		ref  *ir.Ref
		subs []ir.Expr
	}
	var saved []subscripts
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			saved = append(saved, subscripts{r, slices.Clone(r.Subs)})
		}
		return true
	})
	p := *whole
	p.Symbols = slices.Clone(p.Symbols)
	p.Body = body
	use(comm.Analyze(&p, info))
	for _, x := range saved {
		s.stale = s.stale || !slices.Equal(x.ref.Subs, x.subs)
		copy(x.ref.Subs, x.subs)
	}
}

// next makes a trial of the next candidates of u that are possible; nil when
// there are no more. What is not possible is recorded.
func (s *search) next(u *unit, facts *transform.Analysis) *trial {
	for !u.done {
		list := u.candidates(s.kinds[u.kind], facts)
		list = slices.DeleteFunc(list, func(c candidate) bool { return u.tried[c.place] || u.tried[c.key] })
		if t := s.attempts(u, facts, list); t != nil {
			return t
		}
		u.kind++
		u.most = 0
		u.done = u.kind == len(s.kinds)
	}
	return nil
}

// attempts makes a trial of the first of the candidates that are possible and
// do not overlap: of one, or of as many as it takes to get through the list with
// a quarter of the work that is left: bodies grow on the way.
func (s *search) attempts(u *unit, facts *transform.Analysis, list []candidate) *trial {
	size := size(u.body)
	most := max(1, 4*len(list)*work(size)/max(1, s.budget))
	if u.most > 0 {
		most = min(most, u.most)
	}
	t := &trial{u: u}
	for _, c := range list {
		d := Decision{Kind: s.kinds[u.kind], Line: c.stmt.Position().Line, Head: head(c.stmt)}
		if s.budget < work(size) {
			u.tried[c.key] = true
			d.Verdict, d.Why = Untried, "the program has too many candidates"
			u.decisions = append(u.decisions, d)
			continue
		}
		if len(t.tried) == most {
			break
		}
		if slices.ContainsFunc(t.tried, func(x attempt) bool { return inside(x.stmt, c.stmt) || inside(c.stmt, x.stmt) }) {
			continue
		}
		u.tried[c.key] = true
		change, err := u.apply(facts, d.Kind, c)
		if err != nil {
			d.Verdict, d.Why = Impossible, err.Error()
			u.decisions = append(u.decisions, d)
			continue
		}
		d.What = change.What
		t.tried = append(t.tried, attempt{c, change, d})
		t.minGain += minGain(c, d.Kind, u.parts[c.stmt].Total())
	}
	if len(t.tried) == 0 {
		return nil
	}
	var changes []*transform.Change
	for _, x := range t.tried {
		changes = append(changes, x.change)
	}
	t.body, t.of = transform.Substitute(u.body, changes...)
	return t
}

// inside reports whether s is inside outer.
func inside(s, outer ir.Stmt) bool {
	found := false
	ir.Walk([]ir.Stmt{outer}, func(x ir.Stmt) bool {
		found = found || x == s
		return !found
	})
	return found
}

func (u *unit) apply(a *transform.Analysis, kind transform.Kind, c candidate) (*transform.Change, error) {
	s := c.stmt
	switch kind {
	case transform.Distribute:
		return a.Distribute(s.(*ir.Do))
	case transform.Interchange:
		return a.Interchange(s.(*ir.Do))
	case transform.Guard:
		if d, ok := s.(*ir.Do); ok {
			return a.Stride(d)
		}
		return a.Unguard(s.(*ir.If))
	case transform.Expand:
		return a.Expand(s.(*ir.Do))
	case transform.Peel:
		return a.Peel(s.(*ir.Do))
	case transform.Split:
		return a.Split(s.(*ir.Do))
	case transform.Gather:
		change, err := a.Gather(u.source(s.(*ir.Do)), c.arrays, c.why)
		if err == nil {
			change.Old = s
		}
		return change, err
	case transform.Wrap:
		return a.Wrap(s.(*ir.Do))
	case transform.Hoist:
		return a.Hoist(s.(*ir.Do))
	case transform.Periodic:
		return a.Periodic(s.(*ir.Do))
	case transform.Redistribute:
		return a.Redistribute(s.(*ir.Do))
	case transform.Replicate:
		return a.Replicate(s.(*ir.Do))
	}
	panic(fmt.Sprintf("choose: there is no transformation %q", kind))
}
