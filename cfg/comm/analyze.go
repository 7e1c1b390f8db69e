package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/images"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Analyze puts p into SPMD form. info must be scalar.Analyze(p).
func Analyze(p *ir.Program, info *scalar.Info) *Program {
	a := &analyzer{
		out: &Program{
			IR: p, Info: info,
			Access: map[*ir.Ref]*Access{},
			Shadow: map[*ir.Symbol][][2]int{},
		},
		info:    info,
		symbols: map[string]*ir.Symbol{},
		affines: map[ir.Expr]linalg.Affine{},
		made:    map[ir.Stmt]bool{},
		extra:   map[ir.Stmt]map[*ir.Symbol]bool{},
		order:   map[ir.Stmt]int{},
	}
	a.out.a = a
	for _, s := range p.Symbols {
		a.symbols[s.Name] = s
		if s.Distributed() && s.Shadow != nil {
			a.out.Shadow[s] = declaredShadow(s)
		}
	}
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		a.order[s] = len(a.order)
		return true
	})
	if a.images = images.Analyze(p); p.SPMD && a.images == nil {
		a.out.Body = explicit(p.Body)
		return a.out
	}
	a.out.Body = endEarly(unite(a.release(a.redundant(a.coalesce(a.block(p.Body))))))
	a.number(a.out.Body)
	a.findInPlace(a.out.Body)
	return a.out
}

type analyzer struct {
	out     *Program
	info    *scalar.Info
	images  *images.Info // of a program with coarrays and distributed arrays
	symbols map[string]*ir.Symbol
	// loops are the loops (Do or While) that all PEs execute together around
	// the statement at hand, outermost first.
	loops []ir.Stmt

	// What the analyzer made itself is unknown to info.
	affines  map[ir.Expr]linalg.Affine       // of new expression nodes
	made     map[ir.Stmt]bool                // new statements
	extra    map[ir.Stmt]map[*ir.Symbol]bool // new scalars assigned inside a loop
	order    map[ir.Stmt]int                 // textual position
	replaced []replacement                   // subscripts that a new scalar stands for
}

// tempPrefix starts the names of scalars made for subscripts. A dot keeps
// them apart from every name of the source.
const tempPrefix = "sub."

// affine is the value of an integer expression at its occurrence.
func (a *analyzer) affine(e ir.Expr) (linalg.Affine, bool) {
	if f, ok := a.affines[e]; ok {
		return f, true
	}
	return a.info.Affine(e)
}

// modified is the set of symbols that s may assign.
func (a *analyzer) modified(s ir.Stmt) map[*ir.Symbol]bool {
	if as, ok := s.(*ir.Assign); ok && len(a.extra[s]) == 0 {
		return map[*ir.Symbol]bool{ir.Target(as.LHS): true}
	}
	if !a.made[s] {
		m := a.info.Modified(s)
		x := a.extra[s]
		if len(x) == 0 {
			return m
		}
		all := make(map[*ir.Symbol]bool, len(m)+len(x))
		for k := range m {
			all[k] = true
		}
		for k := range x {
			all[k] = true
		}
		return all
	}
	m := map[*ir.Symbol]bool{}
	if as, ok := s.(*ir.Assign); ok {
		m[ir.Target(as.LHS)] = true
	}
	return m
}

// liveAfter reports whether the value of a scalar may be used behind s.
func (a *analyzer) liveAfter(s ir.Stmt, sym *ir.Symbol) bool {
	return a.made[s] || sym.Temp || a.info.LiveAfter(s, sym)
}

// changes reports whether f mentions a symbol of the set.
func (a *analyzer) changes(f linalg.Affine, set map[*ir.Symbol]bool) bool {
	for v := range f.T {
		if f.Uses(v) && set[a.symbols[v]] {
			return true
		}
	}
	return false
}

// temp makes a scalar that holds the value of e, and the statement that sets it.
func (a *analyzer) temp(e ir.Expr, like ir.Stmt) (*ir.Symbol, *ir.Assign) {
	name := ""
	for i := 1; ; i++ {
		name = fmt.Sprintf("%s%d", tempPrefix, i)
		if a.symbols[name] == nil {
			break
		}
	}
	sym := &ir.Symbol{Name: name, Pos: e.Position(), Type: e.Type(), Temp: true}
	a.symbols[name] = sym
	a.out.IR.Symbols = append(a.out.IR.Symbols, sym)
	v := &ir.Var{X: ir.X{Pos: e.Position(), Typ: sym.Type}, Sym: sym}
	as := &ir.Assign{S: ir.S{Pos: like.Position(), Site: like.CallSite()}, LHS: v, RHS: e}
	a.made[as] = true
	a.order[as] = a.order[like]
	for _, l := range a.loops {
		if a.extra[l] == nil {
			a.extra[l] = map[*ir.Symbol]bool{}
		}
		a.extra[l][sym] = true
	}
	return sym, as
}

// occurrence is one reference with the loops around it, outermost first and
// starting at some scope.
type occurrence struct {
	ref   *ir.Ref
	stmt  ir.Stmt
	loops []ir.Stmt
	order int
	write bool
	arms  []arm // of the scope, that it is in
	short bool  // behind a short-circuit operator
	// conditional: that, or in an arm: an iteration may go without it.
	conditional bool
	conds       []scalar.Condition // of these, as far as their form says something
	unsaid      bool               // there are others
	print       bool
	implied     []*ir.ImpliedDo // around the reference, outermost first
}

// occurrences lists the array references of s in evaluation order.
func (a *analyzer) occurrences(s ir.Stmt) []occurrence {
	w := occWalker{a: a}
	w.stmt(s, occurrence{})
	return w.list
}

// occWalker walks a statement; at is what the occurrences at some place have in common.
type occWalker struct {
	a    *analyzer
	list []occurrence
}

// under is at where e has a value.
func (at occurrence) under(e ir.Expr, holds bool) occurrence {
	at.conditional = true
	at.conds = append(slices.Clip(at.conds), scalar.Condition{Cond: e, Holds: holds, Loops: len(at.loops)})
	return at
}

// maybe is at under a condition of which nothing is said.
func (at occurrence) maybe() occurrence {
	at.conditional, at.unsaid = true, true
	return at
}

// block lists those in the statements of a body that is at some place.
func (w *occWalker) block(body []ir.Stmt, at occurrence) {
	for _, s := range body {
		w.stmt(s, at)
		if !escapes(s) {
			continue
		}
		at.arms = inside(at.arms, arm{s, behind})
		if i, ok := s.(*ir.If); ok && len(i.Else) == 0 && leaves(i.Then) {
			at = at.under(i.Cond, false) // what follows is reached only if the condition is false
		} else {
			at = at.maybe()
		}
	}
}

// arm lists those in body k of s, which is at some place.
func (w *occWalker) arm(s ir.Stmt, k int, at occurrence) {
	at.arms = inside(at.arms, arm{s, k})
	w.block(ir.Bodies(s)[k], at)
}

// leaves reports whether control does not go on behind body.
func leaves(body []ir.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *ir.Cycle, *ir.Exit, *ir.Stop:
		return true
	}
	return false
}

func (w *occWalker) stmt(s ir.Stmt, at occurrence) {
	at.stmt = s
	read := func(e ir.Expr) { w.expr(e, at) }
	within := at
	within.loops = append(slices.Clip(at.loops), s)
	switch s := s.(type) {
	case *ir.Assign:
		read(s.RHS)
		switch l := s.LHS.(type) {
		case *ir.Ref:
			for _, x := range l.Subs {
				read(x)
			}
			at.ref, at.order, at.write = l, 2*w.a.order[s]+1, true
			w.list = append(w.list, at)
		}
	case *ir.Do:
		read(s.Lo)
		read(s.Hi)
		read(s.Step)
		w.block(s.Body, within)
	case *ir.While:
		// The condition is evaluated in every iteration, and once more.
		w.expr(s.Cond, within.maybe())
		w.arm(s, 0, within.maybe())
	case *ir.If:
		read(s.Cond)
		w.arm(s, 0, at.under(s.Cond, true))
		w.arm(s, 1, at.under(s.Cond, false))
	case *ir.Print:
		at.print = true
		for _, e := range ir.Exprs(s) {
			read(e)
		}
	case *ir.Read:
		for _, e := range ir.Exprs(s) {
			read(e)
		}
	case *ir.Stop:
		if s.Code != nil {
			read(s.Code)
		}
	}
}

func (w *occWalker) expr(e ir.Expr, at occurrence) {
	switch e := e.(type) {
	case *ir.Ref:
		for _, x := range e.Subs {
			w.expr(x, at)
		}
		at.ref, at.order = e, 2*w.a.order[at.stmt]
		w.list = append(w.list, at)
	case *ir.Bin:
		w.expr(e.L, at)
		if e.Op == ir.And || e.Op == ir.Or {
			at = at.under(e.L, e.Op == ir.And)
			at.short = true
		}
		w.expr(e.R, at)
	case *ir.ImpliedDo:
		w.expr(e.Lo, at)
		w.expr(e.Hi, at)
		w.expr(e.Step, at)
		at.implied = append(slices.Clip(at.implied), e)
		at = at.maybe()
		at.short = true
		for _, x := range e.Items {
			w.expr(x, at)
		}
	default:
		for _, x := range ir.Children(e) {
			w.expr(x, at)
		}
	}
}

// access describes an occurrence for the dependence tests. variant holds the
// symbols that change inside the compared scope: their values may differ
// between the two sides. outer are loops around the scope, fixed for both.
func (a *analyzer) access(o occurrence, outer []ir.Stmt, variant map[*ir.Symbol]bool) depend.Access {
	p := scalar.Place{Subs: o.ref.Subs, Loops: slices.Concat(outer, o.loops), Implied: o.implied, Order: o.order, Conditional: o.unsaid}
	for _, c := range o.conds {
		c.Loops += len(outer)
		p.Conds = append(p.Conds, c)
	}
	return a.info.Access(p, scalar.Naming{
		Affine: a.affine,
		While:  func(l ir.Stmt) string { return fmt.Sprintf("while %d", a.order[l]) },
		Varies: func(name string) bool { return variant[a.symbols[name]] },
	})
}

// flow asks whether a value written by w may be read by r inside scope, the
// statement both lie in; the loops of a.loops are fixed for both. variant is what the
// scope changes: of what it does not the values in front of it are known.
func (a *analyzer) flow(w, r occurrence, scope ir.Stmt, variant map[*ir.Symbol]bool) depend.Result {
	outer := a.loops
	common := len(outer)
	for i := 0; i < len(w.loops) && i < len(r.loops) && w.loops[i] == r.loops[i]; i++ {
		common++
	}
	src, dst := a.access(w, outer, variant), a.access(r, outer, variant)
	return depend.DependsIn(a.cases(scope, src, dst), src, dst, common, len(outer))
}

// cases are the values that the parameters of two accesses in scope have together.
func (a *analyzer) cases(scope ir.Stmt, src, dst depend.Access) [][]linalg.Affine {
	if names := depend.Parameters(src, dst); names != nil && !a.made[scope] {
		return a.info.Cases(scope, names)
	}
	return nil
}

// Affine is the value of an integer expression at its occurrence, also of the
// expressions that Analyze made.
func (p *Program) Affine(e ir.Expr) (linalg.Affine, bool) { return p.a.affine(e) }

// Modified is the set of symbols that s may assign.
func (p *Program) Modified(s ir.Stmt) map[*ir.Symbol]bool { return p.a.modified(s) }

// LiveAfter reports whether the value of a scalar may be used behind s.
func (p *Program) LiveAfter(s ir.Stmt, sym *ir.Symbol) bool { return p.a.liveAfter(s, sym) }
