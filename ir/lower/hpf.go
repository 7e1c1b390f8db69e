package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// directives lowers the mapping directives: names of processors and templates
// first, since a directive may speak of one that a later directive declares.
func (l *lowerer) directives(list []ast.Stmt) {
	outer := l.noCalls
	l.noCalls = true
	defer func() { l.noCalls = outer }()
	first := len(l.prog.HPF)
	defer func() { l.repeated(first) }()
	for _, d := range list {
		switch d := d.(type) {
		case *ast.Processors:
			for i := range d.Entities {
				l.processors(d, &d.Entities[i])
			}
		case *ast.Template:
			for i := range d.Entities {
				l.template(d, &d.Entities[i])
			}
		}
	}
	for _, d := range list {
		switch d := d.(type) {
		case *ast.Align:
			for i := range d.Alignees {
				l.align(d, &d.Alignees[i])
			}
		case *ast.Distribute:
			for i := range d.Distributees {
				l.distribute(d, &d.Distributees[i])
			}
		case *ast.Shadow:
			l.shadow(d)
		case *ast.Dynamic:
			for _, n := range d.Names {
				l.dynamicObject(n)
			}
		}
	}
}

// targetName declares the name of a template or processor arrangement, and
// returns the one that it has in the typed program.
func (l *lowerer) targetName(e *ast.Entity) (string, bool) {
	if t, ok := l.targets[e.Name]; ok {
		l.errorf(codeDuplicate, e.Pos, "%s is declared twice", e.Name).WithNote(t.pos, "%s was declared here", e.Name)
		return "", false
	}
	if s := l.names[e.Name]; s != nil {
		l.errorf(codeDuplicate, e.Pos, "%s is the name of a variable already", e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name).WithHelp("give the template or arrangement another name")
		return "", false
	}
	t := target{pos: e.Pos, name: l.localName(e.Name)}
	l.targets[e.Name] = t
	return t.name, true
}

func (l *lowerer) processors(d *ast.Processors, e *ast.Entity) {
	name, ok := l.targetName(e)
	if !ok {
		return
	}
	if len(e.Dims) == 0 { // one processor
		l.targets[e.Name] = target{pos: e.Pos, scalar: true}
		return
	}
	out := &ir.Directive{Pos: d.Pos, Kind: ir.ProcessorsDirective, Name: name, NamePos: e.Pos}
	for _, dim := range e.Dims {
		x := l.extent(dim)
		if isBad(x) {
			x = l.intConst(1, dim.Pos)
		}
		out.Extents = append(out.Extents, x)
	}
	t := l.targets[e.Name]
	t.shape = l.arrangementShape(e.Dims, out.Extents)
	// A procedure that repeats an arrangement means the same one.
	for _, d := range l.prog.HPF {
		if d.Kind == ir.ProcessorsDirective && l.scope.site != nil && sameList(d.Extents, out.Extents) {
			t.name = d.Name
			l.targets[e.Name] = t
			return
		}
	}
	l.targets[e.Name] = t
	l.prog.HPF = append(l.prog.HPF, out)
}

// arrangementShape is the bounds of an arrangement with the given dimensions and extents, or nil
// where they are not constant.
func (l *lowerer) arrangementShape(dims []ast.DimSpec, extents []ir.Expr) (shape []ir.Bound) {
	for k, x := range extents {
		n, ok := constOf(x)
		b := ir.Bound{Lo: 1, Hi: n}
		if ok && dims[k].Lo != nil {
			b.Lo, ok = constOf(l.integer(dims[k].Lo, "a bound of PROCESSORS"))
			b.Hi = b.Lo + n - 1
		}
		if !ok {
			return nil
		}
		shape = append(shape, b)
	}
	return shape
}

// extent is the number of processors in a dimension: an expression of
// constants and NUMBER_OF_PROCESSORS().
func (l *lowerer) extent(d ast.DimSpec) ir.Expr {
	if d.Hi == nil || isStar(d.Hi) {
		l.errorf(codeProcessors, d.Pos, "a processors arrangement needs an extent in every dimension").
			WithHelp("write a constant or NUMBER_OF_PROCESSORS()")
		return bad(d.Pos)
	}
	x := l.integer(d.Hi, "an extent of PROCESSORS")
	if d.Lo != nil {
		lo := l.integer(d.Lo, "a bound of PROCESSORS")
		if isBad(x, lo) {
			return bad(d.Pos)
		}
		x = l.bin(ir.Add, l.bin(ir.Sub, x, lo, d.Pos, d.Pos), l.intConst(1, d.Pos), d.Pos, d.Pos)
	}
	if s := firstVariable(x); s != nil {
		l.errorf(codeNotConstant, d.Pos, "an extent of PROCESSORS must be a constant expression, %s is a variable", s.Source()).
			WithNote(s.Pos, "%s was declared here", s.Source()).WithHelp("write a constant or NUMBER_OF_PROCESSORS()")
		return bad(d.Pos)
	}
	if c, ok := x.(*ir.Const); ok && c.Typ.IsInteger() && c.Int < 1 {
		l.errorf(codeProcessors, d.Pos, "an extent of PROCESSORS is %d, it must be at least 1", c.Int)
		return bad(d.Pos)
	}
	return x
}

func sameList(a, b []ir.Expr) bool {
	return slices.EqualFunc(a, b, ir.Same)
}

func (l *lowerer) template(d *ast.Template, e *ast.Entity) {
	name, ok := l.targetName(e)
	if !ok {
		return
	}
	if len(e.Dims) == 0 {
		l.errorf(codeRank, e.Pos, "template %s has no shape", e.Name).WithHelp("write TEMPLATE %s(n)", e.Name)
		return
	}
	for _, dim := range e.Dims {
		if ast.Any(dim.Hi, callsProcessors) || ast.Any(dim.Lo, callsProcessors) {
			l.diags.Warnf(source.NotHonoured, dim.Pos, "a template whose bounds depend on the number of processors: what is aligned with %s is on all PEs, which gives the same results", e.Name).
				WithHelp("write a template of as many elements as the arrays have")
			l.targets[e.Name] = target{pos: e.Pos, bad: true}
			return
		}
	}
	out := &ir.Directive{Pos: d.Pos, Kind: ir.TemplateDirective, Name: name, NamePos: e.Pos}
	open := false
	if b := l.scope.binding; b != nil {
		out.Shape, open, ok = b.templateBounds(e.Dims, e.Name)
	} else {
		out.Shape, ok = l.bounds(e.Dims, "the bounds of template "+e.Name)
	}
	if !ok || !open && !l.inReach(out.Shape, e.Dims, "template "+e.Name) {
		l.targets[e.Name] = target{pos: e.Pos, bad: true}
		return
	}
	l.prog.HPF = append(l.prog.HPF, out)
}

// mappedTarget finds the template or arrangement that a directive is about.
func (l *lowerer) mappedTarget(name string) (target, bool) {
	if l.remapping {
		return l.scope.target(name)
	}
	t, ok := l.targets[name]
	return t, ok
}

// mapped finds the object of ALIGN or DISTRIBUTE: an array, or a template (sym
// nil).
func (l *lowerer) mapped(e *ast.Entity, directive string) (sym *ir.Symbol, ok bool) {
	if t, isTarget := l.mappedTarget(e.Name); isTarget {
		return nil, !t.bad
	}
	s := l.names[e.Name]
	if l.remapping {
		s = l.lookup(e.Name)
	}
	switch {
	case !l.remapping && (l.used[e.Name] || s == nil && l.lookup(e.Name) != nil):
		l.errorf(codeAlign, e.Pos, "%s of %s, which belongs to another unit", directive, e.Name).
			WithHelp("put the directive beside the declaration of %s", e.Name)
	case s == nil:
		l.errorf(codeUndeclared, e.Pos, "%s of %s, which is not declared", directive, e.Name).
			WithHelp("declare %s as an array", e.Name)
	case s.Type == ir.Invalid: // reported
	case s.Coarray:
		l.errorf(codeAlign, e.Pos, "%s of %s, which is a coarray", directive, e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name).
			WithHelp("remove the directive: every image has a coarray of its own")
	case !s.IsArray():
		l.errorf(codeAlign, e.Pos, "%s of %s, which is a scalar", directive, e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name).
			WithHelp("only arrays are mapped; every PE has a copy of a scalar")
	case l.unbounded[s]: // reported
	case l.views[s] != nil && l.overlays[s].base != nil:
		l.errorf(codeAlign, e.Pos, "%s of %s, which shares storage with variables of other shapes", directive, e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name).
			WithHelp("declare it in all units with the same shape, and leave it out of EQUIVALENCE")
	default:
		return s, true
	}
	return nil, false
}

func (l *lowerer) align(d *ast.Align, e *ast.Entity) {
	if s := l.names[e.Name]; s != nil && s.Type != ir.Invalid && !s.IsArray() && !s.Coarray && !l.used[e.Name] {
		l.diags.Warnf(source.NotHonoured, e.Pos, "ALIGN of %s, which is a scalar, is ignored", e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name).WithHelp("remove it: every PE has a copy of a scalar")
		return
	}
	sym, ok := l.mapped(e, "ALIGN")
	if !ok {
		return
	}
	if sym == nil {
		l.errorf(codeAlign, e.Pos, "ALIGN of %s, which is not an array", e.Name).
			WithHelp("distribute it, and align arrays with it")
		return
	}
	out := &ir.Directive{Pos: d.Pos, Kind: ir.AlignDirective, Name: sym.Name, NamePos: e.Pos, Symbol: sym, Target: d.Target, TargetPos: d.TargetPos}
	if t, known := l.scope.target(d.Target); known && t.bad {
		return
	} else if known {
		out.Target = t.name
	} else if s := l.lookup(d.Target); s != nil {
		out.Target = s.Name
	} else if l.scope.unit.Kind != ast.MainUnit {
		l.errorf(source.UndeclaredTemplate, d.TargetPos, "ALIGN with %s, which is not declared", d.Target).
			WithHelp("declare it: !HPF$ TEMPLATE %s(%s)", d.Target, ir.BoundsString(sym.Dims))
		return
	}
	dummies := map[string]source.Pos{}
	colons := 0
	for _, s := range d.Source {
		src := ir.AlignSource{Pos: s.Pos, Dummy: s.Name}
		switch {
		case s.Colon:
			colons++
			src.Dummy = colonDummy(colons)
		case s.Star:
			src.Dummy = ""
		default:
			if at, twice := dummies[s.Name]; twice {
				l.errorf(codeAlign, s.Pos, "dummy %s stands twice in the list of ALIGN", s.Name).WithNote(at, "it was used here").
					WithHelp("use a different dummy for each dimension")
				return
			}
			dummies[s.Name] = s.Pos
		}
		out.Source = append(out.Source, src)
	}
	sourceColons := colons
	colons = 0
	for _, t := range d.TargetSubs {
		sub := ir.AlignSub{Pos: t.Pos}
		switch {
		case t.Star:
			sub.Replicated = true
		case t.Colon:
			colons++
			sub.Dummy, sub.Coef = colonDummy(colons), 1
			if t.Lo != nil || t.Hi != nil || t.Stride != nil {
				if sub.Section = l.alignSection(&t, d, len(out.Subs)); sub.Section == nil {
					return
				}
			}
		default:
			a, ok := l.alignSub(t.Expr, dummies)
			if !ok {
				return
			}
			if a.dummy != "" && a.coef == 0 {
				a.dummy = ""
			}
			sub.Dummy, sub.Coef, sub.Off = a.dummy, a.coef, a.off
		}
		out.Subs = append(out.Subs, sub)
	}
	if out.Source != nil && out.Subs != nil && colons != sourceColons {
		l.errorf(codeAlign, d.Pos, "ALIGN has %s in the array's list and %d in the target's", count(sourceColons, "colon"), colons).
			WithHelp("write as many of one as of the other; they match in order")
		return
	}
	l.prog.HPF = append(l.prog.HPF, out)
}

// alignSection evaluates a section in the target of ALIGN, subscript k; nil after an error.
func (l *lowerer) alignSection(t *ast.AlignTarget, d *ast.Align, k int) *ir.AlignSection {
	bound := ir.Bound{}
	known := false
	if s := l.lookup(d.Target); isArray(s) && k < len(s.Dims) && l.views[s] == nil {
		bound, known = s.Dims[k], true
	} else if to, ok := l.scope.target(d.Target); ok {
		for _, h := range l.prog.HPF {
			if h.Kind == ir.TemplateDirective && h.Name == to.name && k < len(h.Shape) {
				bound, known = h.Shape[k], true
			}
		}
	}
	value := func(e ast.Expr, other int, needed bool) (int, bool) {
		switch {
		case e != nil:
			n, ok := l.constInt(e, "a bound of a section in ALIGN")
			if _, near := dist.Position(1, n, 0); ok && !near {
				_, ok = l.farAlign(e.Position())
			}
			return n, ok
		case needed && !known:
			l.errorf(codeAlign, t.Pos, "the bounds of %s are not known here", d.Target).WithHelp("write both bounds of the section")
			return 0, false
		}
		return other, true
	}
	lo, okLo := value(t.Lo, bound.Lo, true)
	hi, okHi := value(t.Hi, bound.Hi, true)
	step, okStep := value(t.Stride, 1, false)
	switch {
	case !okLo || !okHi || !okStep:
		return nil
	case step == 0:
		l.errorf(codeAlign, t.Pos, "the stride of a section is zero").WithHelp("write a stride other than 0")
		return nil
	}
	return &ir.AlignSection{Lo: lo, Step: step, N: max(0, (hi-lo+step)/step)}
}

// colonDummy names the k-th ":" of an ALIGN list; ir/mapping knows by the
// leading colon that lower bounds are matched.
func colonDummy(k int) string { return ":" + strconv.Itoa(k) }

// alignForm is coef*dummy + off; dummy is "" for a constant.
type alignForm struct {
	dummy     string
	coef, off int
}

// alignSub evaluates a target subscript of ALIGN, which is affine in at most one
// dummy.
func (l *lowerer) alignSub(e ast.Expr, dummies map[string]source.Pos) (alignForm, bool) {
	if !mentionsDummy(e, dummies) {
		n, ok := l.constInt(e, "a subscript of ALIGN")
		if _, near := dist.Position(1, n, 0); ok && !near {
			return l.farAlign(e.Position())
		}
		return alignForm{off: n}, ok
	}
	notAffine := func(pos source.Pos) (alignForm, bool) {
		l.errorf(codeAlign, pos, "a subscript of ALIGN must have the form a*i+b with constants a and b").
			WithHelp("write for example 2*i+1")
		return alignForm{}, false
	}
	switch e := e.(type) {
	case *ast.Ident:
		return alignForm{dummy: e.Name, coef: 1}, true
	case *ast.Paren:
		return l.alignSub(e.X, dummies)
	case *ast.Unary:
		x, ok := l.alignSub(e.X, dummies)
		if e.Op == "-" {
			x.coef, x.off = -x.coef, -x.off
		} else if e.Op != "+" {
			return notAffine(e.Pos)
		}
		return x, ok
	case *ast.Binary:
		if e.Op != "+" && e.Op != "-" && e.Op != "*" {
			return notAffine(e.OpPos)
		}
		x, okX := l.alignSub(e.X, dummies)
		y, okY := l.alignSub(e.Y, dummies)
		if !okX || !okY {
			return alignForm{}, false
		}
		return l.combine(e, x, y, notAffine)
	}
	return notAffine(e.Position())
}

func (l *lowerer) combine(e *ast.Binary, x, y alignForm, notAffine func(source.Pos) (alignForm, bool)) (alignForm, bool) {
	if e.Op == "*" {
		if x.dummy != "" && y.dummy != "" {
			return notAffine(e.OpPos)
		}
		if x.dummy == "" {
			x, y = y, x
		}
		coef, okCoef := dist.Position(x.coef, y.off, 0)
		off, okOff := dist.Position(x.off, y.off, 0)
		if !okCoef || !okOff {
			return l.farAlign(e.OpPos)
		}
		return alignForm{x.dummy, coef, off}, true
	}
	if e.Op == "-" {
		y.coef, y.off = -y.coef, -y.off
	}
	if x.dummy != "" && y.dummy != "" && x.dummy != y.dummy {
		l.errorf(codeAlign, e.OpPos, "a subscript of ALIGN uses two dummies, %s and %s", x.dummy, y.dummy).
			WithHelp("use one dummy in each subscript")
		return alignForm{}, false
	}
	if x.dummy == "" {
		x.dummy = y.dummy
	}
	coef, okCoef := dist.Position(1, x.coef, y.coef)
	off, okOff := dist.Position(1, x.off, y.off)
	if !okCoef || !okOff {
		return l.farAlign(e.OpPos)
	}
	return alignForm{x.dummy, coef, off}, true
}

func (l *lowerer) farAlign(pos source.Pos) (alignForm, bool) {
	l.errorf(codeLarge, pos, "a coefficient or offset of ALIGN is beyond 2**48").WithHelp("choose a nearer position of the template")
	return alignForm{}, false
}

func mentionsDummy(e ast.Expr, dummies map[string]source.Pos) bool {
	return ast.Any(e, func(e ast.Expr) bool {
		name := ""
		switch e := e.(type) {
		case *ast.Ident:
			name = e.Name
		case *ast.Index:
			name = e.Name
		}
		_, ok := dummies[name]
		return ok
	})
}

func (l *lowerer) distribute(d *ast.Distribute, e *ast.Entity) {
	sym, ok := l.mapped(e, "DISTRIBUTE")
	if !ok {
		return
	}
	of, _ := l.mappedTarget(e.Name)
	name := of.name
	if sym != nil {
		name = sym.Name
	}
	out := &ir.Directive{Pos: d.Pos, Kind: ir.DistributeDirective, Name: name, NamePos: e.Pos, Symbol: sym, Onto: d.Onto, OntoPos: d.OntoPos}
	if t, known := l.scope.target(d.Onto); known && t.scalar {
		l.ontoOne(d, e)
		return
	} else if known {
		out.Onto = t.name
	} else if d.Onto != "" && l.scope.unit.Kind != ast.MainUnit {
		l.errorf(codeProcessors, d.OntoPos, "ONTO %s: there is no processors arrangement of this name", d.Onto).
			WithHelp("declare it here: !HPF$ PROCESSORS %s(NUMBER_OF_PROCESSORS()); or leave ONTO out", d.Onto)
		return
	}
	for _, f := range d.Formats {
		format := ir.DistFormat{Pos: f.Pos}
		switch f.Name {
		case "block":
			format.Format = dist.Block
		case "cyclic":
			format.Format = dist.Cyclic
		case "gen_block":
			var good bool
			if format.Format, good = l.blockSizes(f.Arg); !good {
				return
			}
			out.Formats = append(out.Formats, format)
			continue
		case "*":
		default:
			l.errorf(codeFormat, f.Pos, "unknown distribution format %s", f.Name).WithHelp("write BLOCK, CYCLIC or *")
			return
		}
		if f.Arg != nil && !l.blockSize(&f, &format.Format) {
			return
		}
		out.Formats = append(out.Formats, format)
	}
	l.prog.HPF = append(l.prog.HPF, out)
}

// blockSize evaluates the size of the blocks of f for its format, and reports whether it is
// right.
func (l *lowerer) blockSize(f *ast.DistFormat, format *dist.Format) bool {
	shown := strings.ToUpper(f.Name)
	if x := l.integer(f.Arg, "a block size"); asksProcessors(x) && firstVariable(x) == nil {
		l.diags.Warnf(source.NotHonoured, f.Arg.Position(), "a block size that depends on the number of processors: %s without it is what is compiled, which gives the same results", shown).
			WithHelp("write %s", shown)
		return true
	}
	n, ok := l.constInt(f.Arg, "a block size")
	switch {
	case !ok:
		return false
	case n < 1:
		l.errorf(codeFormat, f.Arg.Position(), "the block size of %s is %d, it must be at least 1", shown, n).WithHelp("write %s", shown)
		return false
	case n > dist.MaxPosition:
		l.errorf(codeFormat, f.Arg.Position(), "the block size of %s is %d, it must be at most 2**48", shown, n).WithHelp("write %s", shown)
		return false
	case f.Name == "cyclic" && n == 1:
	case f.Name == "cyclic":
		*format = dist.Cyclics(n)
	default:
		*format = dist.Blocks(n)
	}
	return true
}

// blockSizes is GEN_BLOCK with the sizes e; BLOCK, with a warning, where they are not constant.
func (l *lowerer) blockSizes(e ast.Expr) (dist.Format, bool) {
	if list, extents, constant := l.constantElements(e); constant && len(extents) == 1 && len(list) > 0 && list[0] != nil && list[0].Type().IsInteger() {
		sizes, sum := make([]int, len(list)), 0
		for k, c := range list {
			if sizes[k] = c.Int; c.Int < 0 || c.Int > dist.MaxPosition {
				l.errorf(codeFormat, e.Position(), "size %d of GEN_BLOCK is %d, it must be from 0 to 2**48", k+1, c.Int).WithHelp("write how many positions each processor has")
				return 0, false
			}
			if sum += c.Int; sum > dist.MaxPosition {
				l.errorf(codeFormat, e.Position(), "the sizes of GEN_BLOCK sum to more than 2**48").WithHelp("write how many positions each processor has")
				return 0, false
			}
		}
		return dist.GenBlocks(sizes...), true
	}
	good := false
	switch e := e.(type) {
	case *ast.Array:
		good = true
	case *ast.Ident:
		s := l.lookup(e.Name)
		if s != nil && s.Type == ir.Invalid { // reported
			return 0, false
		}
		good = isArray(s) && len(s.Dims) == 1 && s.Type.IsInteger()
	}
	if !good {
		l.errorf(codeFormat, e.Position(), "the sizes of GEN_BLOCK must be an INTEGER vector").WithHelp("declare it: integer, parameter :: sizes(2) = [3, 5]")
		return 0, false
	}
	l.diags.Warnf(source.NotHonoured, e.Position(), "sizes of blocks that are not constant: BLOCK is what is compiled, which gives the same results").
		WithHelp("write BLOCK, or constant sizes")
	return dist.Block, true
}

// callsProcessors reports whether x is number_of_processors(...) or processors_shape(), or a function of it.
func callsProcessors(x ast.Expr) bool {
	call, ok := x.(*ast.Index)
	return ok && (call.Name == "number_of_processors" || call.Name == "processors_shape")
}

// asksProcessors reports whether x depends on the number of processors.
func asksProcessors(x ir.Expr) (found bool) {
	ir.WalkExpr(x, func(e ir.Expr) bool {
		c, ok := e.(*ir.Call)
		found = found || ok && c.Name == "number_of_processors"
		return !found
	})
	return found
}

// ontoOne takes DISTRIBUTE onto an arrangement of one processor: nothing is divided.
func (l *lowerer) ontoOne(d *ast.Distribute, e *ast.Entity) {
	for _, f := range d.Formats {
		if f.Name != "*" {
			l.errorf(source.RankMismatch, f.Pos, "%s is one processor, and %s is divided", d.Onto, e.Name).
				WithHelp("write *, or give %s a shape: PROCESSORS %s(NUMBER_OF_PROCESSORS())", d.Onto, d.Onto)
			return
		}
	}
}

// maxShadow is how wide an overlap may be declared.
const maxShadow = 1 << 20

// shadow lowers SHADOW.
func (l *lowerer) shadow(d *ast.Shadow) {
	for _, n := range d.Names {
		e := ast.Entity{Pos: n.Pos, Name: n.Name}
		sym, ok := l.mapped(&e, "SHADOW")
		switch {
		case !ok:
			continue
		case sym == nil:
			l.errorf(codeAlign, n.Pos, "SHADOW of %s, which is not an array", n.Name).WithHelp("write the overlaps of the arrays that are aligned with it")
			continue
		case len(d.Widths) != len(sym.Dims):
			l.errorf(source.RankMismatch, n.Pos, "%s has rank %d, the number of widths is %d", n.Name, len(sym.Dims), len(d.Widths)).
				WithHelp("write one width for each dimension, 0 for one that is not distributed")
			continue
		}
		sym = l.whole(sym)
		if len(sym.Dims) != len(d.Widths) {
			l.errorf(codeAlign, n.Pos, "SHADOW of %s, which is an argument and lies as what is passed", n.Name).WithHelp("write the overlaps of the array that is passed")
			continue
		}
		widths := slices.Clone(sym.Shadow)
		if widths == nil {
			widths = make([][2]int, len(sym.Dims))
		}
		for k, w := range d.Widths {
			low, high := l.shadowWidth(w.Low, w.Pos, sym.Dims[k])
			if w.High != nil {
				_, high = l.shadowWidth(w.High, w.Pos, sym.Dims[k])
			}
			widths[k] = [2]int{max(widths[k][0], low), max(widths[k][1], high)}
		}
		sym.Shadow = widths
	}
}

// shadowWidth is the width e of an overlap, on both sides; nil: it is as wide as the array.
func (l *lowerer) shadowWidth(e ast.Expr, pos source.Pos, b ir.Bound) (low, high int) {
	n := 0
	if e != nil {
		n, _ = l.constInt(e, "the width of an overlap")
		pos = e.Position()
	} else if b.Open() {
		l.errorf(codeAlign, pos, "SHADOW with * in a dimension whose bounds are not known before run time").WithHelp("write a width")
		return 0, 0
	} else {
		n = max(0, b.Extent()-1)
	}
	if n < 0 || n > maxShadow {
		l.errorf(codeFormat, pos, "the width of an overlap is %d, it must be from 0 to 2**20", n).WithHelp("write how many elements of each neighbour are needed")
		return 0, 0
	}
	return n, n
}
