// Package images finds out, in a program with coarrays, what differs among images:
// values, and which statements are executed. Arrays that directives distribute are
// shared by all images, so that only statements which all images come to, with
// values that are the same on all of them, may use them; then every image computes
// what a program without directives computes on each image for itself.
//
//	me = this_image()              me differs
//	n = 10                         n does not
//	if (me == 1) n = 11            now it does
//	call co_broadcast(n, 1)        and now it does not
//	do i = 1, n
//	   a(i) = b(i) + n             all images come here: a may be distributed
//	   if (me == 1) a(i) = 0       an error, if it is
//	end do
package images

import (
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// Info holds the facts about one program.
type Info struct {
	mapped  map[ir.Stmt]bool // mentions a distributed array, itself or inside
	differs map[ir.Stmt]bool // something in it differs among images, or goes between them
}

// Mapped reports whether s, or a statement inside, mentions a distributed array.
func (in *Info) Mapped(s ir.Stmt) bool { return in.mapped[s] }

// Differs reports whether s, or a statement inside, does something that is not the
// same on all images: with values that differ, or to other images.
func (in *Info) Differs(s ir.Stmt) bool { return in.differs[s] }

// Analyze computes the facts about p, with mappings; nil if p has no coarrays, or
// no distributed array.
func Analyze(p *ir.Program) *Info {
	return analyze(p, nil)
}

// Check reports the uses of distributed arrays that are not the same on all images.
func Check(p *ir.Program, diags *source.List) { analyze(p, diags) }

func analyze(p *ir.Program, diags *source.List) *Info {
	if !p.SPMD || !distributes(p) {
		return nil
	}
	in := &Info{mapped: map[ir.Stmt]bool{}, differs: map[ir.Stmt]bool{}}
	in.findMapped(p.Body)
	w := &walker{in: in, reported: map[reason]bool{}, divergent: map[ir.Stmt]source.Pos{}, jumps: map[ir.Stmt]state{}}
	for {
		before := len(w.divergent)
		w.block(p.Body, state{}, control{})
		if len(w.divergent) == before {
			break
		}
	}
	if diags != nil {
		w.diags = diags
		w.block(p.Body, state{}, control{})
		diags.Unique()
		diags.Sort()
	}
	return in
}

func distributes(p *ir.Program) bool {
	for _, s := range p.Symbols {
		if s.Distributed() {
			return true
		}
	}
	return false
}

// findMapped reports whether a statement of body mentions a distributed array.
func (in *Info) findMapped(body []ir.Stmt) bool {
	any := false
	for _, s := range body {
		found := mentionsMapped(s) != nil
		for _, b := range ir.Bodies(s) {
			found = in.findMapped(b) || found
		}
		in.mapped[s] = found
		any = any || found
	}
	return any
}

// mentionsMapped is a distributed array that s itself mentions.
func mentionsMapped(s ir.Stmt) *ir.Symbol {
	for _, r := range ir.Refs(s) {
		if r.Sym.Distributed() {
			return r.Sym
		}
	}
	for _, sec := range sections(s) {
		if sec.Sym.Distributed() {
			return sec.Sym
		}
	}
	return nil
}

func sections(s ir.Stmt) []*ir.Section {
	var list []*ir.Section
	switch s := s.(type) {
	case *ir.Transfer:
		list = append(list, s.Local, s.Remote)
	case *ir.Collective:
		list = append(list, s.Part)
	case *ir.Sync:
		list = append(list, s.Set)
	}
	var some []*ir.Section
	for _, sec := range list {
		if sec != nil {
			some = append(some, sec)
		}
	}
	return some
}

// state is the scalars and arrays whose values may differ. Coarrays always do.
type state map[*ir.Symbol]bool

func (s state) union(o state) (grew bool) {
	for sym := range o {
		if !s[sym] {
			s[sym], grew = true, true
		}
	}
	return grew
}

// control says whether all images execute a statement; if not, why is the place
// that parts them.
type control struct {
	apart bool
	why   source.Pos
}

// walker follows the program. Loops that some images may leave before others are
// divergent; which those are is found in as many walks as it takes.
type walker struct {
	in        *Info
	divergent map[ir.Stmt]source.Pos
	jumps     map[ir.Stmt]state // what differs where EXIT and CYCLE leave for a loop
	around    []ir.Stmt
	diags     *source.List
	reported  map[reason]bool
}

// value reports whether e may differ among images.
func value(e ir.Expr, st state) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			found = found || st[e.Sym]
		case *ir.Ref:
			found = found || e.Sym.Coarray || st[e.Sym]
		case *ir.CoRef:
			found = true
		case *ir.Call:
			found = found || e.Name == "this_image"
		}
		return !found
	})
	return found
}

func anyValue(list []ir.Expr, st state) bool {
	for _, e := range list {
		if value(e, st) {
			return true
		}
	}
	return false
}

func (w *walker) block(body []ir.Stmt, st state, c control) state {
	outside := c
	for _, s := range body {
		if y, ok := s.(*ir.Sync); ok {
			switch y.Kind {
			case ir.ChangeTeam:
				if !c.apart {
					c = control{true, s.Position()}
				}
			case ir.EndTeam:
				c = outside
			}
		}
		st = w.stmt(s, st, c)
	}
	return st
}

// note takes down that something differs in s.
func (w *walker) note(s ir.Stmt, differs bool) {
	if differs {
		w.in.differs[s] = true
	}
}

// stmt returns what differs behind s.
func (w *walker) stmt(s ir.Stmt, st state, c control) state {
	w.note(s, c.apart)
	if w.diags != nil {
		w.check(s, st, c)
	}
	switch s := s.(type) {
	case *ir.Assign:
		w.note(s, anyValue(operands(s), st) || coarray(ir.Target(s.LHS)))
		w.assign(ir.Target(s.LHS), isVar(s.LHS), st, c.apart || anyValue(operands(s), st))
	case *ir.If:
		inner := c
		if value(s.Cond, st) && !c.apart {
			inner = control{true, s.Pos}
		}
		w.note(s, inner.apart)
		other := maps.Clone(st)
		st = w.block(s.Then, st, inner)
		st.union(w.block(s.Else, other, inner))
		w.inside(s)
	case *ir.Do:
		bounds := anyValue([]ir.Expr{s.Lo, s.Hi, s.Step}, st)
		w.note(s, bounds)
		return w.loop(s, s.Index, s.Body, st, c, bounds)
	case *ir.While:
		return w.loop(s, nil, s.Body, st, c, value(s.Cond, st))
	case *ir.Exit:
		w.jump(s.Loop, st, c)
	case *ir.Cycle:
		w.jump(s.Loop, st, c)
	case *ir.Read:
		w.note(s, true)
		for _, v := range s.Items {
			st[v.Sym] = true
		}
		for _, got := range append(append(slices.Clone(s.Got), s.Vectors...), s.GotVectors...) {
			if got != nil {
				st[got] = true
			}
		}
		if s.Iostat != nil {
			st[s.Iostat] = true
		}
	case *ir.Collective:
		w.note(s, true)
		same := !c.apart && (s.Image == nil || s.Name == "co_broadcast") && !value(orNothing(s.Image), st)
		w.assign(s.Target(), isVar(s.Scalar) || whole(s.Part), st, !same)
	case *ir.Transfer:
		w.note(s, true)
		w.assign(s.Local.Sym, false, st, true)
	case *ir.Allocate:
		w.allocate(s, st, c)
	case *ir.Critical:
		w.note(s, true)
		inner := c
		if !c.apart {
			inner = control{true, s.Pos}
		}
		return w.block(s.Body, st, inner)
	default:
		w.note(s, true) // PRINT, STOP, SYNC
	}
	return st
}

// allocate takes ALLOCATE and DEALLOCATE: of an array with a mapping all images come to it,
// with the same bounds; any other is one that each image has for itself.
func (w *walker) allocate(s *ir.Allocate, st state, c control) {
	if !s.Sym.Distributed() {
		w.note(s, true)
		return
	}
	switch {
	case w.diags == nil || !c.apart && !anyValue(s.Ends, st) || !w.first(s.Sym, source.Pos{}):
	case c.apart:
		w.diags.Errorf(source.OutsideSubset, s.Pos, "not all images come to this allocation of %s, or not equally often", s.Sym.Source()).
			WithNote(s.Sym.Pos, "%s is distributed by a directive", s.Sym.Source()).
			WithNote(c.why, "here the images part").
			WithHelp("move it to where all images come")
	default:
		w.diags.Errorf(source.OutsideSubset, s.Pos, "the bounds of %s may differ among images", s.Sym.Source()).
			WithNote(s.Sym.Pos, "%s is distributed by a directive", s.Sym.Source()).
			WithHelp("compute them from what is the same on all images, such as the result of co_broadcast")
	}
}

// assign notes that sym has got a value; all says that this replaces all of it.
func (w *walker) assign(sym *ir.Symbol, all bool, st state, differs bool) {
	switch {
	case sym.Distributed():
	case differs:
		st[sym] = true
	case all:
		delete(st, sym)
	}
}

// loop goes round until nothing more is found to differ.
func (w *walker) loop(s ir.Stmt, index *ir.Symbol, body []ir.Stmt, st state, c control, parted bool) state {
	inner := c
	if !c.apart {
		if pos, ok := w.divergent[s]; ok {
			inner = control{true, pos}
		}
		if parted {
			inner = control{true, s.Position()}
		}
	}
	w.around = append(w.around, s)
	diags := w.diags
	w.diags = nil
	for {
		in := maps.Clone(st)
		if index != nil {
			w.assign(index, true, in, inner.apart)
		}
		if while, ok := s.(*ir.While); ok && !inner.apart && value(while.Cond, in) {
			inner = control{true, s.Position()}
		}
		w.jumps[s] = state{}
		out := w.block(body, in, inner)
		grew := st.union(out)
		if !st.union(w.jumps[s]) && !grew {
			break
		}
	}
	if w.diags = diags; diags != nil {
		in := maps.Clone(st)
		if index != nil {
			w.assign(index, true, in, inner.apart)
		}
		w.block(body, in, inner)
	}
	w.around = w.around[:len(w.around)-1]
	if index != nil {
		w.assign(index, true, st, inner.apart)
	}
	w.note(s, inner.apart)
	w.inside(s)
	return st
}

// jump notes an EXIT or CYCLE.
func (w *walker) jump(loop ir.Stmt, st state, c control) {
	if w.jumps[loop] != nil {
		w.jumps[loop].union(st)
	}
	if !c.apart {
		return
	}
	for k := len(w.around) - 1; k >= 0; k-- {
		if _, ok := w.divergent[w.around[k]]; !ok {
			w.divergent[w.around[k]] = c.why
		}
		if w.around[k] == loop {
			return
		}
	}
}

// inside takes down for s what was taken down for the statements inside.
func (w *walker) inside(s ir.Stmt) {
	for _, b := range ir.Bodies(s) {
		for _, x := range b {
			w.note(s, w.in.differs[x])
		}
	}
}

// operands are what decides about the value and the place of an assignment.
func operands(s *ir.Assign) []ir.Expr {
	list := []ir.Expr{s.RHS}
	switch l := s.LHS.(type) {
	case *ir.Ref:
		list = append(list, l.Subs...)
	case *ir.CoRef:
		list = append(append(list, l.Subs...), l.Image)
	}
	return list
}

func coarray(s *ir.Symbol) bool { return s != nil && s.Coarray }

func isVar(e ir.Expr) bool { _, ok := e.(*ir.Var); return ok }

func orNothing(e ir.Expr) ir.Expr {
	if e == nil {
		return &ir.Const{}
	}
	return e
}

// whole reports whether a section is all of its array.
func whole(s *ir.Section) bool {
	if s == nil {
		return false
	}
	for k, d := range s.Dims {
		lo, okLo := d.Lo.(*ir.Const)
		if d.N == nil || !okLo || lo.Int != s.Sym.Dims[k].Lo {
			return false
		}
		n, okN := d.N.(*ir.Const)
		if !okN || n.Int != s.Sym.Dims[k].Extent() {
			return false
		}
	}
	return true
}
