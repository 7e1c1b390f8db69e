package randprog

import "fmt"

// functionForms are the variants of functions.
var functionForms = []string{
	"function:exp", "function:log", "function:log10", "function:sin", "function:cos", "function:tan", "function:asin", "function:acos",
	"function:atan", "function:atan2", "function:sinh", "function:cosh", "function:tanh", "function:power", "function:whole power",
	"function:floor", "function:ceiling", "function:nint", "function:anint", "function:dim", "function:modulo", "function:modulo of integers",
	"function:of a large angle", "function:in place", "function:under an IF", "function:under a LOGICAL",
}

// functions computes with functions of reals. Their values are irrational, or such of small
// numbers that are exact; they are cut to few digits at once, a little beside the steps.
func functions(k *kern) {
	u := k.u
	rank := 1 + u.pick(2)
	vs := k.vars(rank)
	a, b := k.arr(realKind, rank), k.arr(realKind, rank)
	if u.chance(1, 4) {
		b = a
		k.feat("function:in place")
	}
	n := k.arr(intKind, rank)
	lhs, x, y := k.ref(a, vs), k.ref(b, vs).text, k.ref(b, vs).text
	m := k.ref(n, vs).text
	f := func(name, text string, bound int) val {
		k.feat("function:" + name)
		return val{text: "aint(64.0d0*" + text + " + 0.03d0)*0.015625d0", frac: 6, bound: bound + 1, loose: true}
	}
	exact := func(name, text string, v val) val {
		k.feat("function:" + name)
		v.text, v.loose = text, false
		return v
	}
	xv := k.ref(b, vs)
	whole := val{bound: xv.bound + 1}
	one := func() val {
		switch u.pick(22) {
		case 0:
			return f("exp", fmt.Sprintf("exp(mod(%s, 4.0d0))", x), 55)
		case 1:
			return f("log", fmt.Sprintf("log(abs(%s) + 1.25d0)", x), 64)
		case 2:
			return f("log10", fmt.Sprintf("log10(abs(%s) + 1.25d0)", x), 64)
		case 3:
			return f("sin", fmt.Sprintf("sin(%s)", x), 1)
		case 4:
			return f("cos", fmt.Sprintf("cos(%s)", x), 1)
		case 5:
			return f("tan", fmt.Sprintf("atan(tan(%s))", x), 2)
		case 6:
			return f("asin", fmt.Sprintf("asin(mod(%s, 1.0d0))", x), 2)
		case 7:
			return f("acos", fmt.Sprintf("acos(mod(%s, 1.0d0))", x), 4)
		case 8:
			return f("atan", fmt.Sprintf("atan(%s)", x), 2)
		case 9:
			return f("atan2", fmt.Sprintf("atan2(%s, %s + 0.375d0)", x, y), 4)
		case 10:
			return f("sinh", fmt.Sprintf("sinh(mod(%s, 4.0d0))", x), 28)
		case 11:
			return f("cosh", fmt.Sprintf("cosh(mod(%s, 4.0d0))", x), 28)
		case 12:
			return f("tanh", fmt.Sprintf("tanh(%s)", x), 1)
		case 13:
			return f("power", fmt.Sprintf("(abs(mod(%s, 8.0d0)) + 0.625d0)**mod(%s, 3.0d0)", x, y), 700)
		case 14:
			return f("whole power", fmt.Sprintf("(abs(mod(%s, 2.0d0)) + 0.625d0)**mod(%s, 4)", x, m), 64)
		case 15:
			return exact("floor", fmt.Sprintf("dble(floor(%s))", x), whole)
		case 16:
			return exact("ceiling", fmt.Sprintf("dble(ceiling(%s))", x), whole)
		case 17:
			return exact("nint", fmt.Sprintf("dble(nint(%s))", x), whole)
		case 18:
			return exact("anint", fmt.Sprintf("anint(%s)", x), whole)
		case 19:
			return exact("dim", fmt.Sprintf("dim(%s, 1.5d0)", x), val{frac: max(xv.frac, 1), bound: xv.bound + 2})
		case 20:
			return exact("modulo", fmt.Sprintf("modulo(%s, %s)", x, oneOf(u, "3.0d0", "-2.5d0")), val{frac: max(xv.frac, 1), bound: 3})
		}
		return f("of a large angle", fmt.Sprintf("%s(%s*68719476736.0d0)", oneOf(u, "sin", "cos"), x), 1)
	}
	e := one()
	for range 5 + u.pick(4) {
		e = u.narrow(sum("+", e, one()))
	}
	lines := []string{k.set(a, lhs, e)}
	switch u.pick(4) {
	case 0:
		k.feat("function:under an IF")
		lines = ifBlock(u.compare(k.ref(n, vs)).text, lines, nil)
	case 1:
		k.feat("function:under a LOGICAL")
		lines = ifBlock(k.ref(k.arr(logKind, rank), vs).text, lines, nil)
	}
	if u.chance(1, 3) {
		k.feat("function:modulo of integers")
		lines = append(lines, k.set(n, k.ref(n, vs), val{text: fmt.Sprintf("modulo(%s, %d)", m, oneOf(u, 5, 3, -7)), kind: intKind, bound: 7}))
	}
	k.emit(k.nest(vs, lines, how{parallel: true})...)
}
