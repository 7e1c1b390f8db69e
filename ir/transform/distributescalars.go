package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// scalars ties the parts between which scalars carry values, and finds the free
// parts.
//
// Nothing expands a scalar to one value per iteration: the statement that
// assigns it and those that use that value stay in one loop. A scalar that an
// iteration keeps to itself may be used for several purposes in turn; each is
// tied on its own.
func (d *distribution) scalars() {
	a := d.a
	d.uses = map[int][]int{}
	type need struct {
		part int
		sym  *ir.Symbol
		from []int
	}
	var needs []need
	sure := map[int]bool{} // parts whose values all their users know to be from there alone
	for i, p := range d.parts {
		sure[i] = p.totals == nil && d.movable(p.stmt)
	}
	for _, sym := range d.modified() {
		if a.info.Class(d.loop, sym) != scalar.Private || !d.local(sym) {
			var parts []int
			for i, p := range d.parts {
				if p.mentions(sym) {
					parts = append(parts, i)
					sure[i] = false
				}
			}
			d.together(parts, fmt.Sprintf("%s keeps its value from one iteration to the next, or for use behind the loop", sym.Name))
			continue
		}
		for i, p := range d.parts {
			if from := d.sources(i, sym); p.exposes(sym) {
				needs = append(needs, need{i, sym, from})
				if len(from) > 1 {
					for _, f := range from {
						sure[f] = false
					}
				}
			}
		}
	}
	// A free part may use values of free parts only.
	for again := true; again; {
		again = false
		for _, n := range needs {
			if sure[n.part] && !sure[n.from[0]] {
				sure[n.part], again = false, true
			}
		}
	}
	for i := range d.n {
		if sure[i] {
			d.free[i] = nil
		}
	}
	for _, n := range needs {
		if _, ok := d.free[n.from[0]]; ok {
			d.uses[n.part] = append(d.uses[n.part], n.from[0])
			continue
		}
		d.together(append(n.from, n.part), fmt.Sprintf("%s has a value of its own in each iteration, from line %d to line %d", n.sym.Name, d.line(n.from[0]), d.line(n.part)))
	}
	// A value that no part uses is computed where it stands.
	used := map[int]bool{}
	var mark func(i int)
	mark = func(i int) {
		for _, f := range d.uses[i] {
			used[f] = true
			mark(f)
		}
	}
	for i := range d.n {
		if _, ok := d.free[i]; !ok {
			mark(i)
		}
	}
	for i := range d.n {
		if _, ok := d.free[i]; ok && !used[i] {
			delete(d.free, i)
		}
	}
}

// modified lists the scalars that the body assigns, by name.
func (d *distribution) modified() []*ir.Symbol {
	var list []*ir.Symbol
	for sym := range d.a.info.Modified(d.loop) {
		if !sym.IsArray() && sym != d.loop.Index {
			list = append(list, sym)
		}
	}
	slices.SortFunc(list, func(x, y *ir.Symbol) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// local reports whether each use of sym certainly sees a value of its own
// iteration. A NEW clause may say less.
func (d *distribution) local(sym *ir.Symbol) bool {
	for i, p := range d.parts {
		if !p.exposes(sym) {
			continue
		}
		from := d.sources(i, sym)
		if len(from) == 0 || !d.parts[from[0]].assigns(sym) {
			return false
		}
	}
	return true
}

// sources are the parts before part i whose value of sym it may see: those that
// may assign it, back to the nearest that surely does, which comes first.
func (d *distribution) sources(i int, sym *ir.Symbol) []int {
	var from []int
	for k := i - 1; k >= 0; k-- {
		p := d.parts[k]
		if !d.modifies(p, sym) {
			continue
		}
		from = append(from, k)
		if p.assigns(sym) {
			break
		}
	}
	slices.Reverse(from)
	return from
}

// modifies reports whether p may change sym.
func (d *distribution) modifies(p part, sym *ir.Symbol) bool {
	if p.totals != nil {
		return p.totals.sym == sym
	}
	return !p.expands(sym) && d.a.info.Modified(p.stmt)[sym]
}
