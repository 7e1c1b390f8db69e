package fortran

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Library is the source of module hpf_library (High Performance Fortran 2.0, section 7): the
// reductions, prefix, suffix and scatter functions, those that sort and those of bits. Of the
// functions that have many forms it has those that source mentions, all where source is nil.
func Library(source []byte) []byte {
	w := &library{}
	words := map[string]bool{}
	for _, name := range word.FindAllString(strings.ToLower(string(source)), -1) {
		words[name] = true
	}
	mentioned := func(name string) bool { return source == nil || words[name] }
	for _, f := range families {
		for _, suffix := range []bool{false, true} {
			name := f.name + "_prefix"
			if suffix {
				name = f.name + "_suffix"
			}
			if mentioned(name) {
				w.generic(name, f.types, func(specific, t string, rank int) { w.scan(specific, &f, t, rank, suffix) })
			}
		}
		if mentioned(f.name + "_scatter") {
			w.generic(f.name+"_scatter", f.types, func(specific, t string, rank int) { w.scatter(specific, &f, t, rank) })
		}
	}
	for _, name := range []string{"grade_up", "grade_down", "sort_up", "sort_down"} {
		if mentioned(name) {
			w.generic(name, ordered, func(specific, t string, rank int) { w.sort(specific, name, t, rank) })
		}
	}
	return fmt.Appendf(nil, libraryText, w.interfaces.String(), w.procedures.String())
}

// LibraryName is the file name that Library has where it is written.
const LibraryName = "hpf_library.f90"

var (
	useLibrary = regexp.MustCompile(`(?im)^[ \t]*(\d+[ \t]*)?use[ \t]+hpf_library\b`)
	ownLibrary = regexp.MustCompile(`(?im)^[ \t]*module[ \t]+hpf_library[ \t\r]*(!.*)?$`)
	word       = regexp.MustCompile(`[a-z]\w*`)
)

// NeedsLibrary reports whether the program of a source uses module hpf_library without
// bringing one of its own.
func NeedsLibrary(source []byte) bool {
	return useLibrary.Match(source) && !ownLibrary.Match(source)
}

const libraryText = `module hpf_library
  implicit none
  private
  intrinsic :: iall, iany, iparity, parity, leadz, popcnt, poppar
  public :: iall, iany, iparity, parity, leadz, popcnt, poppar, ilen
  interface ilen
    module procedure ilen_4, ilen_8
  end interface
%scontains
  elemental function ilen_4(i) result(r)
    integer, intent(in) :: i
    integer :: r
    r = bit_size(i) - leadz(ieor(i, shifta(i, bit_size(i) - 1)))
  end function
  elemental function ilen_8(i) result(r)
    integer(8), intent(in) :: i
    integer :: r
    r = bit_size(i) - leadz(ieor(i, shifta(i, bit_size(i) - 1)))
  end function
%send module
`

// family is the functions that combine elements by one operation: f_PREFIX, f_SUFFIX
// and f_SCATTER.
type family struct {
	name    string
	types   []string
	empty   string // the value of no elements; x stands for the array
	combine string // of r and x
}

var (
	numbers  = []string{"integer", "integer(8)", "real", "double precision", "complex", "complex(8)"}
	ordered  = []string{"integer", "integer(8)", "real", "double precision"}
	integers = []string{"integer", "integer(8)"}
	logicals = []string{"logical"}
)

var families = []family{
	{"sum", numbers, "0", "r + x"},
	{"product", numbers, "1", "r*x"},
	{"maxval", ordered, "-huge(array)", "max(r, x)"},
	{"minval", ordered, "huge(array)", "min(r, x)"},
	{"iall", integers, "", "iand(r, x)"},
	{"iany", integers, "0", "ior(r, x)"},
	{"iparity", integers, "0", "ieor(r, x)"},
	{"all", logicals, ".true.", "r .and. x"},
	{"any", logicals, ".false.", "r .or. x"},
	{"parity", logicals, ".false.", "r .neqv. x"},
	{"count", logicals, "0", "r + merge(1, 0, x)"},
	{"copy", slices.Concat(numbers, logicals), "", "x"},
}

// value is the value of no elements of type t.
func (f *family) value(t string) string {
	switch {
	case f.name == "iall":
		return map[string]string{"integer": "-1", "integer(8)": "-1_8"}[t]
	case f.name == "maxval" && strings.HasPrefix(t, "integer"):
		return "-huge(array) - 1"
	}
	return f.empty
}

// result is the type of the values of f of arrays of type t.
func (f *family) result(t string) string {
	if f.name == "count" {
		return "integer"
	}
	return t
}

// argument is the name of the array.
func (f *family) argument() string {
	if f.types[0] == "logical" && f.name != "copy" {
		return "mask"
	}
	return "array"
}

const maxRank = 3

var (
	colons  = [...]string{1: "(:)", 2: "(:,:)", 3: "(:,:,:)", 4: "(:,:,:,:)"}
	indices = [...]string{1: "i1", 2: "i1,i2", 3: "i1,i2,i3"}
)

// library writes the module.
type library struct {
	interfaces, procedures strings.Builder
}

func (w *library) p(format string, args ...any) {
	fmt.Fprintf(&w.procedures, format+"\n", args...)
}

// generic writes the specific procedures of a generic name.
func (w *library) generic(name string, types []string, write func(specific, t string, rank int)) {
	fmt.Fprintf(&w.interfaces, "  public :: %s\n  interface %[1]s\n", name)
	for k, t := range types {
		for rank := 1; rank <= maxRank; rank++ {
			specific := fmt.Sprintf("%s_%d%d", name, k, rank)
			write(specific, t, rank)
		}
	}
	fmt.Fprintf(&w.interfaces, "  end interface\n")
}

// specific adds a procedure to the generic name that is being written.
func (w *library) specific(name string) {
	fmt.Fprintf(&w.interfaces, "    module procedure %s\n", name)
}

// extents are those of an array, in a declaration.
func extents(array string, rank int) string {
	list := make([]string, rank)
	for d := range list {
		list[d] = fmt.Sprintf("size(%s,%d)", array, d+1)
	}
	return strings.Join(list, ",")
}

// nest writes body in loops over all elements of an array, the index of dimension inner (0
// for none) innermost; start stands in front of the loop over the line of which body is about.
func (w *library) nest(array string, rank, inner int, down bool, start, body string) {
	var order []int // outermost first
	for d := rank; d >= 1; d-- {
		if d != inner {
			order = append(order, d)
		}
	}
	if inner > 0 {
		order = append(order, inner)
	} else {
		w.p("%s", start)
	}
	for _, d := range order {
		if d == inner {
			w.p("%s", start)
		}
		if down {
			w.p("do i%d = size(%s,%d), 1, -1", d, array, d)
		} else {
			w.p("do i%d = 1, size(%s,%d)", d, array, d)
		}
	}
	w.p("%s", body)
	for range order {
		w.p("end do")
	}
}

// scan writes f_PREFIX or f_SUFFIX: each element of the result is what the operation makes of
// the elements of the array up to that place, or from there on, in array element order or
// along DIM; SEGMENT begins anew where its value changes, EXCLUSIVE leaves the element out.
func (w *library) scan(specific string, f *family, t string, rank int, suffix bool) {
	a, at := f.argument(), "("+indices[rank]+")"
	copies, masked := f.name == "copy", a == "array" && f.name != "copy"
	args, start, restart := a+", dim", "total = "+f.value(t), "total = "+f.value(t)
	if masked {
		args += ", mask"
	}
	args += ", segment"
	if !copies {
		args += ", exclusive"
	}
	w.specific(specific)
	w.p("function %s(%s) result(r)", specific, args)
	w.p("%s, intent(in) :: %s%s", t, a, colons[rank])
	w.p("integer, intent(in), optional :: dim")
	if masked {
		w.p("logical, intent(in), optional :: mask%s", colons[rank])
	}
	w.p("logical, intent(in), optional :: segment%s", colons[rank])
	if !copies {
		w.p("logical, intent(in), optional :: exclusive")
	}
	w.p("%s :: r(%s), total", f.result(t), extents(a, rank))
	w.p("integer :: along, i1%s", []string{"", ", i2", ", i2, i3"}[rank-1])
	w.p("logical :: first, last")
	if !copies {
		w.p("logical :: without")
		w.p("without = .false.\nif (present(exclusive)) without = exclusive")
	}
	var body strings.Builder
	b := func(s string) { body.WriteString(s + "\n") }
	if copies { // the first element of a segment stands for all
		start, restart = "", ""
		b("if (first) total = " + a + at)
	}
	b("if (present(segment)) then")
	if copies {
		b("if (.not. first) then\nif (segment" + at + " .neqv. last) total = " + a + at + "\nend if")
	} else {
		b("if (.not. first) then\nif (segment" + at + " .neqv. last) " + restart + "\nend if")
	}
	b("last = segment" + at + "\nend if")
	b("first = .false.")
	if copies {
		b("r" + at + " = total")
	} else {
		b("if (without) r" + at + " = total")
		combine := "total = " + operation(f.combine, "total", a+at)
		if masked {
			b("if (present(mask)) then\nif (mask" + at + ") " + combine + "\nelse\n" + combine + "\nend if")
		} else {
			b(combine)
		}
		b("if (.not. without) r" + at + " = total")
	}
	start = "first = .true.\nlast = .false.\n" + start
	text := strings.TrimSuffix(body.String(), "\n")
	if rank == 1 {
		w.nest(a, 1, 1, suffix, start, text)
	} else {
		w.p("along = 0\nif (present(dim)) along = dim")
		w.p("select case (along)")
		for d := 1; d <= rank; d++ {
			w.p("case (%d)", d)
			w.nest(a, rank, d, suffix, start, text)
		}
		w.p("case default")
		w.nest(a, rank, 0, suffix, start, text)
		w.p("end select")
	}
	w.p("end function")
}

// operation is form with r and x replaced.
func operation(form, r, x string) string {
	return variable.ReplaceAllStringFunc(form, func(v string) string { return map[string]string{"r": r, "x": x}[v] })
}

var variable = regexp.MustCompile(`\b[rx]\b`)

// scatter writes f_SCATTER of an array of a rank, and bases of all ranks: element
// BASE(INDX1(i), ...) is combined with all elements i of the array.
func (w *library) scatter(specific string, f *family, t string, rank int) {
	a, at := f.argument(), "("+indices[rank]+")"
	masked := a == "array"
	for base := 1; base <= maxRank; base++ {
		name := fmt.Sprintf("%s%d", specific, base)
		args := a + ", base"
		var where []string
		for d := 1; d <= base; d++ {
			args += fmt.Sprintf(", indx%d", d)
			where = append(where, fmt.Sprintf("indx%d%s", d, at))
		}
		if masked {
			args += ", mask"
		}
		w.specific(name)
		w.p("function %s(%s) result(r)", name, args)
		w.p("%s, intent(in) :: %s%s", t, a, colons[rank])
		w.p("%s, intent(in) :: base%s", f.result(t), colons[base])
		for d := 1; d <= base; d++ {
			w.p("integer, intent(in) :: indx%d%s", d, colons[rank])
		}
		if masked {
			w.p("logical, intent(in), optional :: mask%s", colons[rank])
		}
		w.p("%s :: r(%s)", f.result(t), extents("base", base))
		w.p("integer :: i1%s", []string{"", ", i2", ", i2, i3"}[rank-1])
		w.p("r = base")
		to := "r(" + strings.Join(where, ",") + ")"
		body := to + " = &\n" + operation(f.combine, to, a+at)
		if masked {
			body = "if (present(mask)) then\nif (mask" + at + ") " + body + "\nelse\n" + body + "\nend if"
		}
		w.nest(a, rank, 0, false, "", body)
		w.p("end function")
	}
}

// sort writes GRADE_UP and GRADE_DOWN, whose values are the places of the elements in order
// (equal ones stay in theirs), and SORT_UP and SORT_DOWN, whose values are the elements: along
// DIM, or without it of the whole array.
func (w *library) sort(specific, name, t string, rank int) {
	before := ">"
	if strings.HasSuffix(name, "down") {
		before = "<"
	}
	places := strings.HasPrefix(name, "grade")
	at := "(" + indices[rank] + ")"
	value := t
	if places {
		value = "integer"
	}
	locals := func(n string) {
		w.p("%s :: line(%s)", t, n)
		w.p("integer :: order(%s), other(%s), i1%s, n, k, from, middle, to, left, right, width, rest", n, n, []string{"", ", i2", ", i2, i3"}[rank-1])
	}
	// A merge sort, which keeps the order of what is equal.
	merge := func() {
		w.p("do k = 1, n\norder(k) = k\nend do")
		w.p("width = 1\ndo while (width < n)\ndo from = 1, n, 2*width")
		w.p("middle = min(from + width, n + 1)\nto = min(from + 2*width, n + 1)\nleft = from\nright = middle")
		w.p("do k = from, to - 1")
		w.p("if (left == middle) then\nother(k) = order(right)\nright = right + 1")
		w.p("else if (right == to) then\nother(k) = order(left)\nleft = left + 1")
		w.p("else if (line(order(left)) %s line(order(right))) then\nother(k) = order(right)\nright = right + 1", before)
		w.p("else\nother(k) = order(left)\nleft = left + 1\nend if")
		w.p("end do\nend do\norder(1:n) = other(1:n)\nwidth = 2*width\nend do")
	}
	// Along a dimension.
	w.specific(specific + "d")
	w.p("function %sd(array, dim) result(r)", specific)
	w.p("%s, intent(in) :: array%s", t, colons[rank])
	w.p("integer, intent(in) :: dim")
	w.p("%s :: r(%s)", value, extents("array", rank))
	locals("size(array)")
	w.p("rest = 0\nselect case (dim)")
	for d := 1; d <= rank; d++ {
		w.p("case (%d)", d)
		w.p("n = size(array,%d)", d)
		var outer []int
		for e := rank; e >= 1; e-- {
			if e != d {
				outer = append(outer, e)
				w.p("do i%d = 1, size(array,%d)", e, e)
			}
		}
		w.p("do i%d = 1, n\nline(i%d) = array%s\nend do", d, d, at)
		merge()
		if places {
			w.p("do i%d = 1, n\nr%s = order(i%d)\nend do", d, at, d)
		} else {
			w.p("do i%d = 1, n\nr%s = line(order(i%d))\nend do", d, at, d)
		}
		for range outer {
			w.p("end do")
		}
	}
	w.p("end select")
	w.p("end function")
	// Of the whole array.
	w.specific(specific)
	w.p("function %s(array) result(r)", specific)
	w.p("%s, intent(in) :: array%s", t, colons[rank])
	if places {
		w.p("integer :: r(%d,size(array))", rank)
	} else {
		w.p("%s :: r(%s)", t, extents("array", rank))
	}
	locals("size(array)")
	w.p("n = size(array)\nk = 0")
	w.nest("array", rank, 0, false, "", "k = k + 1\nline(k) = array"+at)
	merge()
	if places {
		w.p("do k = 1, n\nrest = order(k) - 1")
		for d := 1; d < rank; d++ {
			w.p("r(%d,k) = mod(rest, size(array,%d)) + 1\nrest = rest/size(array,%d)", d, d, d)
		}
		w.p("r(%d,k) = rest + 1\nend do", rank)
	} else {
		w.p("k = 0")
		w.nest("array", rank, 0, false, "", "k = k + 1\nr"+at+" = line(order(k))")
	}
	w.p("end function")
}
