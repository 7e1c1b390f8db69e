package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A procedure that calls itself is in place of the outermost call, and the calls inside of it
// begin its statements anew. What is live behind such a call goes to a stack, and comes back
// when the procedure returns:
//
//	pc = 1
//	do                           0: a call is done; from the outermost one the loop is left
//	   if (pc == 0) ...          1: the beginning of the procedure
//	   if (pc == 1) ...          2 and so on: where it goes on
//	end do
//
// Statements without such a call stay as they are. The stack grows as it has to.

// frame is a procedure in place that calls itself.
type frame struct {
	unit    *ast.Program
	site    *ir.Site
	binding *binding
	result  *ir.Symbol
	moved   map[*ir.Symbol][]*ir.Symbol // of dummy arrays: what says where their elements are
	passed  map[*dummy]*passed          // dummy arrays that are copied
	first   []ir.Stmt                   // done for the outermost call alone

	pc, depth *ir.Symbol
	loop      *ir.While
	blocks    []*segment
	at        *segment
	exits     map[ir.Stmt]int // where EXIT goes on, of the loops that are taken apart
	cycles    map[ir.Stmt]int
}

// segment are the statements of a frame from one place where it goes on to the next.
type segment struct {
	list  []ir.Stmt
	next  []int
	call  *reentry // it ends with
	after *reentry // it begins behind
	live  map[*ir.Symbol]bool
}

// reentry is a call of a procedure from itself, which exists until its frame is complete. In are
// the values of arguments; out is what the procedure leaves in them.
type reentry struct {
	ir.S
	of      *frame
	in, out []move
}

// move copies one scalar, or array of constant bounds, to another.
type move struct{ from, to *ir.Symbol }

// Parts of a frame with fixed numbers.
const (
	partReturn = iota
	partEntry
)

// openFrame makes the frame of a procedure that is put in place.
func (l *lowerer) openFrame(b *binding, site *ir.Site) *frame {
	f := &frame{unit: b.unit, site: site, binding: b, moved: map[*ir.Symbol][]*ir.Symbol{}, passed: map[*dummy]*passed{}, exits: map[ir.Stmt]int{}, cycles: map[ir.Stmt]int{}}
	l.frames = append(l.frames, f)
	return f
}

// frameOf is the frame of u that is being made, nil for none.
func (l *lowerer) frameOf(u *ast.Program) *frame {
	for _, f := range slices.Backward(l.frames) {
		if f.unit == u {
			return f
		}
	}
	return nil
}

// recurs takes note that p calls itself more often than can be said now: lowering begins
// again, with a frame for it.
func (l *lowerer) recurs(u *ast.Program) { l.again.recursive[unitKey(u)] = true }

// unitKey is what a procedure is known by when lowering begins again, which makes those of ENTRY anew.
func unitKey(u *ast.Program) declared { return declared{u.Name, u.Pos} }

// byValue are args as a frame has them: what is a variable is copied, and copied back.
func byValue(args []*argument) []*argument {
	out := slices.Clone(args)
	for i, a := range args {
		if a != nil && a.sym != nil && a.view == nil && a.cell == nil {
			as := *a
			as.store, as.sym = a.value, nil
			out[i] = &as
		}
	}
	return out
}

// reenter lowers a call of the procedure of f inside of it.
func (l *lowerer) reenter(f *frame, p *procedure, name ast.Name, list []ast.Expr) ([]ir.Stmt, *ir.Symbol, []*argument) {
	var out []ir.Stmt
	args, ok := l.actuals(p, name, list, &out, func(e ast.Expr) *argument { return l.actual(e, &out) })
	if !ok {
		return nil, nil, nil
	}
	at := name.Pos
	r := &reentry{S: ir.S{Pos: at, Site: l.scope.site}, of: f}
	var after []ir.Stmt
	for i, d := range f.binding.list {
		if i >= len(args) {
			break
		}
		a := args[i]
		if !f.matches(l, d, a, at) {
			return nil, nil, nil
		}
		switch {
		case a == nil || d.procedureArgument() || d.object:
		case f.passed[d] != nil:
			after = append(after, f.passed[d].call(l, f, a, &out)...)
		case d.isArray:
			f.elements(l, d, a, r, &out)
		default:
			v := l.local(d.Name.Name, d.sym.Type, at)
			v.Len = d.sym.Len
			value := ir.Clone(a.value)
			if d.intent != "in" {
				value = raw(value)
			}
			out = append(out, l.set(v, value, at))
			r.in = append(r.in, move{v, d.sym})
			store := a.store
			if a.sym != nil {
				store = a.value
			}
			if store != nil && a.readOnly == "" && !d.value && d.intent != "in" {
				back := l.local(d.Name.Name, d.sym.Type, at)
				back.Len = d.sym.Len
				r.out = append(r.out, move{d.sym, back})
				after = append(after, &ir.Assign{S: ir.S{Pos: at}, LHS: ir.Clone(store), RHS: l.convert(rawOf(back, at), store.Type())})
			}
		}
	}
	var result *ir.Symbol
	if s := f.result; s != nil {
		if s.IsOpen() {
			l.errorf(codeOutside, at, "%s calls itself, and its value is an array whose bounds depend on arguments", f.unit.Name).
				WithNote(s.Pos, "%s is declared here", s.Source()).WithHelp("make it a subroutine with the array as an argument, or declare it with constant bounds")
			return nil, nil, nil
		}
		result = l.local(s.Source(), s.Type, at)
		result.Len, result.Dims = s.Len, s.Dims
		r.out = append(r.out, move{s, result})
	}
	return append(append(out, r), after...), result, args
}

func (d *dummy) procedureArgument() bool { return d.arg != nil && d.arg.proc != nil }

// matches reports an argument that differs from that of the outermost call in what is fixed.
func (f *frame) matches(l *lowerer, d *dummy, a *argument, at source.Pos) bool {
	what := ""
	switch {
	case (a == nil) != d.absent:
		what = "is present in one of the calls only"
	case a == nil:
	case d.procedureArgument() != (a.proc != nil) || a.proc != nil && a.proc.unit != d.arg.proc.unit:
		what = "is another procedure than in the outermost call"
	case a.proc != nil:
	case d.object && a.object != d.sym:
		what = "is another allocatable variable than in the outermost call"
	case d.object:
	case d.isArray && d.owned && f.passed[d] == nil:
		what = "is an array that is copied to lie elsewhere"
	case !d.isArray && a.typ != d.sym.Type:
		what = "is of another type"
	case d.isArray && (a.view == nil && a.of == nil || a.typ != d.arg.typ):
		what = "is no array of its type"
	}
	if what != "" {
		pos := at
		if a != nil {
			pos = a.pos
		}
		l.errorf(codeOutside, pos, "%s calls itself, and argument %s %s", f.unit.Name, d.Name.Name, what).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name).
			WithHelp("pass the same at each depth, or write a loop with an array for what must be kept")
	}
	return what == ""
}

// elements lets dummy array d have the elements of a in the call r. Where all calls pass parts of
// one array that differ, variables say which part it is; other arrays are copied.
func (f *frame) elements(l *lowerer, d *dummy, a *argument, r *reentry, out *[]ir.Stmt) {
	if a.of != nil {
		as := *a
		as.view, as.shape, as.start, as.part, as.value = a.of.view, a.of.shape, a.of.subs, a.of.part, nil
		a = &as
	}
	have := l.views[d.sym]
	if have == nil {
		return // reported
	}
	copied := func() bool {
		ok := mayCopy(d, d.arg) && mayCopy(d, a)
		if ok {
			l.again.passed(d.Name, byCopy)
		}
		return ok
	}
	if a.view.base != have.base {
		if copied() {
			return
		}
		l.errorf(codeOutside, a.pos, "%s calls itself, and argument %s is a part of another array than in the outermost call", f.unit.Name, d.Name.Name).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name).
			WithHelp("pass parts of one array at each depth, such as columns of one with a dimension more, or whole arrays and sections that are no coarrays and not of type CHARACTER")
		return
	}
	for k, s := range a.view.subs {
		h := have.subs[k]
		if s.dim != h.dim || s.vec != nil || h.vec != nil || len(s.more)+len(h.more) > 0 || s.dim >= 0 && !ir.Same(s.coef, h.coef) {
			if copied() {
				return
			}
			l.errorf(codeOutside, a.pos, "%s calls itself, and the elements of argument %s have another stride or other dimensions than in the outermost call", f.unit.Name, d.Name.Name).
				WithNote(d.Pos, "%s is an argument here", d.Name.Name).WithHelp("pass consecutive elements at each depth")
			return
		}
	}
	places := f.places(l, d, a, have)
	moved := f.moved[d.sym]
	same := true
	for _, p := range places {
		same = same && ir.Same(p.now, p.next)
	}
	switch {
	case same:
		return
	case moved == nil:
		l.again.passed(d.Name, asPart)
		return
	}
	for k, p := range places {
		t := l.local("part", ir.Long, a.pos)
		*out = append(*out, l.set(t, ir.Clone(p.next), a.pos))
		r.in = append(r.in, move{t, moved[k]})
	}
}

// place is one of the numbers that say which part of an array a dummy array is: in the call in
// hand, and in the next one.
type place struct{ now, next ir.Expr }

// places are, of a dummy array with bounds of its own, where its first element is, in each
// dimension; else its offsets and extents.
func (f *frame) places(l *lowerer, d *dummy, a *argument, have *view) (out []place) {
	sh := l.shapes[d.sym]
	for k, h := range have.subs {
		s := a.view.subs[k]
		if h.dim < 0 {
			out = append(out, place{h.off, s.off})
			continue
		}
		first := func(v viewSub, lo ir.Expr) ir.Expr {
			return l.plus(l.times(ir.Clone(v.coef), ir.Clone(lo), a.pos), ir.Clone(v.off), a.pos)
		}
		to := a.shape.lo[s.dim]
		if a.start != nil {
			to = a.start[s.dim]
		}
		out = append(out, place{first(h, sh.lo[h.dim]), first(s, to)})
	}
	if !d.explicit {
		for k, n := range sh.n {
			out = append(out, place{n, a.shape.n[k]})
		}
	}
	return out
}

// movable lets variables say which part of an array dummy array d is, which gets view v and shape sh.
// What the entry does from tests on is about the outermost call alone.
func (f *frame) movable(l *lowerer, d *dummy, v *view, sh *shape, tests int) {
	b := f.binding
	if len(b.entry) > tests {
		f.first = append(f.first, ir.Copy(b.entry)...)
		b.entry = b.entry[:tests]
	}
	var list []*ir.Symbol
	set := func(e ir.Expr) ir.Expr {
		s := l.local(d.Name.Name+"_part", ir.Long, d.Pos)
		l.captured[s], l.mention[s] = true, true
		f.first = append(f.first, l.set(s, e, d.Pos))
		list = append(list, s)
		return varOf(s, d.Pos)
	}
	for k := range v.subs {
		s := &v.subs[k]
		if s.dim < 0 {
			s.off = set(s.off)
			continue
		}
		lo := l.times(ir.Clone(s.coef), ir.Clone(sh.lo[s.dim]), d.Pos)
		first := set(l.plus(ir.Clone(lo), s.off, d.Pos))
		if s.off = l.minus(ir.Clone(first), lo, d.Pos); d.explicit && !d.star {
			b.entry = append(b.entry, f.fits(l, d, v.base.Dims[k], first, l.times(ir.Clone(s.coef), ir.Clone(sh.n[s.dim]), d.Pos)))
		}
	}
	if !d.explicit {
		for k := range sh.n {
			sh.n[k] = set(sh.n[k])
		}
	}
	f.moved[d.sym] = list
}

// fits ends the program where n elements from first on leave dimension dim of the array that d is a
// part of.
func (f *frame) fits(l *lowerer, d *dummy, dim ir.Bound, first, n ir.Expr) ir.Stmt {
	at := d.Pos
	text := f.binding.what(d) + ": the dummy argument is longer than what is left of the dimension"
	stop := &ir.Stop{S: ir.S{Pos: at}, Error: true, Code: &ir.Const{X: ir.X{Pos: at, Typ: ir.Character}, Str: text}}
	last := l.minus(l.plus(ir.Clone(first), n, at), l.intConst(1, at), at)
	return &ir.If{S: ir.S{Pos: at}, Cond: l.bin(ir.Gt, last, l.endOf(dim.Hi, at), at, at), Then: one(stop)}
}
