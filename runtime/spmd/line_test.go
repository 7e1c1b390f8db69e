package spmd

import (
	"math"
	"strings"
	"testing"
)

// Emitted code carries line directives, as these bodies do; a panic in it, or
// in a helper that it calls, is reported at the line of the source.

func divide(pe *PE) {
	zero := pe.N() - 3 // runs on 3 PEs
//line src/prog.hpf:24
	_ = pe.ID() / zero
}

func subscript(pe *PE) {
	a := make([]float64, pe.N())
	kernel := func(i int) float64 {
//line prog.hpf:31
		return a[i]
	}
	kernel(pe.N() + 4)
}

func helper(pe *PE) {
//line prog.hpf:77
	Idx(12, 1, 10, "a(i), dimension 1")
}

func undefinedRead(pe *PE) {
//line prog.hpf:78
	Def(UndefFloat64, "x")
}

func custom(pe *PE) {
//line prog.hpf:79
	panic("custom text")
}

func onlyPE1(pe *PE) {
	if pe.ID() == 1 {
//line prog.hpf:80
		Substr("abc", 0, 2)
	}
//line prog.hpf:81
	pe.Barrier(0)
}

//line line_test.go:100
func TestPanicsShowTheSourceLine(t *testing.T) {
	for _, c := range []struct {
		body func(*PE)
		want []string
	}{
		{divide, []string{"prog.hpf:24: PE ", ": integer divide by zero\n  "}},
		{subscript, []string{"prog.hpf:31: PE ", "index out of range [", "--check"}},
		{helper, []string{"prog.hpf:77: PE ", "index out of range: a(i), dimension 1 is 12", "the declared bounds are 1:10"}},
		{undefinedRead, []string{"prog.hpf:78: PE ", "x is used before it has a value"}},
		{custom, []string{"prog.hpf:79: PE ", ": custom text"}},
		{onlyPE1, []string{"prog.hpf:80: PE 1: substring out of range: (0:2)", "has 3 characters"}},
	} {
		fails(t, 3, "", c.body, c.want...)
	}
}

// A panic outside the program's source is a defect of the library: it keeps
// its stack.
func TestPanicElsewhere(t *testing.T) {
	_, err := Run(Program{Name: "p", File: "other.hpf"}, 2, nil, nil, func(pe *PE) {
		if pe.ID() == 1 {
			panic("lost")
		}
		pe.Barrier(-1)
	})
	if err == nil || !strings.Contains(err.Error(), "other.hpf: PE 1: internal error: lost") || !strings.Contains(err.Error(), "goroutine") {
		t.Errorf("error %v", err)
	}
}

func TestCheckHelpers(t *testing.T) {
	if Idx(3, 1, 3, "a(i)") != 3 || Def(1.5, "x") != 1.5 || Def(0, "i") != 0 || Def(math.NaN(), "y") == 0 || Int32(math.MinInt32, "i") != math.MinInt32 || !Def(true, "l") || Def("a", "c") != "a" {
		t.Error("a good value was changed")
	}
	mustPanic(t, "a(i) is 0", func() { Idx(0, 1, 3, "a(i)") })
	mustPanic(t, "x is used before", func() { Def(UndefFloat64, "x") })
	mustPanic(t, "x is used before", func() { Def(UndefFloat32, "x") })
	mustPanic(t, "i is used before", func() { Def(UndefInt, "i") })
	mustPanic(t, "i is used before", func() { Def(int32(UndefInt32), "i") })
	mustPanic(t, "c is used before", func() { Def(UndefString, "c") })
	mustPanic(t, "integer overflow: i*j is 2147483648", func() { Int32(1<<31, "i*j") })
	mustPanic(t, "INTEGER holds -2147483648 to 2147483647", func() { Int32(-1<<31-1, "i") })
	mustPanic(t, "i**n is too large", func() { Pow32(3, 40, "i**n") })
	mustPanic(t, "int(x) is 3e+09", func() { Trunc32(3e9, "int(x)") })
	mustPanic(t, "int(x) is NaN", func() { Trunc32(math.NaN(), "int(x)") })
	if x := Pow32(-2, 31, "p"); x != math.MinInt32 {
		t.Errorf("(-2)**31 = %d", x)
	}
	// In check builds arrays start undefined, and what arithmetic makes of it
	// is recognised too.
	spmd(t, 1, "", func(pe *PE) {
		mustPanic(t, "a(1) is used", func() { Def(NewLocal[float64](pe, "a", [2]int{1, 3}).Data[0]+1, "a(1)") })
		mustPanic(t, "a(1) is used", func() { Def(NewLocal[float32](pe, "a", [2]int{1, 3}).Data[0], "a(1)") })
		mustPanic(t, "k(1) is used", func() { Def(NewLocal[int](pe, "k", [2]int{1, 3}).Data[0], "k(1)") })
	})
}
