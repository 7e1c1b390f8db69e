package lower

import (
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An array that REDISTRIBUTE or REALIGN moves becomes one array for each of its mappings: each
// statement means the one that the array lies in there, and where the mapping changes
// a nest copies the elements.
//
//	!HPF$ DISTRIBUTE a(*,BLOCK)        a(*,BLOCK), a_2(BLOCK,*)
//	do it = 1, n                       do it = 1, n
//	  a(i,j) = ...                       a(i,j) = ...
//	!HPF$ REDISTRIBUTE a(BLOCK,*)        a_2(:,:) = a(:,:)
//	  a(i,j) = ...                       a_2(i,j) = ...
//	end do                               a(:,:) = a_2(:,:)
//
// Where paths meet on which the mappings differ, one of them copies: the program computes
// the same wherever the elements lie, and each statement has one mapping.

// dynamicObject takes note of an object of DYNAMIC.
func (l *lowerer) dynamicObject(n ast.Name) {
	e := &ast.Entity{Pos: n.Pos, Name: n.Name}
	sym, ok := l.mapped(e, "DYNAMIC")
	if !ok {
		return
	}
	l.dynamic[l.objectName(sym, n.Name)] = true
}

// objectName is the name in the typed program of an array, or, where there is none, a template.
func (l *lowerer) objectName(sym *ir.Symbol, name string) string {
	if sym == nil {
		t, _ := l.scope.target(name)
		return t.name
	}
	return l.whole(sym).Name
}

// whole is the array that a dummy argument of the same rank is a part of, or sym.
func (l *lowerer) whole(sym *ir.Symbol) *ir.Symbol {
	if v := l.views[sym]; v != nil && v.base != nil {
		return v.base
	}
	return sym
}

// remap lowers REDISTRIBUTE and REALIGN.
func (l *lowerer) remap(s *ast.Remap) []ir.Stmt {
	first := len(l.prog.HPF)
	l.remapping = true
	word, objects := "REDISTRIBUTE", []ast.Entity(nil)
	switch d := s.Directive.(type) {
	case *ast.Distribute:
		objects = d.Distributees
		for i := range objects {
			l.distribute(d, &objects[i])
		}
	case *ast.Align:
		word, objects = "REALIGN", d.Alignees
		for i := range objects {
			l.align(d, &objects[i])
		}
	}
	l.remapping = false
	directives := slices.Clone(l.prog.HPF[first:])
	l.prog.HPF = l.prog.HPF[:first]
	var out []ir.Stmt
	for _, d := range directives {
		pos, shown := d.NamePos, d.Name
		if d.Symbol != nil {
			shown = d.Symbol.Source()
			whole := l.whole(d.Symbol)
			if whole != d.Symbol && (len(whole.Dims) != len(d.Symbol.Dims) || d.Kind == ir.AlignDirective) {
				l.errorf(codeAlign, pos, "%s of %s, which is an argument and lies as what is passed", word, shown).
					WithHelp("give it a mapping in the declarations, or remap the array that is passed")
				continue
			}
			d.Symbol, d.Name = whole, whole.Name
			if l.loose[whole] && l.allocs[whole] == nil {
				l.errorf(codeAlign, pos, "%s of %s, whose bounds depend on arguments", word, shown).
					WithHelp("declare it with constant bounds, or allocatable")
				continue
			}
			if d.Kind == ir.DistributeDirective && d.Formats != nil && len(d.Formats) != len(whole.Dims) {
				l.errorf(source.RankMismatch, pos, "%s has rank %d, the number of formats is %d", shown, len(whole.Dims), len(d.Formats)).
					WithHelp("write one format for each dimension: BLOCK, CYCLIC or *")
				continue
			}
		}
		if !l.dynamic[d.Name] {
			l.errorf(codeAlign, pos, "%s of %s, which is not DYNAMIC", word, shown).
				WithHelp("add !HPF$ DYNAMIC %s to the declarations", shown)
			continue
		}
		for _, around := range l.loops {
			if do, ok := around.stmt.(*ir.Do); ok && do.Independent != nil {
				l.errorf(codeAlign, pos, "%s in a loop whose iterations are independent", word).
					WithNote(do.Pos, "the loop begins here").WithHelp("move it in front of the loop")
			}
		}
		out = append(out, &ir.Remap{S: ir.S{Pos: s.Pos, Site: l.scope.site}, Directive: d})
	}
	return out
}

// version is one mapping of an array or template.
type version struct {
	of         string        // name of the object
	sym        *ir.Symbol    // the array that lies so, nil for a template
	name       string        // its name, or that of the template
	distribute *ir.Directive // nil where there is none, or an ALIGN
	align      *ir.Directive
	to         *version // what it is aligned with
}

// lying says which version of each object has its elements; that of others is the first.
type lying map[string]*version

// remapper makes the versions.
type remapper struct {
	l        *lowerer
	symbols  map[string]*ir.Symbol
	declared map[string]*ir.Directive // ALIGN and DISTRIBUTE, by the name of the object
	shapes   map[string]*ir.Directive // TEMPLATE
	versions map[string][]*version    // the first is as declared
	loops    map[ir.Stmt]lying        // at the beginning of each iteration
	moves    map[ir.Stmt]bool         // a Remap is inside
}

// remapped is body without Remap.
func (l *lowerer) remapped(body []ir.Stmt) []ir.Stmt {
	r := &remapper{l: l, symbols: map[string]*ir.Symbol{}, declared: map[string]*ir.Directive{}, shapes: map[string]*ir.Directive{},
		versions: map[string][]*version{}, loops: map[ir.Stmt]lying{}, moves: map[ir.Stmt]bool{}}
	if !r.find(body) {
		return body
	}
	for _, s := range l.prog.Symbols {
		r.symbols[s.Name] = s
	}
	for _, d := range l.prog.HPF {
		switch d.Kind {
		case ir.TemplateDirective:
			r.shapes[d.Name] = d
		case ir.AlignDirective, ir.DistributeDirective:
			r.declared[d.Name] = d
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.declared)) {
		r.first(name)
	}
	body, _ = r.list(body, lying{})
	return r.allocated(body)
}

// find takes note of the statements in which mappings change.
func (r *remapper) find(list []ir.Stmt) (found bool) {
	for _, s := range list {
		_, is := s.(*ir.Remap)
		for _, inner := range ir.Bodies(s) {
			is = r.find(inner) || is
		}
		r.moves[s] = is
		found = found || is
	}
	return found
}

// first is the version of an object that its declaration makes.
func (r *remapper) first(name string) *version {
	if list := r.versions[name]; len(list) > 0 {
		return list[0]
	}
	v := &version{of: name, sym: r.symbols[name], name: name}
	r.versions[name] = []*version{v}
	switch d := r.declared[name]; {
	case d == nil:
	case d.Kind == ir.AlignDirective:
		v.align, v.to = d, r.first(d.Target)
	default:
		v.distribute = d
	}
	return v
}

func (r *remapper) at(in lying, name string) *version {
	if v := in[name]; v != nil {
		return v
	}
	return r.first(name)
}

// version is the one of an object with these directives.
func (r *remapper) version(name string, distribute, align *ir.Directive, to *version) *version {
	r.first(name)
	for _, v := range r.versions[name] {
		if v.to == to && sameDirective(v.distribute, distribute) && sameDirective(v.align, align) {
			return v
		}
	}
	v := &version{of: name, name: r.l.unique(name), distribute: distribute, align: align, to: to}
	r.versions[name] = append(r.versions[name], v)
	if s := r.symbols[name]; s != nil {
		c := *s
		c.Name, c.Local, c.Init, c.Values = v.name, s.Source(), nil, nil
		v.sym = &c
		r.l.prog.Symbols = append(r.l.prog.Symbols, v.sym)
	} else if shape := r.shapes[name]; shape != nil {
		c := *shape
		c.Name = v.name
		r.l.prog.HPF = append(r.l.prog.HPF, &c)
	}
	d := distribute
	if align != nil {
		d = align
	}
	c := *d
	c.Name, c.Symbol = v.name, v.sym
	if to != nil {
		c.Target = to.name
	}
	r.l.prog.HPF = append(r.l.prog.HPF, &c)
	return v
}

// sameDirective reports whether two say the same of an object, places in the source aside.
func sameDirective(a, b *ir.Directive) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Onto == b.Onto && (a.Source == nil) == (b.Source == nil) && (a.Subs == nil) == (b.Subs == nil) &&
		(a.Formats == nil) == (b.Formats == nil) &&
		slices.EqualFunc(a.Formats, b.Formats, func(x, y ir.DistFormat) bool { return x.Format == y.Format }) &&
		slices.EqualFunc(a.Source, b.Source, func(x, y ir.AlignSource) bool { return x.Dummy == y.Dummy }) &&
		slices.EqualFunc(a.Subs, b.Subs, func(x, y ir.AlignSub) bool {
			if x.Section != nil && y.Section != nil {
				return *x.Section == *y.Section
			}
			return x.Section == y.Section && x.Replicated == y.Replicated && x.Dummy == y.Dummy && x.Coef == y.Coef && x.Off == y.Off
		})
}

// move executes a Remap: what is aligned with an object that is distributed goes with it.
func (r *remapper) move(s *ir.Remap, in lying) {
	d := s.Directive
	before := r.at(in, d.Name)
	if d.Kind == ir.AlignDirective {
		in[d.Name] = r.version(d.Name, nil, d, r.at(in, d.Target))
		return
	}
	in[d.Name] = r.version(d.Name, d, nil, nil)
	r.follow(before, in[d.Name], in)
}

func (r *remapper) follow(before, now *version, in lying) {
	if before == now {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.versions)) {
		if v := r.at(in, name); v.to == before {
			in[name] = r.version(name, nil, v.align, now)
			r.follow(v, in[name], in)
		}
	}
}

// same reports whether all elements lie alike.
func (r *remapper) same(a, b lying) bool {
	for name := range r.versions {
		if r.at(a, name) != r.at(b, name) {
			return false
		}
	}
	return true
}

// flow is what list, which changes nothing yet, makes of in, nil if its end is not reached.
func (r *remapper) flow(list []ir.Stmt, in lying) lying {
	in = maps.Clone(in)
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Remap:
			r.move(s, in)
		case *ir.Do:
			in = r.head(s, s.Body, in)
		case *ir.While:
			in = r.head(s, s.Body, in)
		case *ir.If:
			a, b := r.flow(s.Then, in), r.flow(s.Else, in)
			if in = a; a == nil {
				in = b
			}
		case *ir.Critical:
			in = r.flow(s.Body, in)
		case *ir.Exit, *ir.Cycle, *ir.Stop:
			return nil
		}
		if in == nil {
			return nil
		}
	}
	return in
}

// head is how elements lie at the beginning of each iteration of a loop: as in front of it,
// or, where an iteration leaves them otherwise and that is no other at the end of the
// next one, as at its end, so that none of them has to move them back.
func (r *remapper) head(loop ir.Stmt, body []ir.Stmt, in lying) lying {
	if !r.moves[loop] {
		return in
	}
	once := r.flow(body, in)
	if once == nil || r.same(in, once) {
		return in
	}
	if twice := r.flow(body, once); twice != nil && r.same(once, twice) {
		return once
	}
	return in
}

// list is a list without Remap, and how elements lie behind it; nil: its end is not reached.
func (r *remapper) list(list []ir.Stmt, in lying) ([]ir.Stmt, lying) {
	in = maps.Clone(in)
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Remap:
			before := maps.Clone(in)
			r.move(s, in)
			out = append(out, r.copies(s, before, in)...)
			continue
		case *ir.Do:
			in, out = r.enter(s, s.Body, in, out)
			r.rename(s, in)
			s.Body = r.body(s, s.Body, in)
		case *ir.While:
			in, out = r.enter(s, s.Body, in, out)
			r.rename(s, in)
			s.Body = r.body(s, s.Body, in)
		case *ir.If:
			r.rename(s, in)
			var a, b lying
			s.Then, a = r.list(s.Then, in)
			s.Else, b = r.list(s.Else, in)
			if a != nil && b != nil {
				s.Else = append(s.Else, r.copies(s, b, a)...)
			}
			if in = a; a == nil {
				in = b
			}
		case *ir.Critical:
			s.Body, in = r.list(s.Body, in)
		case *ir.Exit:
			out = append(out, r.copies(s, in, r.loops[s.Loop])...)
			in = nil
		case *ir.Cycle:
			out = append(out, r.copies(s, in, r.loops[s.Loop])...)
			in = nil
		case *ir.Stop:
			r.rename(s, in)
			in = nil
		default:
			r.rename(s, in)
		}
		if out = append(out, s); in == nil {
			break
		}
	}
	return out, in
}

// enter finds how elements lie in a loop, and moves them there.
func (r *remapper) enter(loop ir.Stmt, body []ir.Stmt, in lying, out []ir.Stmt) (lying, []ir.Stmt) {
	head := r.head(loop, body, in)
	r.loops[loop] = head
	return head, append(out, r.copies(loop, in, head)...)
}

// body is the body of a loop, at whose end elements lie as at its beginning.
func (r *remapper) body(loop ir.Stmt, body []ir.Stmt, head lying) []ir.Stmt {
	out, end := r.list(body, head)
	if end != nil {
		out = append(out, r.copies(loop, end, head)...)
	}
	return out
}

// rename makes what s itself mentions the arrays that the elements lie in.
func (r *remapper) rename(s ir.Stmt, in lying) {
	now := func(sym *ir.Symbol) *ir.Symbol {
		if sym == nil || len(r.versions[sym.Name]) < 2 {
			return sym
		}
		return r.at(in, sym.Name).sym
	}
	all := func(list []*ir.Symbol) {
		for i := range list {
			list[i] = now(list[i])
		}
	}
	for _, e := range ir.Exprs(s) {
		for _, ref := range ir.ExprRefs(e) {
			ref.Sym = now(ref.Sym)
		}
	}
	for on := s.OnHome(); on != nil; on = on.Outer {
		for _, p := range append(slices.Clip(on.Objects), on.Home) {
			if p != nil {
				p.Ref.Sym = now(p.Ref.Sym)
			}
		}
	}
	switch s := s.(type) {
	case *ir.Do:
		if s.Independent != nil {
			c := *s.Independent
			c.New, c.Reduction = slices.Clone(c.New), slices.Clone(c.Reduction)
			all(c.New)
			all(c.Reduction)
			s.Independent = &c
		}
	case *ir.Read:
		all(s.Vectors)
		all(s.GotVectors)
	case *ir.Transfer:
		s.Local.Sym = now(s.Local.Sym)
	case *ir.Collective:
		if s.Part != nil {
			s.Part.Sym = now(s.Part.Sym)
		}
	}
}

// copies copies the elements that lie otherwise in to than in from.
func (r *remapper) copies(at ir.Stmt, from, to lying) (out []ir.Stmt) {
	for _, name := range slices.Sorted(maps.Keys(r.versions)) {
		a, b := r.at(from, name), r.at(to, name)
		if a == b || a.sym == nil {
			continue
		}
		out = append(out, r.copy(at, a.sym, b.sym, r.symbols[name]))
	}
	return out
}

// copy is the nest that copies an array, if it is allocated.
func (r *remapper) copy(at ir.Stmt, from, to, declared *ir.Symbol) ir.Stmt {
	l, pos := r.l, at.Position()
	x := &ir.Ref{X: ir.X{Pos: pos, Typ: from.Type}, Sym: to}
	y := &ir.Ref{X: ir.X{Pos: pos, Typ: from.Type, Raw: true}, Sym: from}
	var index []*ir.Symbol
	for range from.Dims {
		i := l.local("moved", ir.Long, pos)
		index = append(index, i)
		x.Subs, y.Subs = append(x.Subs, varOf(i, pos)), append(y.Subs, varOf(i, pos))
	}
	nest := l.overElements(from, index, one(l.setTo(x, y, pos)), pos)
	if a := l.allocs[declared]; a != nil {
		nest = &ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: one(nest)}
	}
	ir.Walk(one(nest), func(s ir.Stmt) bool {
		s.SetCallSite(at.CallSite())
		return true
	})
	return nest
}

// allocated allocates all arrays that one has become.
func (r *remapper) allocated(list []ir.Stmt) (out []ir.Stmt) {
	for _, s := range list {
		ir.ReplaceBodies(s, r.allocated)
		out = append(out, s)
		a, ok := s.(*ir.Allocate)
		if !ok {
			continue
		}
		for _, v := range r.versions[a.Sym.Name][min(1, len(r.versions[a.Sym.Name])):] {
			c := *a
			c.Sym, c.Followers, c.Ends = v.sym, nil, nil
			for _, e := range a.Ends {
				c.Ends = append(c.Ends, ir.Clone(e))
			}
			out = append(out, &c)
		}
	}
	return out
}
