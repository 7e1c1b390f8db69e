package randprog

import "fmt"

// fusedNests has nests that may be fused, a strip of each at a time, over
// matrices that most often lie alike; with what may stand in the way: reductions in them,
// a vector that all PEs reduce between them, scalars that both have. All values are small
// integers.
//
//	do j = 2, 11
//	   do i = 1, 9
//	      y(i,j) = mod(x(i,j-1) + x(i,j+1), 7)
//	      s = max(s, y(i,j))
//	   end do
//	end do
//	do j = 2, 11
//	   do i = 1, 9
//	      x(i,j) = y(i,j)
//	   end do
//	end do
func fusedNests(k *kern) {
	u := k.u
	kd := oneOf(u, realKind, realKind, intKind)
	t := &fused{kern: k, kd: kd, rows: 5 + u.pick(14), cols: 6 + u.pick(9), fork: u.fork()}
	if u.chance(4, 5) {
		t.template = k.newTemplate(u, 2)
		t.template.onto = nil
		t.template.formats = oneOf(u, []string{"*", "block"}, []string{"*", "cyclic"}, []string{"cyclic", "*"}, []string{"block", "*"})
	}
	t.x, t.y, t.z, t.w = t.filled(t.rows, t.cols), t.filled(t.rows, t.cols), t.filled(t.rows, t.cols), t.filled(t.rows)
	t.i, t.j, t.m = t.index(), t.index(), t.index()
	t.start()
	var body []string
	for range 1 + u.pick(2) {
		body = append(body, t.pair()...)
	}
	if u.chance(1, 3) {
		k.feat("fused:in a time loop")
		body = doBlock(fmt.Sprintf("do %s = 1, %d", t.m, 2+u.pick(2)), body)
	}
	k.emit(body...)
	if u.chance(1, 2) {
		k.feat("fused:vector between")
		k.emit(t.vector()...)
	}
}

type fused struct {
	*kern
	kd         kind
	rows, cols int
	fork       *unit
	template   *template // of all arrays, or nil: they lie anywhere
	x, y, z, w *array
	i, j, m    string
}

func (t *fused) filled(extents ...int) *array {
	a := &array{name: t.fresh("at"), kind: t.kd, u: t.fork, tier: tier{frac: 12, bound: 1 << 24}}
	for _, n := range extents {
		a.dims = append(a.dims, bounds{lo: 1, hi: n})
	}
	if t.template != nil {
		a.place = place{kind: aligned, target: t.template, source: []bool{true, true}[:len(extents)], subs: []alignSub{{coef: 1}, {dim: 1, coef: 1}}}
		if len(extents) == 1 {
			a.place.subs[1] = alignSub{star: true}
		}
		t.template.cover(a, a.place.subs)
	}
	return t.use(a)
}

func (t *fused) index() string {
	name := t.fresh("i")
	t.private(intKind, name, tier{})
	return name
}

func (t *fused) at(a *array, subs ...string) string { return t.elem(a, subs...).text }

func (t *fused) value(format string, args ...any) string {
	if t.kd == realKind {
		return "dble(" + fmt.Sprintf(format, args...) + ")"
	}
	return fmt.Sprintf(format, args...)
}

// small is e as a value below 7.
func (t *fused) small(e string) string {
	if t.kd == realKind {
		return "mod(" + e + ", 7.0d0)"
	}
	return "mod(" + e + ", 7)"
}

// nest is over columns from lo to hi.
func (t *fused) nest(lo, hi int, before []string, inner ...string) []string {
	return doBlock(fmt.Sprintf("do %s = %d, %d", t.j, lo, hi), append(before, t.rowLoops(inner...)...))
}

// rowLoops is inner over the rows: in one loop, or in two, each over some of them.
func (t *fused) rowLoops(inner ...string) []string {
	from := 1 + t.u.pick(2)
	if !t.u.chance(1, 4) {
		return doBlock(fmt.Sprintf("do %s = %d, %d", t.i, from, t.rows), inner)
	}
	t.feat("fused:rows in two loops")
	middle := from + t.u.pick(t.rows-from)
	return append(doBlock(fmt.Sprintf("do %s = %d, %d", t.i, from, middle), inner),
		doBlock(fmt.Sprintf("do %s = %d, %d", t.i, middle+1, t.rows), inner)...)
}

// corner is a loop over some rows of y that has iterations in the first columns only.
func (t *fused) corner() []string {
	t.feat("fused:a loop for some columns")
	y := t.at(t.y, t.i, t.j)
	return doBlock(fmt.Sprintf("do %s = %s, %d", t.i, t.j, 1+t.u.pick(4)), []string{y + " = " + t.small(y+" + "+t.value("1"))})
}

func (t *fused) start() {
	t.emit(doBlock(fmt.Sprintf("do %s = 1, %d", t.i, t.rows), []string{t.at(t.w, t.i) + " = " + t.value("mod(3*%s, 5) - 2", t.i)})...)
	t.emit(doBlock(fmt.Sprintf("do %s = 1, %d", t.j, t.cols), doBlock(fmt.Sprintf("do %s = 1, %d", t.i, t.rows), []string{
		t.at(t.x, t.i, t.j) + " = " + t.value("mod(2*%s + 3*%s, 7)", t.i, t.j),
		t.at(t.y, t.i, t.j) + " = " + t.value("mod(%s + %s, 5)", t.i, t.j),
		t.at(t.z, t.i, t.j) + " = " + t.value("mod(%s + 2*%s, 5) - 2", t.i, t.j),
	}))...)
}

// pair is two nests or three.
func (t *fused) pair() []string {
	u, k := t.u, t.kern
	x, y, z := t.at(t.x, t.i, t.j), t.at(t.y, t.i, t.j), t.at(t.z, t.i, t.j)
	far := oneOf(u, 0, 1, 1, 2)
	next := func(d int) string { return t.at(t.x, t.i, fmt.Sprintf("%s%+d", t.j, d)) }
	source := x
	if far > 0 {
		source = next(-far) + " + " + next(far)
	}
	var head []string
	if u.chance(1, 4) {
		head = t.corner()
		if u.chance(1, 2) { // a column that all iterations read, also those without such rows
			source += " + " + t.at(t.x, t.i, "3")
		}
	}
	first, second := []string{y + " = " + t.small(source+" + "+y)}, []string{x + " = " + y}
	var before, setup, behind []string
	s := k.scalarVar(t.kd, "s", zero(t.kd), tier{frac: 12, bound: 1 << 24})
	switch u.pick(5) {
	case 0:
		k.feat("fused:extreme of one")
		setup = []string{s.name + " = " + t.value("%d", u.pick(3))}
		e := fmt.Sprintf("%s = max(%s, abs(%s - %s))", s.name, s.name, x, y)
		if u.chance(1, 2) {
			first = append(first, e)
		} else {
			second = append([]string{e}, second...)
		}
	case 1:
		k.feat("fused:extreme of both")
		op := oneOf(u, "max", "min")
		setup = []string{s.name + " = " + t.value("3")}
		first = append(first, fmt.Sprintf("%s = %s(%s, %s)", s.name, op, s.name, y))
		second = append(second, fmt.Sprintf("%s = %s(%s, %s - 1)", s.name, op, s.name, x))
	case 2:
		k.feat("fused:sum")
		setup = []string{s.name + " = " + t.value("%d", u.pick(3))}
		second = append(second, fmt.Sprintf("%s = %s + %s", s.name, s.name, x))
		if u.chance(1, 3) {
			first = append(first, fmt.Sprintf("%s = %s + %s", s.name, s.name, y))
		}
	case 3:
		k.feat("fused:scalar of both")
		f := k.scalarVar(t.kd, "f", zero(t.kd), tier{frac: 12, bound: 1 << 24})
		f.private = false
		setup = []string{f.name + " = " + t.value("3")}
		first = []string{y + " = " + t.small(source+" + "+f.name)}
		before = []string{f.name + " = " + t.value("mod(%s, 4)", t.j)}
		second = []string{x + " = " + y + " + " + f.name}
		behind = []string{f.name + " = " + t.value("0")}
	case 4:
		k.feat("fused:needed at once")
		setup = []string{s.name + " = " + t.value("1")}
		first = append(first, fmt.Sprintf("%s = max(%s, %s)", s.name, s.name, y))
		second = []string{x + " = " + t.small(y+" + "+s.name)}
	}
	lines := append(setup, t.nest(1+far, t.cols-far, head, first...)...)
	lo, hi := 1+u.pick(2), t.cols-u.pick(2)
	lines = append(lines, t.nest(lo, hi, before, second...)...)
	if u.chance(1, 2) {
		k.feat("fused:three")
		lines = append(lines, t.nest(1, t.cols, nil, z+" = "+t.small(z+" + "+x))...)
	}
	return append(lines, behind...)
}

// vector is a loop over columns whose sums are made for all of them before they are
// changed.
func (t *fused) vector() []string {
	u := t.u
	g := t.fresh("g")
	t.private(t.kd, g, tier{frac: 12, bound: 1 << 24})
	z, w := t.at(t.z, t.i, t.j), t.at(t.w, t.i)
	other := w
	last := fmt.Sprint(t.cols)
	if u.chance(1, 2) {
		other, last = t.at(t.z, t.i, fmt.Sprint(t.cols)), fmt.Sprint(t.cols-1)
	}
	rows := fmt.Sprintf("do %s = 1, %d", t.i, t.rows)
	body := append([]string{g + " = " + t.value("%d", u.pick(2))}, doBlock(rows, []string{fmt.Sprintf("%s = %s + %s*%s", g, g, other, z)})...)
	body = append(body, doBlock(rows, []string{fmt.Sprintf("%s = %s - %s*%s", z, z, g, w)})...)
	return doBlock(fmt.Sprintf("do %s = 1, %s", t.j, last), body)
}
