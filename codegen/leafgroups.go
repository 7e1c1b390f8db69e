package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// References whose first subscript is one variable, which each iteration sets once before
// them, as in
//
//	i = list(l)
//	x(i) = (b(i) - a(i,2)*y(i)) / d(i)
//
// touch one index of several arrays. What all of these hold is cut out of each in front of
// the loop, from the same index on and equally long, so that one check of i is that of all:
//
//	iN1 := max(b.Before(0), a.Before(0), …) + 1
//	iN1N := min(b.Last(0), a.Last(0), …) + 1 - iN1
//	bN2 := b.Data[b.At1(iN1):][:iN1N]
//	aN3 := a.Data[a.At2(iN1, 2):][:iN1N]        b(i), a(i,2): bN2[int(i)-iN1], aN3[int(i)-iN1]
//
// Only what every iteration evaluates belongs to such a group: what one of the arrays does not
// hold is an error then, of the first of its references.

// pickGroups cuts the slices, and records how the elements are written.
func (l *leaf) pickGroups() {
	g := l.g
	for _, sym := range l.setOnce() {
		var group []*ir.Ref
		var objects []string
		refs, lines := l.always(sym)
		for _, r := range refs {
			if g.leaf[r] != "" || g.partialRef[r] != nil || len(r.Subs) > 3 || !l.counted(r) || !l.picksFirst(r, sym) {
				continue
			}
			group = append(group, r)
			if o := l.object(r); !slices.Contains(objects, o) {
				objects = append(objects, o)
			}
		}
		if len(group) < 2 {
			continue
		}
		l.n++
		from := fmt.Sprintf("%sN%d", g.names.sym(sym), l.n)
		var before, last []string
		for _, o := range objects {
			before, last = append(before, o+".Before(0)"), append(last, o+".Last(0)")
		}
		g.out.at = lines[group[0]]
		g.out.p("%s := %s + 1", from, oneOf("max", before))
		g.out.p("%sN := %s + 1 - %s", from, oneOf("min", last), from)
		cut := map[string]string{}
		for _, r := range group {
			object := l.object(r)
			subs := l.steadySubs(r)
			subs[0] = from
			at := fmt.Sprintf("%s.%s", object, atCall(subs))
			name := cut[at]
			if name == "" {
				l.n++
				g.out.at = lines[r]
				name = fmt.Sprintf("%sN%d", object, l.n)
				cut[at] = name
				g.out.p("%s := %s.Data[%s:][:%sN]", name, object, at, from)
			}
			g.picked[r] = pickedFrom{slice: name, at: from, by: []string{"-"}}
			l.picked[r] = true
		}
	}
}

// oneOf is a call of max or min, or its only argument.
func oneOf(f string, args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return f + "(" + strings.Join(args, ", ") + ")"
}

// setOnce lists the integers that the body assigns once, in each iteration.
func (l *leaf) setOnce() (out []*ir.Symbol) {
	count := map[*ir.Symbol]int{}
	ir.Walk(l.body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok {
				count[v.Sym]++
			}
		}
		return true
	})
	for _, s := range l.body {
		if a, ok := s.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok && count[v.Sym] == 1 && v.Sym.Type.IsInteger() {
				out = append(out, v.Sym)
			}
		}
	}
	return out
}

// always lists the references behind the assignment of sym that each iteration evaluates,
// and the lines of their statements.
func (l *leaf) always(sym *ir.Symbol) (out []*ir.Ref, lines map[*ir.Ref]int) {
	lines = map[*ir.Ref]int{}
	set, line := false, 0
	visit := func(e ir.Expr) {
		for _, r := range surely(e, l.evaluates) {
			out = append(out, r)
			lines[r] = line
		}
	}
	for _, s := range l.body {
		line = s.Position().Line
		switch s := s.(type) {
		case *ir.Assign:
			v, scalar := s.LHS.(*ir.Var)
			if set {
				visit(s.RHS)
				visit(s.LHS)
			}
			set = set || scalar && v.Sym == sym
		case *ir.If:
			if set {
				visit(s.Cond)
			}
		}
	}
	return out, lines
}

// surely lists the references in e that each evaluation of it needs: none on the right side of
// an operator that may be left out, and of what has subscripts that are evaluated.
func surely(e ir.Expr, subscripts func(*ir.Ref) bool) (out []*ir.Ref) {
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Ref:
			out = append(out, x)
			return subscripts(x)
		case *ir.Bin:
			if x.Op == ir.And || x.Op == ir.Or {
				out = append(out, surely(x.L, subscripts)...)
				return false
			}
		}
		return true
	})
	return out
}

// evaluates reports whether the loop evaluates the subscripts of r: it does not where a list
// says which element is the next.
func (l *leaf) evaluates(r *ir.Ref) bool {
	acc := l.g.access(r)
	return acc == nil || acc.Mode != comm.Walk
}

// picksFirst reports whether the first subscript of r is sym and the others are the same in
// all iterations.
func (l *leaf) picksFirst(r *ir.Ref, sym *ir.Symbol) bool {
	if len(r.Subs) == 0 {
		return false
	}
	first := r.Subs[0]
	if c, ok := first.(*ir.Conv); ok {
		first = c.E
	}
	if v, ok := first.(*ir.Var); !ok || v.Sym != sym {
		return false
	}
	if acc := l.g.access(r); acc != nil && acc.Mode == comm.Walk {
		return false // its subscripts are not evaluated in the loop
	}
	for d, text := range l.steadySubs(r) {
		if (d == 0) != (text == "") {
			return false
		}
	}
	return true
}
