package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// COMMON and EQUIVALENCE place variables in storage. Here is where: each variable of a
// unit gets its place in an area, in bytes. What becomes of variables that share bytes is
// the matter of overlay.go. From
//
//	common /b/ x(4), k
//	equivalence (k, m), (x(2), y)
//
// comes the area of /b/ with x at 0, y at 4, and k and m at 16.

// placed is a variable of a unit that begins at byte at of an area.
type placed struct {
	ast.Name
	sym *ir.Symbol
	at  int
}

func (p *placed) end() int { return p.at + storageSize(p.sym) }

// area is the storage of a COMMON block as one unit declares it, or of variables that
// EQUIVALENCE ties to each other.
type area struct {
	pos    source.Pos
	common bool
	block  string // the name of the block, "" for the blank one
	list   []placed
}

// elementSize is how many bytes a scalar or an element of s takes.
func elementSize(s *ir.Symbol) int {
	if s.Type == ir.Character {
		return s.Len
	}
	return s.Type.Bytes()
}

// storageSize is how many bytes s takes.
func storageSize(s *ir.Symbol) int {
	n := elementSize(s)
	for _, b := range s.Dims {
		n *= b.Extent()
	}
	return n
}

// layout ties the variables of a unit together.
type layout struct {
	l      *lowerer
	list   []placed // at counts from where the variable in tie begins
	tie    []int
	number map[string]int
	bad    bool // there are errors
}

// areas are those of the unit in hand; nothing after an error.
func (l *lowerer) areas(commons []*ast.Common, equivalences []*ast.Equivalence) []*area {
	o := &layout{l: l, number: map[string]int{}}
	blocks := o.blocks(commons)
	for _, s := range equivalences {
		for _, group := range s.Groups {
			o.group(group)
		}
	}
	if o.bad {
		return nil
	}
	areaOf := map[int]*area{} // by tie
	start := map[int]int{}
	for _, b := range blocks {
		o.placeBlock(b, areaOf, start)
	}
	for _, s := range equivalences {
		for _, group := range s.Groups {
			if i, ok := o.number[nameOf(group[0])]; ok && areaOf[o.tie[i]] == nil {
				a := &area{pos: s.Pos}
				areaOf[o.tie[i]] = a
				blocks = append(blocks, a)
			}
		}
	}
	for i, p := range o.list {
		if a := areaOf[o.tie[i]]; a != nil && !a.common {
			start[o.tie[i]] = max(start[o.tie[i]], -p.at)
		}
	}
	for i, p := range o.list {
		if a := areaOf[o.tie[i]]; a != nil {
			if p.at += start[o.tie[i]]; p.at < 0 {
				o.errorf(p.Pos, "EQUIVALENCE puts %s in front of the COMMON block", p.Name.Name).WithHelp("tie it to a later element")
			}
			if !slices.ContainsFunc(a.list, func(q placed) bool { return q.sym == p.sym }) {
				a.list = append(a.list, p)
			}
		}
	}
	if o.bad {
		return nil
	}
	return blocks
}

func (o *layout) errorf(pos source.Pos, format string, args ...any) *source.Diag {
	o.bad = true
	return o.l.errorf(codeDeclaration, pos, format, args...)
}

// variable is the number of the variable called name, -1 after an error.
func (o *layout) variable(name string, pos source.Pos) int {
	l := o.l
	if i, ok := o.number[name]; ok {
		return i
	}
	if name == "" {
		o.errorf(pos, "this cannot stand in EQUIVALENCE").WithHelp("name variables, arrays or elements")
		return -1
	}
	s := l.names[name]
	if s == nil { // a variable of a host is another one
		s = l.ownSymbol(name, pos)
	}
	switch {
	case s.Type == ir.Invalid || l.unbounded[s]:
		o.bad = true // reported
		return -1
	case l.dummies[name] != nil || s.Param || l.used[name]:
		o.errorf(pos, "%s is no variable of this unit and has no storage of its own", name).WithHelp("name a variable that is declared here")
		return -1
	case l.allocs[s] != nil || s.IsOpen() || s.Coarray:
		o.errorf(pos, "%s cannot be in COMMON or EQUIVALENCE: it is allocatable, a coarray or has variable bounds", name).
			WithHelp("declare it with constant bounds")
		return -1
	case l.implicitNone && !l.typed[s].IsValid():
		o.errorf(pos, "%s is in COMMON or EQUIVALENCE and has no type", name).WithHelp("declare it, as in: %s :: %s", typeWord(l.implicitType(name)), name)
		l.typed[s] = pos
		return -1
	}
	i := len(o.list)
	o.number[name] = i
	o.list = append(o.list, placed{Name: ast.Name{Pos: pos, Name: name}, sym: s})
	o.tie = append(o.tie, i)
	return i
}

// blocks are the areas of the COMMON blocks, with their variables in order.
func (o *layout) blocks(commons []*ast.Common) []*area {
	var out []*area
	in := map[string]bool{}
	for _, s := range commons {
		for _, b := range s.Blocks {
			k := slices.IndexFunc(out, func(a *area) bool { return a.block == b.Name.Name })
			if k < 0 {
				k = len(out)
				out = append(out, &area{pos: b.Name.Pos, common: true, block: b.Name.Name})
			}
			for _, e := range b.Entities {
				if in[e.Name] {
					o.errorf(e.Pos, "%s is in COMMON twice", e.Name).WithHelp("remove one")
				}
				in[e.Name] = true
				if i := o.variable(e.Name, e.Pos); i >= 0 {
					out[k].list = append(out[k].list, o.list[i])
				}
			}
		}
	}
	return out
}

// group takes what one pair of parentheses of EQUIVALENCE holds.
func (o *layout) group(list []ast.Expr) {
	first, from := -1, 0
	for _, e := range list {
		i := o.variable(nameOf(e), e.Position())
		if i < 0 {
			return
		}
		at, ok := o.offset(o.list[i].sym, e)
		switch {
		case !ok:
			o.bad = true
			return
		case first < 0:
			first, from = i, at
		default:
			o.join(first, from, i, at, e)
		}
	}
}

// join makes byte m of variable k the same as byte n of variable i.
func (o *layout) join(i, n, k, m int, e ast.Expr) {
	move := o.list[i].at + n - o.list[k].at - m
	from, to := o.tie[k], o.tie[i]
	if from == to {
		if move != 0 {
			o.errorf(e.Position(), "%s and %s are in two places by these EQUIVALENCEs", o.list[i].Name.Name, o.list[k].Name.Name).WithHelp("remove one of them")
		}
		return
	}
	for j := range o.list {
		if o.tie[j] == from {
			o.tie[j], o.list[j].at = to, o.list[j].at+move
		}
	}
}

// offset is the byte of s at which e begins.
func (o *layout) offset(s *ir.Symbol, e ast.Expr) (int, bool) {
	l := o.l
	switch e := e.(type) {
	case *ast.Ident:
		return 0, true
	case *ast.Index:
		if isArray(s) && len(e.Args) == 1 && len(s.Dims) > 1 { // FORTRAN 66 counts elements
			i, ok := l.constInt(e.Args[0], "a subscript in EQUIVALENCE")
			return (i - 1) * elementSize(s), ok
		}
		at, ok := (&dataSet{l: l}).place(s, e)
		return at * elementSize(s), ok
	case *ast.Substring:
		base, ok := o.offset(s, e.Base)
		lo := 1
		if e.Lo != nil && ok {
			lo, ok = l.constInt(e.Lo, "a substring bound")
		}
		return base + lo - 1, ok
	}
	return 0, false
}

// placeBlock places the variables of a COMMON block one behind the other, each at a
// multiple of its size, and what is tied to them with them.
func (o *layout) placeBlock(a *area, areaOf map[int]*area, start map[int]int) {
	at := 0
	for _, p := range a.list {
		i := o.number[p.Name.Name]
		if size := partSize(p.sym); p.sym.Type != ir.Character && size > 0 {
			at = (at + size - 1) / size * size
		}
		tie := o.tie[i]
		switch in := areaOf[tie]; {
		case in == nil:
			areaOf[tie], start[tie] = a, at-o.list[i].at
		case in != a:
			o.errorf(p.Pos, "EQUIVALENCE ties %s to another COMMON block", p.Name.Name).WithHelp("remove it from one of the blocks")
			return
		case start[tie]+o.list[i].at != at:
			o.errorf(p.Pos, "EQUIVALENCE puts %s where COMMON does not", p.Name.Name).WithHelp("remove it from one of the statements")
			return
		}
		at += storageSize(p.sym)
	}
	a.list = nil
}
