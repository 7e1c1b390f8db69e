package codegen

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// With --fp=strict a kernel adds the terms of a sum of reals to one value, in the order of
// the source. Each call gets that value and returns it:
//
//	kernelArgs1.n, kernelArgs1.x1, kernelArgs1.r1 = nT, uN1, s
//	kernelL12(&kernelArgs1)
//	s = kernelArgs1.r1
//
// So a loop without iterations changes nothing, and a loop in pieces is as good as a whole
// one. Where several iterations of the loop around are computed at once, each has a value of
// its own, which it has begun with in front of the kernel.

// orderedValues are the fields of the argument that give a call the values of ordered sums.
func (v *vectorLoop) orderedValues() (fields [][2]string) {
	v.ofOrdered(func(name, value string) { fields = append(fields, [2]string{name, value}) }, false)
	return fields
}

// takeOrdered emits that the sums have the values that a call has returned.
func (v *vectorLoop) takeOrdered() {
	g := v.leaf.g
	v.ofOrdered(func(name, value string) { g.out.p("%s = %s.%s", value, v.args, name) }, true)
}

// ofOrdered calls f with the name of each ordered reduction, and its sum as what is loaded
// or assigned.
func (v *vectorLoop) ofOrdered(f func(name, value string), assigned bool) {
	g := v.leaf.g
	for i, s := range v.sums {
		r := v.k.Reductions[i]
		if !r.Ordered {
			continue
		}
		g.out.at = s.line
		f(r.Name, v.jam.named(g, s.copy, func() string {
			switch {
			case s.ref != nil:
				return g.element(s.ref, assigned)
			case assigned:
				return g.scalar(s.sym)
			}
			return g.load(&ir.Var{X: ir.X{Typ: s.sym.Type}, Sym: s.sym})
		}))
	}
}

// keepsOrder reports whether iterations of the loop around may be computed at once as far as
// ordered sums go: none is one sum over several of them.
func (v *vectorLoop) keepsOrder(n nest) bool {
	for i, s := range v.sums {
		if v.k.Reductions[i].Ordered && s.ref == nil && v.leaf.g.prog.Info.Class(n.o, s.sym) == scalar.Reduced {
			return false
		}
	}
	return true
}
