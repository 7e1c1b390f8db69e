package lower

import (
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// onBlock lowers what the directives ON, RESIDENT and TASK_REGION are around (High Performance Fortran
// 2.0, section 9). Tasks may be executed at the same time because RESIDENT says that each accesses only
// what its PEs own; that follows from the owners of what they assign, so that nothing else is said of them.
func (l *lowerer) onBlock(s *ast.Block) []ir.Stmt {
	if !s.Tasks {
		return l.onHome(&s.On, s.Pos, l.ownBlock(s.Body))
	}
	for _, task := range s.Body {
		if b, ok := task.(*ast.Block); ok && b.On.Home != nil && !b.On.Resident {
			l.errorf(codeDirective, b.Pos, "a task of TASK_REGION without RESIDENT").
				WithNote(s.Pos, "the TASK_REGION begins here").
				WithHelp("write ON HOME(%s), RESIDENT, if all that it accesses lies there; else remove TASK_REGION", ast.UnparseExpr(b.On.Home))
		}
	}
	return l.ownBlock(s.Body)
}

// onHome lowers what d says of the statements of body, and returns them. The place is that
// which the subscripts say when the block begins.
func (l *lowerer) onHome(d *ast.On, pos source.Pos, body []ir.Stmt) []ir.Stmt {
	if l.prog.SPMD {
		l.diags.Warnf(source.NotHonoured, pos, "ON and RESIDENT are not made use of in a program with coarrays").WithHelp("remove the directive")
		return body
	}
	for _, n := range d.New {
		l.symbol(n.Name, n.Pos)
	}
	on := &ir.On{Pos: pos, Resident: d.Resident}
	var begin []ir.Stmt
	ok := true
	before := l.functions(func() {
		if d.Home != nil {
			on.Home = l.home(d.Home, &ok)
		}
		for _, x := range d.Objects {
			if p := l.home(x, &ok); p != nil {
				on.Objects = append(on.Objects, p)
			}
		}
	})
	if len(d.Objects) > 0 && on.Objects == nil {
		on.Resident = false // scalars are on all PEs
	}
	if !ok || on.Home == nil && !on.Resident {
		return append(before, body...)
	}
	inner := map[*ir.Symbol]bool{}
	if on.Home != nil {
		inner = loopsNamed(body, on.Home)
		for _, list := range [][]ir.Expr{on.Home.Ref.Subs, on.Home.Last} {
			for k, e := range list {
				if e != nil && assignsOperand(body, e, inner) {
					t := l.local("home", e.Type(), pos)
					begin = append(begin, l.setTo(varOf(t, pos), e, pos))
					list[k] = varOf(t, pos)
				}
			}
		}
	}
	var set func(list []ir.Stmt, outside int)
	set = func(list []ir.Stmt, outside int) {
		for _, s := range list {
			if outside == 0 {
				addHome(s, on)
			}
			within := outside
			if d, loop := s.(*ir.Do); loop && inner[d.Index] {
				within--
			}
			for _, part := range ir.Bodies(s) {
				set(part, within)
			}
		}
	}
	set(body, len(inner))
	return slices.Concat(before, begin, body)
}

// addHome makes on, or a copy of it, the outermost thing that is said of s.
func addHome(s ir.Stmt, on *ir.On) {
	mine := *on
	mine.Home = on.Home.Clone()
	mine.Objects = slices.Clone(on.Objects)
	for k, p := range mine.Objects {
		mine.Objects[k] = p.Clone()
	}
	inner := s.OnHome()
	if inner == nil {
		s.SetOnHome(&mine)
		return
	}
	for inner.Outer != nil {
		inner = inner.Outer
	}
	inner.Outer = &mine
}

// loopsNamed are the variables in the subscripts of home that only loops in body give values: the home is
// then one of the statements inside of these loops, and nothing is said of others.
func loopsNamed(body []ir.Stmt, home *ir.Place) map[*ir.Symbol]bool {
	named := map[*ir.Symbol]bool{}
	mentions := func(sym *ir.Symbol) bool {
		return ir.Mentions(home.Ref, sym) || slices.ContainsFunc(home.Last, func(e ir.Expr) bool { return e != nil && ir.Mentions(e, sym) })
	}
	ir.Walk(body, func(s ir.Stmt) bool {
		if d, loop := s.(*ir.Do); loop && mentions(d.Index) {
			named[d.Index] = true
		}
		return true
	})
	ir.Walk(body, func(s ir.Stmt) bool {
		if _, loop := s.(*ir.Do); !loop {
			for _, sym := range ir.Assigned(s) {
				delete(named, sym)
			}
		}
		return true
	})
	return named
}

// assignsOperand reports whether body assigns to what e reads, other than the variables of its loops in inner.
func assignsOperand(body []ir.Stmt, e ir.Expr, inner map[*ir.Symbol]bool) (found bool) {
	ir.WalkExpr(e, func(x ir.Expr) bool {
		found = found || !inner[ir.Target(x)] && assigns(body, ir.Target(x))
		return !found
	})
	return found
}

// home is the place of ON HOME, or an object of RESIDENT; nil where it says nothing, as all PEs have it, or
// after an error, when ok is false.
func (l *lowerer) home(e ast.Expr, ok *bool) *ir.Place {
	name, args, indexed := "", []ast.Expr(nil), false
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.Index:
		name, args, indexed = e.Name, e.Args, true
	case *ast.Substring: // a section of an array of rank 1 looks like one
		if id, is := e.Base.(*ast.Ident); is {
			name, args, indexed = id.Name, []ast.Expr{&ast.Triplet{XBase: e.XBase, Lo: e.Lo, Hi: e.Hi}}, true
		}
	}
	if name == "" {
		l.errorf(codeDirective, e.Position(), "%s is no variable", ast.UnparseExpr(e)).WithHelp("write an element or a section of an array: ON HOME(a(i))")
		*ok = false
		return nil
	}
	sym := l.lookup(name)
	bounds := func(d int) (lo, hi ir.Expr) {
		one := func(f string) ir.Expr {
			x := ast.XBase{Pos: e.Position(), End: e.EndPosition()}
			return l.expr(&ast.Index{XBase: x, NamePos: x.Pos, Name: f, Args: []ast.Expr{&ast.Ident{XBase: x, Name: name}, &ast.IntLit{XBase: x, Text: strconv.Itoa(d + 1)}}})
		}
		return one("lbound"), one("ubound")
	}
	if t, is := l.scope.target(name); is && sym == nil {
		if t.bad || t.scalar {
			return nil
		}
		if sym = l.templateHome(t, e.Position()); sym == nil {
			return nil
		}
		bounds = func(d int) (lo, hi ir.Expr) {
			return l.endOf(sym.Dims[d].Lo, e.Position()), l.endOf(sym.Dims[d].Hi, e.Position())
		}
	}
	switch {
	case sym == nil:
		l.errorf(codeUndeclared, e.Position(), "%s is not declared", name).WithHelp("ON HOME and RESIDENT are about arrays and templates")
		*ok = false
		return nil
	case sym.Type == ir.Invalid:
		*ok = false
		return nil
	case !sym.IsArray():
		return nil
	case indexed && len(args) != len(sym.Dims):
		l.errorf(source.RankMismatch, e.Position(), "%s has rank %d, the number of subscripts is %d", name, len(sym.Dims), len(args)).
			WithHelp("write one subscript for each dimension")
		*ok = false
		return nil
	}
	p := &ir.Place{Ref: &ir.Ref{X: ir.X{Pos: e.Position(), Typ: sym.Type}, Sym: sym}, Last: make([]ir.Expr, len(sym.Dims))}
	for d := range sym.Dims {
		lo, hi := bounds(d)
		if indexed {
			switch x := args[d].(type) {
			case *ast.Triplet:
				if x.Lo != nil {
					lo = l.integer(x.Lo, "a subscript")
				}
				if x.Hi != nil {
					hi = l.integer(x.Hi, "a subscript")
				}
			default:
				if !l.isSection(x) {
					lo, hi = l.integer(x, "a subscript"), nil
				}
			}
		}
		if isBad(lo) || hi != nil && isBad(hi) {
			*ok = false
			return nil
		}
		p.Ref.Subs = append(p.Ref.Subs, lo)
		p.Last[d] = hi
	}
	if v := l.views[sym]; v != nil {
		first, last := p.Ref, &ir.Ref{X: p.Ref.X, Sym: sym}
		for d, hi := range p.Last {
			if hi == nil {
				hi = ir.Clone(first.Subs[d])
			}
			last.Subs = append(last.Subs, hi)
		}
		first, last = l.viewed(v, first), l.viewed(v, last)
		p = &ir.Place{Ref: first, Last: last.Subs}
		for d := range p.Last {
			if ir.Same(first.Subs[d], p.Last[d]) {
				p.Last[d] = nil
			}
		}
	}
	return p
}

// templateHome is an array that lies as the template t, or has one element on each processor of the
// arrangement t; ir/mapping takes it away again. It is nil, with a warning, for an arrangement whose shape
// is not known.
func (l *lowerer) templateHome(t target, pos source.Pos) *ir.Symbol {
	for _, d := range l.prog.HPF {
		lies := &ir.Directive{Pos: pos, NamePos: pos}
		shape := d.Shape
		switch {
		case d.Name != t.name:
			continue
		case d.Kind == ir.ProcessorsDirective && t.shape == nil:
			l.diags.Warnf(source.NotHonoured, pos, "ON with processors whose number is not constant: the statements are executed where the arrays lie that they assign to").
				WithHelp("write ON HOME(a(i)) with an array or a template, or a constant number; the results are the same")
			return nil
		case d.Kind == ir.ProcessorsDirective:
			shape = t.shape
			lies.Kind, lies.Onto, lies.OntoPos = ir.DistributeDirective, t.name, pos
			lies.Formats = slices.Repeat([]ir.DistFormat{{Pos: pos, Format: dist.Block}}, len(shape))
		case d.Kind == ir.TemplateDirective:
			lies.Kind, lies.Target, lies.TargetPos = ir.AlignDirective, t.name, pos
		default:
			continue
		}
		s := l.local("on", ir.Logical, pos)
		s.Dims, s.Temp = shape, true
		lies.Name, lies.Symbol = s.Name, s
		l.prog.HPF = append(l.prog.HPF, lies)
		return s
	}
	return nil
}
