package randprog

import (
	"fmt"
)

// epilogue ends the input with a list of unknown length, now and then.
func (g *gen) epilogue(u *unit) {
	if !u.chance(1, 4) {
		return
	}
	x := g.private(realKind, "tr", tempTier)
	ios := g.private(intKind, "ios", tier{})
	s := g.scalarVar(realKind, "s", "0.0d0", tier{})
	m := g.scalarVar(intKind, "m", "0", tier{})
	g.body = append(g.body, "! the rest of the input",
		"do",
		fmt.Sprintf("   read (*, *, iostat=%s) %s", ios.name, x.name),
		fmt.Sprintf("   if (%s /= 0) exit", ios.name),
		fmt.Sprintf("   %s = %s + %s", s.name, s.name, x.name),
		fmt.Sprintf("   %s = %s + 1", m.name, m.name),
		"end do")
	for range u.pick(4) {
		g.input = append(g.input, oneOf(u, "1.5", "2", "-0.25"))
	}
	g.feat("read:to the end of input")
}

// output prints what the program computed: for every array a checksum in which
// each element has a weight of its own, and elements; then the scalars.
func (g *gen) output(u *unit) []string {
	var out []string
	sum := ""
	counts := ""
	for _, a := range g.arrays {
		if a.empty || a.private || a.own {
			continue
		}
		if a.special {
			out = append(out, g.specialOutput(a)...)
			continue
		}
		ref := fmt.Sprintf("%s(%s)", a.name, subscripts(a.rank()))
		weight := "abs(i)"
		switch a.rank() {
		case 2:
			weight = "abs(i + 2*j)"
		case 3:
			weight = "abs(i + 2*j + 3*k)"
		}
		weight = fmt.Sprintf("(1 + mod(%s, 7))", weight)
		switch {
		case a.rank() == 1 && a.elements() <= 12 && u.chance(1, 3):
			out = append(out, fmt.Sprintf("print *, '%s', (%s(i), i = %d, %s)", a.name, a.name, a.dims[0].lo, g.spell(u, a.dims[0].hi)))
			continue
		case a.kind == complexKind:
			check := g.private(complexKind, "zcheck", tier{}).name
			out = append(out, check+" = (0.0d0, 0.0d0)")
			out = append(out, g.allElements(a, fmt.Sprintf("%s = %s + dble%s*%s", check, check, weight, ref))...)
			out = append(out, fmt.Sprintf("print *, '%s', %s", a.name, check))
		case a.kind == realKind:
			if sum == "" {
				sum = g.private(realKind, "check", tier{}).name
			}
			term := ref
			if a.single {
				term = "dble(" + ref + ")"
			}
			out = append(out, sum+" = 0.0d0")
			out = append(out, g.allElements(a, fmt.Sprintf("%s = %s + %s*dble%s", sum, sum, term, weight))...)
			out = append(out, fmt.Sprintf("print *, '%s', %s", a.name, sum))
		case a.long:
			long := g.private(intKind, "lcheck", tier{})
			long.decl = "integer(8)"
			out = append(out, long.name+" = 0")
			out = append(out, g.allElements(a, fmt.Sprintf("%s = %s + mod(%s, 1000000007_8)*%s", long.name, long.name, ref, weight))...)
			out = append(out, fmt.Sprintf("print *, '%s', %s", a.name, long.name))
		case a.kind == intKind:
			if counts == "" {
				counts = g.private(intKind, "icheck", tier{}).name
			}
			out = append(out, counts+" = 0")
			out = append(out, g.allElements(a, fmt.Sprintf("%s = %s + %s*%s", counts, counts, ref, weight))...)
			out = append(out, fmt.Sprintf("print *, '%s', %s", a.name, counts))
		default:
			if counts == "" {
				counts = g.private(intKind, "icheck", tier{}).name
			}
			out = append(out, counts+" = 0")
			out = append(out, g.allElements(a, fmt.Sprintf("if (%s) %s = %s + %s", ref, counts, counts, weight))...)
			out = append(out, fmt.Sprintf("print *, '%s', %s", a.name, counts))
		}
		var first, last string
		for d, b := range a.dims {
			if d > 0 {
				first, last = first+", ", last+", "
			}
			first += fmt.Sprint(b.lo)
			last += g.spell(u, b.hi)
		}
		out = append(out, fmt.Sprintf("print *, %s(%s), %s(%s)", a.name, first, a.name, last))
	}
	for _, s := range g.scalars {
		if !s.private {
			out = append(out, fmt.Sprintf("print *, '%s', %s", s.name, s.name))
		}
	}
	return out
}
