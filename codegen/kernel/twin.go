package kernel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// layout is where the fields of the argument of a kernel are, in bytes. Fields of eight
// bytes come first, so that there are no gaps.
type layout struct {
	stream, at, param, partial []int
	lo, hi                     int // of windows
	from, upto                 []int
	cols                       int
	by                         []int
	done                       int   // of kernels that pick
	step                       []int // of streams whose stride is passed
}

const (
	argN    = 0
	argHead = 8
)

// fields writes the fields of the argument, and tells where they are on amd64.
func (k *Kernel) fields(b *strings.Builder) layout {
	var l layout
	off := 16
	field := func(size int, format string, args ...any) int {
		if b != nil {
			fmt.Fprintf(b, "\t"+format+"\n", args...)
		}
		off += size
		return off - size
	}
	if b != nil {
		fmt.Fprintf(b, "\tn, head int // iterations, and the lane of the first\n")
	}
	k.windowFields(&l, field)
	k.columnFields(&l, field)
	if k.Picks() {
		l.done = field(8, "done int // iterations that are computed")
	}
	l.at, l.step = make([]int, len(k.Streams)), make([]int, len(k.Streams))
	for i, s := range k.Streams {
		l.stream = append(l.stream, field(24, "%s []%s", s.Name, s.Type.Go()))
		if s.placed() {
			l.at[i] = field(8, "%sAt int", s.Name)
		}
		if s.Stride == 0 {
			l.step[i] = field(8, "%sStep int", s.Name)
		}
	}
	l.param = make([]int, len(k.Params))
	l.partial = make([]int, len(k.Reductions))
	for i, r := range k.Reductions {
		if !r.Ordered {
			l.partial[i] = field(k.Lanes()*r.Type.size(), "%s [%d]%s", r.Name, k.Lanes(), r.Type.Go())
		}
	}
	for _, size := range []int{8, 4} {
		for i, r := range k.Reductions {
			if r.Ordered && r.Type.size() == size {
				l.partial[i] = field(size, "%s %s", r.Name, r.Type.Go())
			}
		}
		for i, p := range k.Params {
			if p.Type.size() == size {
				if p.Of > 0 {
					l.param[i] = field(p.Of*size, "%s [%d]%s", p.Name, p.Of, p.Type.Go())
				} else {
					l.param[i] = field(size, "%s %s", p.Name, p.Type.Go())
				}
			}
		}
	}
	return l
}

// argsType declares the argument.
func (k *Kernel) argsType(b *strings.Builder) {
	fmt.Fprintf(b, "type %sArgs struct {\n", k.Name)
	k.fields(b)
	fmt.Fprintf(b, "}\n\n")
}

// twin writes the kernel in Go.
func (k *Kernel) twin(b *strings.Builder) {
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	p("func %sGo(a *%sArgs) {", k.Name, k.Name)
	// A slice for each offset, so that its length says all about subscripts.
	part := func(stream, off int) string { return fmt.Sprintf("%s%d", k.Streams[stream].Name, off) }
	cut := map[string]bool{}
	slice := func(stream, off int) {
		s := k.Streams[stream]
		if name := part(stream, off); !cut[name] && !s.placed() {
			cut[name] = true
			length := "n"
			if w := s.Window; w > 0 {
				length = fmt.Sprintf("upto%d-a.from%d", w, w)
			}
			p("%s := a.%s[%s%d:][:a.%s]", name, s.Name, k.column(stream), off, length)
		}
	}
	nodes := k.order(false)
	if k.Columns {
		p("for column := range a.cols {")
	}
	for _, n := range nodes {
		if n.Op == Load {
			slice(n.N, n.Off)
		}
	}
	for _, s := range k.Stores {
		slice(s.Stream, s.Off)
	}
	element := func(stream, off int) string {
		if s := k.Streams[stream]; s.placed() {
			return fmt.Sprintf("a.%s[a.%sAt+%s%d+%s]", s.Name, s.Name, k.column(stream), off, s.iteration())
		}
		if w := k.Streams[stream].Window; w > 0 {
			return fmt.Sprintf("%s[t-a.from%d]", part(stream, off), w)
		}
		return part(stream, off) + "[t]"
	}
	uses := map[*Node]int{}
	for _, n := range nodes {
		for _, a := range n.Args {
			uses[a]++
		}
	}
	var sums, ordered []Reduction
	for i, r := range k.Reductions {
		for _, s := range r.Steps {
			uses[s.Term]++
		}
		if r.Ordered {
			ordered = append(ordered, r)
		} else if r.Update.Op != Acc || r.Update.N != i { // one that changes
			uses[r.Update]++
			sums = append(sums, r)
		}
	}
	for _, s := range k.Stores {
		uses[s.Value]++
		if s.Mask != nil {
			uses[s.Mask]++
		}
	}
	if len(sums)+len(ordered)+len(k.Stores) == 0 { // partial values that stay what they are
		p("}\n")
		return
	}
	if k.Picks() {
		p("for t := a.done; t < a.n; t++ {")
	} else {
		p("for t := range a.n {")
	}
	if len(sums) > 0 || slices.ContainsFunc(nodes, func(n *Node) bool { return n.Op == Acc && uses[n] > 0 }) {
		p("lane := uint(a.head+t) %% %d", k.Lanes())
	}
	text := map[*Node]string{}
	for _, n := range nodes {
		name := fmt.Sprintf("v%d", n.id)
		switch {
		case n.Op == Load && k.Streams[n.N].Window > 0:
			p("var %s %s\n%s", name, n.Type.Go(), windowText(k.Streams[n.N].Window, name+" = "+element(n.N, n.Off)))
			text[n] = name
			continue
		case n.Op == InWindow:
			p("%s := %s\n%s", name, typedText(n.Args[1], text), windowText(n.N, name+" = "+text[n.Args[0]]))
			text[n] = name
			continue
		case n.Op == Load && len(n.Args) > 0:
			p("var %s %s\nif %s {\n%s = %s\n}", name, n.Type.Go(), text[n.Args[0]], name, element(n.N, n.Off))
			text[n] = name
			continue
		case n.Op == Pick:
			s := k.Streams[n.N]
			picked := fmt.Sprintf("a.%s[a.%sAt+%s]", s.Name, s.Name, typedText(n.Args[0], text))
			if len(n.Args) == 1 {
				p("%s := %s", name, picked)
			} else {
				p("var %s %s\nif %s {\n%s = %s\n}", name, n.Type.Go(), text[n.Args[1]], name, picked)
			}
			text[n] = name
			continue
		case n.Op == Load:
			text[n] = element(n.N, n.Off)
		case n.Op == Select:
			p("%s := %s\nif %s {\n%s = %s\n}", name, typedText(n.Args[2], text), text[n.Args[0]], name, text[n.Args[1]])
			text[n] = name
			continue
		default:
			text[n] = k.goText(n, text)
		}
		// Loads come before stores.
		if n.Op == Load || uses[n] > 1 && n.Op != Scalar && n.Op != Const && n.Op != Acc {
			p("%s := %s", name, typedText(n, text))
			text[n] = name
		}
	}
	for _, s := range k.Stores {
		if s.Window > 0 {
			p("%s", windowText(s.Window, fmt.Sprintf("%s = %s", element(s.Stream, s.Off), text[s.Value])))
		} else if s.Mask != nil {
			p("if %s {\n%s = %s\n}", text[s.Mask], element(s.Stream, s.Off), text[s.Value])
		} else {
			p("%s = %s", element(s.Stream, s.Off), text[s.Value])
		}
	}
	for _, r := range ordered {
		for _, s := range r.Steps {
			value := fmt.Sprintf("a.%s %s %s", r.Name, goOperators[s.Op], text[s.Term])
			if s.Op == Mul {
				value = r.Type.Go() + "(" + value + ")"
			}
			p("a.%s = %s", r.Name, value)
		}
	}
	if len(sums) > 0 {
		var to, from []string
		for _, r := range sums {
			to, from = append(to, fmt.Sprintf("a.%s[lane]", r.Name)), append(from, text[r.Update])
		}
		p("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
	}
	if k.Columns {
		p("}")
	}
	p("}\n}\n")
}

// typedText is the text of a node that gives a variable its type.
func typedText(n *Node, text map[*Node]string) string {
	if n.Op == Const {
		return n.Type.Go() + "(" + text[n] + ")"
	}
	return text[n]
}

var goOperators = map[Op]string{Add: "+", Sub: "-", Mul: "*", Div: "/", BitAnd: "&", BitOr: "|", BitXor: "^",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", And: "&&", Or: "||"}

// goText is a node as Go, given that of its arguments. A product of floats is rounded, lest
// Go fuses it with a sum.
func (k *Kernel) goText(n *Node, text map[*Node]string) string {
	arg := func(i int) string { return text[n.Args[i]] }
	wide := func(f string) string { // a function of package math
		var args []string
		for i := range n.Args {
			args = append(args, "float64("+arg(i)+")")
		}
		s := "math." + f + "(" + strings.Join(args, ", ") + ")"
		if n.Type == F32 {
			return "float32(" + s + ")"
		}
		return s
	}
	if n.Op >= Exp {
		return callText(n, text)
	}
	switch n.Op {
	case Scalar:
		return "a." + k.value(n)
	case Const:
		return constant(n)
	case Lane:
		return n.Type.Go() + "(t)"
	case Acc:
		return "a." + k.Reductions[n.N].Name + "[lane]"
	case FMA:
		return wide("FMA")
	case Quo:
		return fmt.Sprintf("(%s / %d)", typedText(n.Args[0], text), n.N)
	case Rem:
		return fmt.Sprintf("(%s %% %d)", typedText(n.Args[0], text), n.N)
	case Bits:
		if n.Type == F64 {
			return "math.Float64frombits(uint64(" + arg(0) + "))"
		}
		return "int(math.Float64bits(" + arg(0) + "))"
	case Neg:
		return "(-" + arg(0) + ")"
	case Sqrt:
		return wide("Sqrt")
	case Whole:
		return wide(map[int]string{Down: "Floor", Up: "Ceil", Trunc: "Trunc"}[n.N])
	case CopySign:
		return wide("Copysign")
	case Abs:
		if n.Type.float() {
			return wide("Abs")
		}
		return "spmd.Abs(" + typedText(n.Args[0], text) + ")"
	case Max, Min:
		f := map[Op]string{Max: "max", Min: "min"}[n.Op]
		if n.Type.float() {
			f = map[Op]string{Max: "spmd.Larger", Min: "spmd.Smaller"}[n.Op]
		}
		return f + "(" + typedText(n.Args[0], text) + ", " + typedText(n.Args[1], text) + ")"
	case BitNot:
		return "(^" + arg(0) + ")"
	case Not:
		return "(!" + arg(0) + ")"
	case Shl:
		return fmt.Sprintf("(%s << %d)", arg(0), n.N)
	case Shr:
		t := n.Type.Go()
		return fmt.Sprintf("%s(u%s(%s) >> %d)", t, t, arg(0), n.N)
	case Conv:
		if n.Args[0].Type.float() && !n.Type.float() {
			return fmt.Sprintf("spmd.Trunc[%s](%s)", n.Type.Go(), typedText(n.Args[0], text))
		}
		return n.Type.Go() + "(" + arg(0) + ")"
	}
	s := "(" + arg(0) + " " + goOperators[n.Op] + " " + arg(1) + ")"
	if n.Op == Mul && n.Type.float() {
		return n.Type.Go() + s
	}
	return s
}

// constant is a constant as Go. Go has no arithmetic of constants as the machine does, so
// that codegen makes no operations of constants alone.
func constant(n *Node) string {
	switch n.Type {
	case I32:
		return strconv.Itoa(int(int32(n.Bits)))
	case I64:
		return strconv.Itoa(int(n.Bits))
	case F32:
		return "(" + FloatText(float64(math.Float32frombits(uint32(n.Bits))), true) + ")"
	}
	return "(" + FloatText(math.Float64frombits(n.Bits), false) + ")"
}

// FloatText is a constant as Go, of float32 if it is single: a literal, which may have a
// sign, or a call.
func FloatText(x float64, single bool) string {
	special := ""
	switch {
	case math.IsInf(x, 1):
		special = "math.Inf(1)"
	case math.IsInf(x, -1):
		special = "math.Inf(-1)"
	case math.IsNaN(x):
		special = "math.NaN()"
	case x == 0 && math.Signbit(x):
		special = "math.Copysign(0, -1)"
	}
	switch {
	case special != "" && single:
		return "float32(" + special + ")"
	case special != "":
		return special
	}
	bits := 64
	if single {
		bits = 32
	}
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
