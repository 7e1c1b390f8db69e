package scalar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// mostCases is how many cases are told apart.
const mostCases = 16

// Cases lists the values that INTEGER scalars may have together in front of s, a
// statement of the program: in each case all forms are 0. So behind
//
//	o = 1
//	do t = 1, n
//	   w = 3 - o
//	   ...
//	   o = w
//	end do
//
// the cases of o and w are {o - 1, w - 2} and {o - 2, w - 1}. A scalar of which only
// the residue is known equals a multiple of a variable that stands for nothing else.
// Where nothing is known there are no cases.
func (in *Info) Cases(s ir.Stmt, names []string) [][]linalg.Affine {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > mostScalars {
		return nil
	}
	var syms []*ir.Symbol
	for _, sym := range in.scalarsNamed(names) {
		if sym == nil {
			return nil
		}
		syms = append(syms, sym)
	}
	w := in.follow(strings.Join(names, " "), syms)
	if w == nil || w.values.sets == nil {
		return nil
	}
	step, ok := w.before[s]
	for !ok && s != nil {
		// Nothing inside of a statement that is left out changes the scalars.
		s = in.places.around[s]
		step, ok = w.before[s]
	}
	if !ok {
		return nil
	}
	var keys []state // the values of syms alone
	for st := range w.values.sets[step] {
		var key state
		for i, sym := range syms {
			if k, ok := w.values.index[sym]; ok {
				key[i] = st[k]
			}
		}
		if key == (state{}) {
			return nil
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) > mostCases {
		return nil
	}
	slices.SortFunc(keys, state.compare)
	cases := make([][]linalg.Affine, len(keys))
	for c, key := range keys {
		for i, sym := range syms {
			if key[i].kind != unknown {
				cases[c] = append(cases[c], w.values.form(sym.Name, key[i]))
			}
		}
	}
	return cases
}

// form is 0 if the scalar called name is x.
func (m numbers) form(name string, x number) linalg.Affine {
	f := linalg.Var(name)
	if x.kind == residue {
		f, _ = f.Sub(linalg.Term(m.modulus, name+"/"+strconv.FormatInt(m.modulus, 10)))
	}
	f, _ = f.Sub(linalg.Const(x.value))
	return f
}

// places are where scalars are assigned.
type places struct {
	around map[ir.Stmt]ir.Stmt      // the statement that a statement is in
	sets   map[*ir.Symbol][]ir.Stmt // of INTEGER scalars
	jumps  map[ir.Stmt][]ir.Stmt    // EXIT and CYCLE, by loop
	stops  []ir.Stmt
	named  map[string]*ir.Symbol // INTEGER scalars; nil if two have the name
}

// place finds them. The program may have changed since Analyze saw it: then there are
// none, as of new statements nothing is known.
func (in *Info) place() *places {
	p := &places{around: map[ir.Stmt]ir.Stmt{}, sets: map[*ir.Symbol][]ir.Stmt{}, jumps: map[ir.Stmt][]ir.Stmt{}, named: map[string]*ir.Symbol{}}
	for _, sym := range in.prog.Symbols {
		if sym.Type.IsInteger() && !sym.IsArray() && !sym.Param {
			_, twice := p.named[sym.Name]
			if p.named[sym.Name] = sym; twice {
				p.named[sym.Name] = nil
			}
		}
	}
	changed := false
	ir.Walk(in.prog.Body, func(s ir.Stmt) bool {
		if _, ok := in.modified[s]; !ok {
			changed = true
		}
		for _, b := range ir.Bodies(s) {
			for _, inner := range b {
				p.around[inner] = s
			}
		}
		for _, sym := range ir.Assigned(s) {
			if sym.Type.IsInteger() && !sym.IsArray() {
				p.sets[sym] = append(p.sets[sym], s)
			}
		}
		switch j := s.(type) {
		case *ir.Exit:
			p.jumps[j.Loop] = append(p.jumps[j.Loop], s)
		case *ir.Cycle:
			p.jumps[j.Loop] = append(p.jumps[j.Loop], s)
		case *ir.Stop:
			p.stops = append(p.stops, s)
		}
		return true
	})
	if changed {
		p.named = nil
	}
	return p
}

func (in *Info) scalarsNamed(names []string) []*ir.Symbol {
	if in.places == nil {
		in.places = in.place()
	}
	syms := make([]*ir.Symbol, len(names))
	for i, name := range names {
		syms[i] = in.places.named[name]
	}
	return syms
}

// followed are the values of some scalars.
type followed struct {
	before map[ir.Stmt]int // the step in front of a statement
	values *Values
}

// follow makes the flow of syms and what they are computed from; nil if that changes
// in too many places.
func (in *Info) follow(key string, syms []*ir.Symbol) *followed {
	w, ok := in.followed[key]
	if ok {
		return w
	}
	p := in.places
	list := origins(syms, func(sym *ir.Symbol) (out []ir.Expr) {
		for _, s := range p.sets[sym] {
			switch s := s.(type) {
			case *ir.Assign:
				out = append(out, s.RHS)
			case *ir.Do:
				out = append(out, s.Lo)
			}
		}
		return out
	})
	b := &flowBuilder{in: in, flow: &Flow{}, before: map[ir.Stmt]int{}, kept: p.kept(list), exits: map[ir.Stmt]int{}, cycles: map[ir.Stmt]int{}}
	b.block(in.prog.Body, b.flow.Add())
	w = &followed{before: b.before, values: b.flow.Values(syms)}
	in.followed[key] = w
	return w
}

// kept are the statements that have a part in the values of the scalars of list: their
// assignments, what surrounds these, and the ways out of that.
func (p *places) kept(list []*ir.Symbol) map[ir.Stmt]bool {
	kept := map[ir.Stmt]bool{}
	var work []ir.Stmt
	keep := func(s ir.Stmt) {
		for ; s != nil && !kept[s]; s = p.around[s] {
			kept[s] = true
			work = append(work, s)
		}
	}
	for _, sym := range list {
		for _, s := range p.sets[sym] {
			keep(s)
		}
	}
	if len(kept) > 0 {
		for _, s := range p.stops {
			keep(s)
		}
	}
	for len(work) > 0 {
		loop := work[len(work)-1]
		work = work[:len(work)-1]
		for _, j := range p.jumps[loop] {
			keep(j)
		}
	}
	return kept
}

// flowBuilder makes a flow of the statements kept. A step that control has come to does
// nothing yet; -1 is no such step.
type flowBuilder struct {
	in            *Info
	flow          *Flow
	before        map[ir.Stmt]int
	kept          map[ir.Stmt]bool
	exits, cycles map[ir.Stmt]int // by loop: where these jumps lead
}

func (b *flowBuilder) block(body []ir.Stmt, here int) int {
	for _, s := range body {
		if here < 0 {
			break
		}
		b.before[s] = here
		if b.kept[s] {
			here = b.stmt(s, here)
		}
	}
	return here
}

// link lets control go from a step, if there is one.
func (b *flowBuilder) link(from, to int) {
	if from >= 0 {
		b.flow.Link(from, to)
	}
}

// stmt returns the step behind s.
func (b *flowBuilder) stmt(s ir.Stmt, here int) int {
	f := b.flow
	switch s := s.(type) {
	case *ir.Assign:
		if v, ok := s.LHS.(*ir.Var); ok && v.Typ.IsInteger() {
			return f.Then(here, Set, v.Sym, s.RHS)
		}
	case *ir.If:
		then, other, behind := f.Add(), f.Add(), f.Add()
		f.Link(here, then)
		f.Link(here, other)
		b.link(b.block(s.Then, f.Then(then, Hold, nil, s.Cond)), behind)
		b.link(b.block(s.Else, f.Then(other, Fail, nil, s.Cond)), behind)
		return behind
	case *ir.Do:
		first := f.Then(here, Begin, s.Index, s.Lo)
		test, body, next, behind := f.Add(), f.Add(), f.Add(), f.Add()
		b.exits[s], b.cycles[s] = behind, next
		if b.in.bounds[s].Runs() {
			f.Link(first, body)
		} else {
			f.Link(first, test)
		}
		f.Link(test, body)
		f.Link(test, behind)
		b.link(b.block(s.Body, body), next)
		b.link(f.Then(next, Advance, s.Index, s.Step), test)
		return behind
	case *ir.While:
		test, body, out, behind := f.Add(), f.Add(), f.Add(), f.Add()
		b.exits[s], b.cycles[s] = behind, test
		f.Link(here, test)
		f.Link(test, body)
		f.Link(test, out)
		b.link(b.block(s.Body, f.Then(body, Hold, nil, s.Cond)), test)
		b.link(f.Then(out, Fail, nil, s.Cond), behind)
		return behind
	case *ir.Critical:
		return b.block(s.Body, here)
	case *ir.Exit:
		b.link(here, b.exits[s.Loop])
		return -1
	case *ir.Cycle:
		b.link(here, b.cycles[s.Loop])
		return -1
	case *ir.Stop:
		return -1
	}
	for _, sym := range ir.Assigned(s) {
		if sym.Type.IsInteger() && !sym.IsArray() {
			here = f.Then(here, Forget, sym, nil)
		}
	}
	return here
}
