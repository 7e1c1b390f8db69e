package randprog

import (
	"fmt"
	"math/bits"
	"strings"
)

// kind is the type of a value.
type kind int

const (
	realKind kind = iota
	intKind
	logKind
	complexKind
)

// val is an expression with what is known of its value: a real value is a
// multiple of 2**-frac and at most bound in absolute value, an integer at most
// bound. With few enough bits every operation is exact, so that neither the
// order of a reduction nor a fused multiply-add can change a digit.
type val struct {
	text  string
	kind  kind
	frac  int
	bound int
	loose bool // an operator outside all parentheses
}

// size is the number of bits that hold every possible value.
func (v val) size() int { return v.frac + bits.Len(uint(v.bound)) }

// exactBits is less than the 53 of a double: room for a sum of 2**10 of them.
const exactBits = 42

// paren returns the text as an operand.
func (v val) paren() string {
	if v.loose || strings.HasPrefix(v.text, "-") {
		return "(" + v.text + ")"
	}
	return v.text
}

// tier is the fixed invariant of a variable: all values ever stored keep it.
type tier struct{ frac, bound int }

// dyadic writes x/2**frac as a double precision literal.
func dyadic(x, frac int) string {
	s := fmt.Sprintf("%.12f", float64(x)/float64(int(1)<<frac))
	s = strings.TrimRight(s, "0")
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	return s + "d0"
}

// fit wraps v so that it may be stored in a variable of tier t.
func (u *unit) fit(v val, t tier) val {
	if v.kind == intKind {
		if v.bound > t.bound {
			v = val{text: fmt.Sprintf("mod(%s, %d)", v.text, t.bound+1), kind: intKind, bound: t.bound}
		}
		return v
	}
	if v.kind == logKind {
		return v
	}
	if v.frac > t.frac {
		scale := dyadic(1<<t.frac, 0)
		round := oneOf(u, "aint", "anint")
		v = val{text: fmt.Sprintf("%s(%s*%s)*%s", round, v.paren(), scale, dyadic(1, t.frac)), frac: t.frac, bound: v.bound + 1, loose: true}
	}
	if v.bound > t.bound {
		b := dyadic(t.bound, 0)
		if u.chance(1, 4) {
			v.text = fmt.Sprintf("max(-%s, min(%s, %s))", b, b, v.text)
		} else {
			v.text = fmt.Sprintf("mod(%s, %s)", v.text, b)
		}
		v.bound, v.loose = t.bound, false
	}
	return v
}

// small narrows v to few bits, for a factor of a product.
func (u *unit) small(v val) val {
	if v.kind == intKind {
		return u.fit(v, tier{bound: 12})
	}
	return u.fit(v, tier{frac: 3, bound: 16})
}

func sum(op string, x, y val) val {
	r := y.text
	if op == "-" || strings.HasPrefix(r, "-") {
		r = y.paren()
	}
	return val{text: x.text + " " + op + " " + r, kind: x.kind, frac: max(x.frac, y.frac), bound: x.bound + y.bound, loose: true}
}

func product(x, y val) val {
	return val{text: x.paren() + "*" + y.paren(), kind: x.kind, frac: x.frac + y.frac, bound: x.bound * y.bound, loose: true}
}

// scaled returns 2**-by times v.
func scaled(v val, by int) val {
	return val{text: dyadic(1, by) + "*" + v.paren(), frac: v.frac + by, bound: v.bound>>by + 1, loose: true}
}

func extremum(name string, list ...val) val {
	r := val{kind: list[0].kind}
	var args []string
	for _, v := range list {
		args = append(args, v.text)
		r.frac, r.bound = max(r.frac, v.frac), max(r.bound, v.bound)
	}
	r.text = name + "(" + strings.Join(args, ", ") + ")"
	return r
}

// narrow keeps an intermediate result exact.
func (u *unit) narrow(v val) val {
	if v.kind == intKind {
		return u.fit(v, tier{bound: 1 << 20})
	}
	if v.size() > exactBits {
		return u.fit(v, tier{frac: 10, bound: 1 << 12})
	}
	return v
}

// combine makes one expression of real or integer operands, each used once.
// All have the same kind.
func (u *unit) combine(list []val) val {
	if len(list) == 1 {
		return u.unary(list[0])
	}
	real := list[0].kind == realKind
	switch u.pick(6) {
	case 0:
		s := list[0]
		for _, v := range list[1:] {
			s = u.narrow(sum("+", s, v))
		}
		if real {
			return scaled(s, bits.Len(uint(len(list)-1)))
		}
		return s
	case 1:
		return extremum(oneOf(u, "max", "min"), list...)
	case 2:
		s := list[0]
		for _, v := range list[1:] {
			s = u.narrow(sum(oneOf(u, "-", "+"), s, v))
		}
		return s
	case 3:
		s := product(u.small(list[0]), u.small(list[1]))
		for _, v := range list[2:] {
			s = u.narrow(sum(oneOf(u, "+", "-"), s, v))
		}
		return s
	case 4:
		if real {
			return u.narrow(sum("+", scaled(list[0], 1), scaled(u.combine(list[1:]), 1)))
		}
		return u.narrow(sum("-", val{text: "2*" + list[0].paren(), kind: intKind, bound: 2 * list[0].bound, loose: true}, u.combine(list[1:])))
	}
	cut := 1 + u.pick(len(list)-1)
	l, r := u.combine(list[:cut]), u.combine(list[cut:])
	switch u.pick(5) {
	case 0:
		return u.narrow(sum("+", l, r))
	case 1:
		return u.narrow(sum("-", l, r))
	case 2:
		return extremum("max", l, r)
	case 3:
		return product(u.small(l), u.small(r))
	}
	return extremum("min", l, r)
}

// unary applies an intrinsic or a small constant now and then.
func (u *unit) unary(v val) val {
	call := func(name string) val {
		return val{text: name + "(" + v.text + ")", kind: v.kind, frac: v.frac, bound: v.bound}
	}
	if v.kind == intKind {
		switch u.pick(8) {
		case 1:
			return u.narrow(sum("+", v, number(intKind, 1+u.pick(5))))
		case 2:
			return call("abs")
		case 3:
			return val{text: fmt.Sprintf("mod(%s, %d)", v.text, 7), kind: intKind, bound: 6}
		case 4:
			return val{text: fmt.Sprintf("%s/%d", v.paren(), 2+u.pick(3)), kind: intKind, bound: v.bound, loose: true}
		case 5:
			return val{text: "-" + v.paren(), kind: intKind, bound: v.bound, loose: true}
		case 6:
			return val{text: fmt.Sprintf("sign(3, %s)", v.text), kind: intKind, bound: 3}
		}
		return v
	}
	switch u.pick(12) {
	case 1:
		return u.narrow(sum("+", v, number(realKind, 1+u.pick(5))))
	case 2:
		return call("abs")
	case 3:
		return val{text: "mod(" + v.text + ", 5.0d0)", frac: v.frac, bound: 5}
	case 4:
		return scaled(v, 1)
	case 5:
		return val{text: "-" + v.paren(), frac: v.frac, bound: v.bound, loose: true}
	case 6:
		// The sum is never a negative zero, whose sign max and min may lose.
		return val{text: "sign(1.5d0, " + v.text + " + 0.5d0)", frac: 1, bound: 2}
	case 7:
		// Correctly rounded everywhere, and cut to few digits at once.
		return val{text: "aint(8.0d0*sqrt(abs(" + v.text + ")))*0.125d0", frac: 3, bound: v.bound + 1, loose: true}
	case 8:
		// The sine of a rational number but 0 is irrational: never near the
		// step of aint by accident.
		return val{text: "aint(64.0d0*" + oneOf(u, "sin", "cos") + "(" + v.text + "))*0.015625d0", frac: 6, bound: 1, loose: true}
	case 9:
		w := u.small(v)
		w = val{text: w.paren() + "**2", frac: 2 * w.frac, bound: w.bound * w.bound, loose: true}
		return w
	}
	return v
}

// number is a literal x, or x/4 when real.
func number(k kind, x int) val {
	if k == intKind {
		if x < 0 {
			return val{text: fmt.Sprintf("(%d)", x), kind: intKind, bound: -x}
		}
		return val{text: fmt.Sprint(x), kind: intKind, bound: x}
	}
	s := dyadic(x, 2)
	if x < 0 {
		s = "(" + s + ")"
	}
	return val{text: s, frac: 2, bound: abs(x)/4 + 1}
}

// convert changes between real and integer.
func (u *unit) convert(v val, to kind) val {
	switch {
	case v.kind == to:
		return v
	case to == realKind:
		return val{text: "dble(" + v.text + ")", bound: v.bound}
	}
	return val{text: oneOf(u, "int", "nint") + "(" + v.text + ")", kind: intKind, bound: v.bound + 1}
}

// compare makes a logical expression of values.
func (u *unit) compare(x val) val {
	op := oneOf(u, ">", "<", ">=", "<=", "/=", "==", ".gt.", ".lt.", ".ne.")
	return val{text: x.text + " " + op + " " + number(x.kind, u.pick(7)-2).text, kind: logKind, loose: true}
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}
