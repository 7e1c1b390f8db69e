package linalg

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Affine is C + the sum of T[v]*v over named integer variables.
//
// Values are immutable by convention: an operation returns a new form and may
// share T with its operand. A form is canonical when T holds no zero
// coefficient and is nil when there are no variables; every function of this
// package returns canonical forms and accepts any.
type Affine struct {
	C int64
	T map[string]int64
}

// Const is the form without variables.
func Const(c int64) Affine { return Affine{C: c} }

// Var is the form 1*name.
func Var(name string) Affine { return Affine{T: map[string]int64{name: 1}} }

// Term is the form k*name.
func Term(k int64, name string) Affine {
	if k == 0 {
		return Affine{}
	}
	return Affine{T: map[string]int64{name: k}}
}

// Add returns a + b, or false when a coefficient overflows.
func (a Affine) Add(b Affine) (Affine, bool) { return a.AddScaled(b, 1) }

// Sub returns a - b, or false when a coefficient overflows.
func (a Affine) Sub(b Affine) (Affine, bool) { return a.AddScaled(b, -1) }

// Scale returns k*a, or false when a coefficient overflows.
func (a Affine) Scale(k int64) (Affine, bool) { return Affine{}.AddScaled(a, k) }

// AddScaled returns a + k*b, or false when a coefficient overflows, also if
// only that of the intermediate product k*b does.
func (a Affine) AddScaled(b Affine, k int64) (Affine, bool) {
	c, ok := mulAdd(a.C, b.C, k)
	if !ok {
		return Affine{}, false
	}
	if k == 0 || len(b.T) == 0 {
		return Affine{c, canonical(a.T)}, true
	}
	t := make(map[string]int64, len(a.T)+len(b.T))
	maps.Copy(t, a.T)
	for v, x := range b.T {
		if t[v], ok = mulAdd(t[v], x, k); !ok {
			return Affine{}, false
		}
	}
	return Affine{c, canonical(t)}, true
}

// canonical returns t without zero coefficients, nil when nothing is left. It
// copies only when there is something to remove.
func canonical(t map[string]int64) map[string]int64 {
	zeros := 0
	for _, x := range t {
		if x == 0 {
			zeros++
		}
	}
	if zeros == len(t) {
		return nil
	}
	if zeros > 0 {
		t = maps.Clone(t)
		maps.DeleteFunc(t, func(_ string, x int64) bool { return x == 0 })
	}
	return t
}

// Coef is the coefficient of v, 0 when v does not occur.
func (a Affine) Coef(v string) int64 { return a.T[v] }

// Vars returns the variables with a coefficient other than 0, sorted.
func (a Affine) Vars() []string {
	if len(a.T) == 0 {
		return nil
	}
	vars := make([]string, 0, len(a.T))
	for v, x := range a.T {
		if x != 0 {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	return vars
}

// IsConst reports whether no variable occurs.
func (a Affine) IsConst() bool { return canonical(a.T) == nil }

// Uses reports whether v occurs.
func (a Affine) Uses(v string) bool { return a.T[v] != 0 }

// Equal reports whether a and b are the same form, hence equal for all values
// of the variables.
func (a Affine) Equal(b Affine) bool {
	if a.C != b.C {
		return false
	}
	if len(a.T) == 0 && len(b.T) == 0 { // as most are, and to go through a map takes long
		return true
	}
	zero := false
	for v, x := range a.T {
		if b.T[v] != x {
			return false
		}
		zero = zero || x == 0
	}
	if !zero && len(a.T) == len(b.T) {
		return true
	}
	for v, x := range b.T {
		if x != a.T[v] {
			return false
		}
	}
	return true
}

// Subst returns a with the form by in place of v, or false on overflow. All
// occurrences of v in a are replaced at once, so by may use v itself: crossing
// a back edge is Subst("k", k - step).
func (a Affine) Subst(v string, by Affine) (Affine, bool) {
	k := a.T[v]
	if k == 0 {
		return Affine{a.C, canonical(a.T)}, true
	}
	rest := Affine{C: a.C, T: maps.Clone(a.T)}
	delete(rest.T, v)
	return rest.AddScaled(by, k)
}

// Rename returns a with every variable v replaced by to(v). Variables that get
// the same new name are added up; false when that overflows.
func (a Affine) Rename(to func(string) string) (Affine, bool) {
	t := make(map[string]int64, len(a.T))
	for _, v := range a.Vars() {
		w := to(v)
		sum, ok := AddInt64(t[w], a.T[v])
		if !ok {
			return Affine{}, false
		}
		t[w] = sum
	}
	return Affine{a.C, canonical(t)}, true
}

// Eval is the value of a where every variable v has the value at(v), or false
// on overflow.
func (a Affine) Eval(at func(string) int64) (int64, bool) {
	var few [8]string
	vars := few[:0]
	for v, x := range a.T {
		if x != 0 {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars) // so that overflow is reproducible
	sum, ok := a.C, true
	for _, v := range vars {
		if sum, ok = mulAdd(sum, at(v), a.T[v]); !ok {
			return 0, false
		}
	}
	return sum, true
}

// String writes the variables in alphabetical order and the constant last:
// "2*i - j + 3". It is stable, and equal forms have equal strings.
func (a Affine) String() string {
	var t terms
	for _, v := range a.Vars() {
		t.add(strconv.FormatInt(a.T[v], 10), v)
	}
	if a.C != 0 || t.Len() == 0 {
		t.add(strconv.FormatInt(a.C, 10), "")
	}
	return t.String()
}

// terms is the text of a sum.
type terms struct{ strings.Builder }

// add adds a summand, of which number and name make "3", "i" or "3*i".
func (t *terms) add(number, name string) {
	size, negative := strings.CutPrefix(number, "-")
	switch {
	case t.Len() > 0 && negative:
		t.WriteString(" - ")
	case t.Len() > 0:
		t.WriteString(" + ")
	case negative:
		t.WriteString("-")
	}
	switch {
	case name == "":
		t.WriteString(size)
	case size == "1":
		t.WriteString(name)
	default:
		t.WriteString(size + "*" + name)
	}
}
