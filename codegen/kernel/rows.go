package kernel

import (
	"fmt"
	"strings"
)

// Rows is a nest over the rows of a sparse matrix or the like, which is computed in the
// order of the source: for each row a value, which each entry of the row changes, and what
// is stored then.
//
//	do i = 1, n
//	   s = 0
//	   do k = row(i), row(i+1) - 1
//	      s = s + a(k)*p(col(k))
//	   end do
//	   q(i) = s
//	end do
//
// Its function returns how many rows it has computed. It does not begin to store for a row
// with a subscript out of bounds: that, and all that a processor cannot do, is left to a
// loop in Go over the rows that remain.
type Rows struct {
	Name   string
	Doc    string // one line: what it computes
	Fields []RowField
	Lo, Hi RowBound // of the entries of a row
	Count  int      // of the entries of each row, 0 if that is not known
	First  *RowNode // the value before the entries
	Next   *RowNode // the value behind one, given RowValue
	Stores []RowStore
}

// RowField is a part of the argument of a nest.
type RowField struct {
	Name string
	Kind RowKind
	Type Type // F64 or I32; of a RowParam F64 or I64
	Same bool // of a RowEntry: NAMEBy is 0
}

// RowKind says what a field is.
type RowKind uint8

const (
	RowParam   RowKind = iota // a value: NAME
	RowElement                // an element for each row: NAME
	RowEntry                  // an element for each entry: NAME[NAMEAt+k+r*NAMEBy] for entry k of row r
	RowTable                  // elements that entries pick: NAME[NAMEAt+pick]
	RowList                   // the same by a list: NAME[NAMEList[NAMENext]], and so on
)

// RowBound is the first or last entry of a row: a parameter, or an element for the row; plus C.
type RowBound struct{ Field, C int }

// RowNode is a value of a row or of one of its entries, of F64; what is loaded from a field of
// I32 is converted. A field that is a table is picked from by the entry Pick, of I32.
type RowNode struct {
	Op    Op // Load, of a field; Acc, the value so far; Add, Sub, Mul, Div
	Field int
	Pick  int
	Args  []*RowNode
}

// RowStore assigns the element of a row.
type RowStore struct {
	Field int
	Value *RowNode
}

// argument declares the argument, and tells where its fields are.
func (k *Rows) argument(b *strings.Builder) (at []int) {
	fmt.Fprintf(b, "type %sArgs struct {\n\tn int // rows\n", k.Name)
	off := 8
	words := func(n int, format string, args ...any) {
		fmt.Fprintf(b, "\t"+format+"\n", args...)
		off += 8 * n
	}
	for _, f := range k.Fields {
		at = append(at, off)
		switch f.Kind {
		case RowParam:
			words(1, "%s %s", f.Name, f.Type.Go())
			continue
		default:
			words(3, "%s []%s", f.Name, f.Type.Go())
		}
		switch f.Kind {
		case RowEntry:
			words(2, "%sAt, %sBy int", f.Name, f.Name)
		case RowTable:
			words(1, "%sAt int", f.Name)
		case RowList:
			words(3, "%sList []int32", f.Name)
			words(2, "%sNext, %sRow int // the next; where that of the row begins", f.Name, f.Name)
		}
	}
	fmt.Fprintf(b, "}\n\n")
	return at
}

// rowWriter writes the assembly.
type rowWriter struct {
	k    *Rows
	b    *strings.Builder
	at   []int
	regs map[int]string // of fields: where entries, tables and lists begin
	tabs map[int]string // of lists: where their values are
	offs map[int]string // of entries: NAMEAt, where there is a register for it
	next int            // the entry, of a count that is known
	why  string
}

// rowRegs are the general registers for fields; CX is the row, AX the entry, BX the end
// of the entries, DX for passing purposes, DI the argument.
var rowRegs = []string{"SI", "R8", "R9", "R10", "R11", "R12", "R13"}

// assembly writes the nest with the instructions of AVX, or says why it cannot.
func (k *Rows) assembly(b *strings.Builder) (why string) {
	w := &rowWriter{k: k, b: b, at: k.argument(&strings.Builder{}), regs: map[int]string{}, tabs: map[int]string{}, offs: map[int]string{}}
	free := rowRegs
	take := func() string {
		if len(free) == 0 {
			w.why = "it uses too many arrays"
			return "SI"
		}
		r := free[0]
		free = free[1:]
		return r
	}
	for i, f := range k.Fields {
		switch f.Kind {
		case RowEntry, RowTable:
			w.regs[i] = take()
		case RowList:
			w.regs[i], w.tabs[i] = take(), take()
		}
	}
	for i, f := range k.Fields {
		if f.Kind == RowEntry && !f.Same && len(free) > 0 {
			w.offs[i] = take()
		}
	}
	p := w.p
	p("// func %sAVX2(a *%sArgs) int", k.Name, k.Name)
	p("TEXT ·%sAVX2(SB), NOSPLIT, $0-16", k.Name)
	p("\tMOVQ a+0(FP), DI")
	for i, f := range k.Fields {
		switch f.Kind {
		case RowTable:
			p("\tMOVQ %d(DI), %s", w.at[i], w.regs[i])
		case RowEntry:
			if f.Same {
				p("\tMOVQ %d(DI), DX // %s", w.at[i]+24, f.Name)
				w.begin(i)
			} else if off := w.offs[i]; off != "" {
				p("\tMOVQ %d(DI), %s", w.at[i]+24, off)
			}
		case RowList:
			p("\tMOVQ %d(DI), %s", w.at[i], w.tabs[i])
			p("\tMOVQ %d(DI), DX // %s", w.at[i]+48, f.Name)
			p("\tMOVQ %d(DI), %s", w.at[i]+24, w.regs[i])
			p("\tLEAQ (%s)(DX*4), %s", w.regs[i], w.regs[i])
		}
	}
	p("\tXORL CX, CX")
	p("row:")
	for i, f := range k.Fields {
		if f.Kind == RowList {
			p("\tMOVQ %s, %d(DI)", w.regs[i], w.at[i]+56)
		}
	}
	p("\tCMPQ CX, (DI)")
	p("\tJGE done")
	w.bound(k.Lo, 0, "AX")
	w.bound(k.Hi, 1, "BX")
	if x := w.value(k.First, 0); x != "X0" {
		p("\tVMOVAPD %s, X0", x)
	}
	p("\tCMPQ AX, BX")
	p("\tJGE behind")
	for i, f := range k.Fields {
		switch f.Kind {
		case RowEntry:
			if off := w.offs[i]; off != "" {
				p("\tMOVQ %s, DX // %s", off, f.Name)
			} else {
				p("\tMOVQ %d(DI), DX // %s", w.at[i]+24, f.Name)
			}
			if !f.Same {
				w.begin(i)
			}
			p("\tADDQ AX, DX")
			p("\tJMI done")
			p("\tSUBQ AX, DX")
			p("\tADDQ BX, DX")
			p("\tCMPQ DX, %d(DI)", w.at[i]+8)
			p("\tJGT done")
		case RowList:
			p("\tMOVQ AX, DX // %s", f.Name)
			p("\tNEGQ DX")
			p("\tLEAQ (%s)(DX*4), %s", w.regs[i], w.regs[i])
		}
	}
	if k.Count == 0 {
		p("\tPCALIGN $32")
		p("entry:")
	}
	for w.next = range max(1, k.Count) {
		n := k.Next
		if (n.Op == Add || n.Op == Sub) && n.Args[0].Op == Acc {
			p("\tV%sSD %s, X0, X0", rowOps[n.Op], w.operand(n.Args[1], 1))
		} else if x := w.value(n, 1); x != "X0" {
			p("\tVMOVAPD %s, X0", x)
		}
	}
	if k.Count == 0 {
		p("\tINCQ AX")
		p("\tCMPQ AX, BX")
		p("\tJLT entry")
	}
	for i, f := range k.Fields {
		if f.Kind == RowList {
			p("\tLEAQ (%s)(BX*4), %s", w.regs[i], w.regs[i])
		}
	}
	p("behind:")
	for _, s := range k.Stores {
		x := w.value(s.Value, 1)
		p("\tMOVQ %d(DI), DX", w.at[s.Field])
		p("\tVMOVSD %s, (DX)(CX*8)", x)
	}
	for i, f := range k.Fields {
		switch off := w.offs[i]; {
		case f.Kind != RowEntry || f.Same:
		case off != "":
			p("\tADDQ %d(DI), %s", w.at[i]+32, off)
		default:
			p("\tMOVQ %d(DI), DX", w.at[i]+32)
			p("\tADDQ DX, %d(DI)", w.at[i]+24)
		}
	}
	p("\tINCQ CX")
	p("\tJMP row")
	p("done:")
	for i, f := range k.Fields {
		if f.Kind == RowList { // before the row that is not computed
			p("\tMOVQ %d(DI), DX", w.at[i]+56)
			p("\tSUBQ %d(DI), DX", w.at[i]+24)
			p("\tSHRQ $2, DX")
			p("\tMOVQ DX, %d(DI)", w.at[i]+48)
		}
	}
	p("\tMOVQ CX, ret+8(FP)")
	p("\tRET\n")
	return w.why
}

func (w *rowWriter) p(format string, args ...any) { fmt.Fprintf(w.b, format+"\n", args...) }

// begin makes the register of an entry stream point to entry 0, which is at DX.
func (w *rowWriter) begin(i int) {
	w.p("\tMOVQ %d(DI), %s", w.at[i], w.regs[i])
	w.p("\tLEAQ (%s)(DX*%d), %s", w.regs[i], w.k.Fields[i].Type.size(), w.regs[i])
}

// entry is the address of the element of a stream for the entry.
func (w *rowWriter) entry(i, size int) string {
	if w.next > 0 {
		return fmt.Sprintf("%d(%s)(AX*%d)", w.next*size, w.regs[i], size)
	}
	return fmt.Sprintf("(%s)(AX*%d)", w.regs[i], size)
}

// bound loads a bound, plus more.
func (w *rowWriter) bound(b RowBound, more int, reg string) {
	switch f := w.k.Fields[b.Field]; f.Kind {
	case RowParam:
		w.p("\tMOVQ %d(DI), %s", w.at[b.Field], reg)
	default:
		w.p("\tMOVQ %d(DI), DX", w.at[b.Field])
		w.p("\tMOVLQSX (DX)(CX*4), %s", reg)
	}
	if c := b.C + more; c != 0 {
		w.p("\tADDQ $%d, %s", c, reg)
	}
}

var rowOps = map[Op]string{Add: "ADD", Sub: "SUB", Mul: "MUL", Div: "DIV"}

// value computes a value and returns its register: X0 for the value so far, else one from
// the given number on.
func (w *rowWriter) value(n *RowNode, reg int) string {
	if reg > 14 {
		w.why = "its expressions are too long"
		reg = 14
	}
	to := fmt.Sprintf("X%d", reg)
	switch n.Op {
	case Acc:
		return "X0"
	case Load:
		if x := w.operand(n, reg); x != to {
			w.p("\tVMOVSD %s, %s", x, to)
		}
		return to
	}
	x := w.value(n.Args[0], reg)
	w.p("\tV%sSD %s, %s, %s", rowOps[n.Op], w.operand(n.Args[1], reg+1), x, to)
	return to
}

// operand is a value in memory where it is a field of F64, else in a register.
func (w *rowWriter) operand(n *RowNode, reg int) string {
	if n.Op != Load {
		return w.value(n, reg)
	}
	at := w.address(n)
	if w.k.Fields[n.Field].Type != I32 {
		return at
	}
	if reg > 14 {
		w.why = "its expressions are too long"
		reg = 14
	}
	to := fmt.Sprintf("X%d", reg)
	w.p("\tVXORPS %s, %s, %s // not the value of the one before", to, to, to)
	w.p("\tVCVTSI2SDL %s, %s, %s", at, to, to)
	return to
}

// address is where a field has the value that is loaded.
func (w *rowWriter) address(n *RowNode) string {
	i := n.Field
	size := w.k.Fields[i].Type.size()
	switch w.k.Fields[i].Kind {
	case RowParam:
		return fmt.Sprintf("%d(DI)", w.at[i])
	case RowElement:
		w.p("\tMOVQ %d(DI), DX", w.at[i])
		return fmt.Sprintf("(DX)(CX*%d)", size)
	case RowEntry:
		return w.entry(i, size)
	case RowTable:
		w.p("\tMOVLQSX %s, DX", w.entry(n.Pick, 4))
		w.p("\tADDQ %d(DI), DX", w.at[i]+24)
		w.p("\tCMPQ DX, %d(DI)", w.at[i]+8)
		w.p("\tJCC done")
		return fmt.Sprintf("(%s)(DX*%d)", w.regs[i], size)
	}
	w.p("\tMOVLQSX %s, DX", w.entry(i, 4))
	return fmt.Sprintf("(%s)(DX*%d)", w.tabs[i], size)
}
