package randprog

import (
	"fmt"
	"strings"
)

// printLoop prints inside of loops, with implied DO.
func printLoop(k *kern) {
	u := k.u
	kd := oneOf(u, realKind, intKind, logKind)
	rank := 1 + u.pick(2)
	a := k.arr(kd, rank)
	d := a.dims[0]
	lo, hi := k.spell(u, d.lo), k.spell(u, d.hi)
	print := oneOf(u, "print *, ", "write (*, *) ")
	switch {
	case rank == 1 && u.chance(1, 2):
		k.emit(fmt.Sprintf("%s'%s:', (%s(i), i = %s, %s)", print, a.name, a.name, lo, hi))
		k.feat("print:implied do")
	case rank == 1:
		k.emit(doBlock(fmt.Sprintf("do i = %s, %s, 2", lo, hi), []string{fmt.Sprintf("%si, %s(i)", print, a.name)})...)
	case u.chance(1, 2):
		j := k.inside(a.dims[1])
		k.emit(fmt.Sprintf("%s'column', (%s(i, %s), i = %s, %s, -1)", print, a.name, j, hi, lo))
		k.feat("print:implied do")
	default:
		e := a.dims[1]
		k.emit(doBlock(fmt.Sprintf("do i = %s, min(%s, %d)", lo, hi, d.lo+2),
			[]string{fmt.Sprintf("%si, (%s(i, j), j = %s, %s)", print, a.name, k.spell(u, e.lo), k.spell(u, min(e.hi, e.lo+8)))})...)
		k.feat("print:implied do")
	}
}

// readLoop reads elements from standard input.
func readLoop(k *kern) {
	u := k.u
	kd := oneOf(u, realKind, intKind)
	rank := 1 + u.pick(2)
	a := k.arr(kd, rank)
	number := func() string {
		if kd == intKind {
			return fmt.Sprint(u.pick(30) - 9)
		}
		return oneOf(u, "0.5", "-1.25", "3", "2.5d0", "-7.0E0", "0.125", "1d1", ".5")
	}
	if u.chance(1, 3) {
		// Two elements of one record.
		k.emit(fmt.Sprintf("read *, %s, %s", target(k.point(a)), target(k.point(a))))
		k.input = append(k.input, number()+oneOf(u, " ", ", ")+number())
		return
	}
	v := k.vars(1)[0]
	subs := []string{k.sub(a, 0, v, 0)}
	if rank == 2 {
		subs = append(subs, k.inside(a.dims[1]))
	}
	ios := k.private(intKind, "ios", tier{}).name
	x := target(k.elem(a, subs...))
	line := "read *, " + x
	if u.chance(1, 2) {
		line = fmt.Sprintf("read (*, *, iostat=%s) %s", ios, x)
		k.feat("read:iostat")
	}
	k.emit(doBlock(k.header(v, false), []string{line})...)
	for range v.trips() {
		k.input = append(k.input, number())
	}
}

// readLine reads a line of text and then numbers from it.
func readLine(k *kern) {
	u := k.u
	k.charVar("line", 40)
	m := k.scalarVar(intKind, "m", "0", tier{bound: 99})
	x := k.scalarVar(realKind, "s", "0.0d0", tier{2, 99})
	k.emit("read '(a)', line")
	if u.chance(1, 3) {
		k.lines[0] = "read (*, '(a)') line"
	}
	k.input = append(k.input, fmt.Sprintf("%d %s", u.pick(99), oneOf(u, "1.5", "-2.25", "7")))
	k.emit(fmt.Sprintf("read (line, *) %s, %s", m.name, x.name))
	k.emit("if (line(1:1) == '%') print *, 'comment'")
	a := k.arr(realKind, 1)
	vs := k.vars(1)
	lhs := k.ref(a, vs)
	k.emit(k.nest(vs, []string{k.set(a, lhs, u.combine([]val{lhs, x.val}))}, how{parallel: true})...)
	k.feat("read:internal")
}

// charVar declares a private character variable once.
func (g *gen) charVar(name string, length int) {
	s := g.private(intKind, name, tier{})
	s.decl = fmt.Sprintf("character(len=%d)", length)
}

// characters compares and takes substrings.
func characters(k *kern) {
	u := k.u
	k.charVar("word", 8)
	k.charVar("part", 3)
	word := oneOf(u, "alpha", "block", "cyclic", "it''s", "x")
	k.emit(fmt.Sprintf("word = '%s'", word))
	if u.chance(1, 2) {
		k.emit(fmt.Sprintf("word(2:%d) = '%s'", 3+u.pick(3), oneOf(u, "z", "bcd", "longer text")))
	}
	k.emit("part = word(2:)")
	kd := k.numeric()
	a := k.arr(kd, 1)
	vs := k.vars(1)
	lhs := k.ref(a, vs)
	one := k.nest(vs, []string{k.set(a, lhs, u.unary(lhs))}, how{parallel: true})
	cond := fmt.Sprintf("word(1:1) %s '%s'", oneOf(u, "==", "/="), word[:1])
	if u.chance(1, 2) {
		cond = fmt.Sprintf("%s %s '%s'", oneOf(u, "word", "part"), oneOf(u, "<", ">=", "==", "/="), oneOf(u, "block", "bcd", "a", strings.Repeat("z", 3)))
	}
	k.emit(ifBlock(cond, one, []string{"print *, 'not ', word, '|', part, '|'"})...)
	k.emit("print *, word, len_trim(part)")
}
