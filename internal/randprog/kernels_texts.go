package randprog

import "fmt"

// editedTexts assigns and compares characters of texts in loops: of one text, or of an array of
// them whose loops may be divided.
func editedTexts(k *kern) {
	u := k.u
	length := 4 + u.pick(20)
	c := func(e string) string {
		return fmt.Sprintf("%s(%d + mod(%s, %d))", oneOf(u, "achar", "char"), 97+u.pick(3), e, 2+u.pick(20))
	}
	if u.chance(1, 2) {
		tx := k.fresh("tx")
		k.charVar(tx, length)
		k.emit(fmt.Sprintf("%s = 'text'", tx))
		at := "i"
		header := fmt.Sprintf("do i = 1, %s", k.spell(u, length))
		lines := []string{fmt.Sprintf("%s(%s:%s) = %s", tx, at, at, c(fmt.Sprintf("%d*i", 1+u.pick(5))))}
		switch u.pick(3) {
		case 1:
			k.feat("texts:character before")
			header = fmt.Sprintf("do i = 2, %s", k.spell(u, length))
			lines = append(lines, fmt.Sprintf("if (%s(i-1:i-1) > %s(i:i)) %s(i-1:i-1) = '%s'", tx, tx, tx, oneOf(u, "q", " ")))
		case 2:
			k.feat("texts:two at once")
			header = fmt.Sprintf("do i = 1, %d, 2", length-1)
			lines = append(lines, fmt.Sprintf("if (%s(i:i+1) < 'k') %s(i:i+1) = 'ab'", tx, tx))
		}
		k.emit(doBlock(header, lines)...)
		a := k.arr(intKind, 1)
		vs := k.vars(1)
		lhs := k.ref(a, vs)
		k.feat("texts:into an array")
		place := fmt.Sprintf("1+mod(abs(%s), %d)", vs[0].name, length)
		e := val{text: fmt.Sprintf("ichar(%s(%s:%s))", tx, place, place), kind: intKind, bound: 127}
		k.emit(k.nest(vs, []string{k.set(a, lhs, sum("+", e, lhs))}, how{parallel: true})...)
		k.emit(fmt.Sprintf("print *, %s, len_trim(%s)", tx, tx))
		return
	}
	k.feat("texts:array")
	k.private(intKind, "mp", tier{})
	n := 3 + u.pick(8)
	ta, a := k.fresh("ta"), k.arr(intKind, 1)
	k.scalars = append(k.scalars, &scalar{name: fmt.Sprintf("%s(%d)", ta, n), decl: fmt.Sprintf("character(len=%d)", length), private: true})
	i := &lvar{name: "i"}
	x := k.sub(a, 0, i, a.dims[0].lo-1)
	i.narrow(1, 0, 1, n)
	text := ta + "(i)"
	lines := []string{text + " = ' '"}
	lines = append(lines, doBlock(fmt.Sprintf("do mp = 1, %d", length), []string{fmt.Sprintf("%s(mp:mp) = %s", text, c("mp*i"))})...)
	if u.chance(1, 2) {
		k.feat("texts:exchanged")
		lines = append(lines, fmt.Sprintf("if (%s(1:1) /= %s(2:2)) %s(1:2) = %s(2:3)", text, text, text, text))
	}
	e := k.elem(a, x)
	lines = append(lines, k.set(a, e, val{text: fmt.Sprintf("ichar(%s(%d:%d)) + len_trim(%s)", text, 2, 2, text), kind: intKind, bound: 200, loose: true}))
	k.emit(doBlock(fmt.Sprintf("do i = 1, %d", n), []string{text + " = 'none'"})...)
	i.lo, i.hi = 1, n
	first, last := 1, min(n, a.dims[0].extent())
	k.emit(doBlock(fmt.Sprintf("do i = %d, %d", first, last), lines)...)
	k.emit(fmt.Sprintf("print *, %s(1), %s(%d)", ta, ta, n))
}
