package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// printOwn emits PRINT for every image.
func (g *gen) printOwn(s *ir.Print) {
	at := len(g.out.lines)
	g.print(s)
	if len(g.out.lines)-at > 1 { // the record is a variable
		g.out.lines = append(g.out.lines[:at], append([]line{{text: "{", at: s.Pos.Line}}, g.out.lines[at:]...)...)
		g.out.p("}")
	}
}

func (g *gen) print(s *ir.Print) {
	if s.Catch {
		g.out.p("pe.Catch(func() {")
		defer g.out.p("})")
	}
	unit := "6"
	if s.Unit != nil {
		unit = g.position(s.Unit)
	}
	g.with(s.Keys, s.Unformatted, s.Given)
	switch {
	case s.Unformatted:
		g.out.p("record := spmd.NewBytes()")
		g.addItems(s.Items)
		g.out.p("pe.WriteRecords(%s, record.Bytes())", unit)
	case slices.Contains(strings.Fields(s.Keys), "rec"):
		g.out.p("record := fio.NewWriter(%s).Split()%s", g.format(s.Format), g.modesOf(s, unit))
		g.addItems(s.Items)
		g.out.p("pe.WriteRecords(%s, record.Records()...)", unit)
	case ir.IsNamelist(s.Format):
		write := "pe.Write("
		if s.Unit != nil {
			write = "pe.WriteTo(" + unit + ", "
		}
		g.out.p("record := spmd.NewNamelist(%q)%s", s.Format.(*ir.Const).Str[1:], g.modesOf(s, unit))
		g.addVariables(s.Items)
		g.out.p("%srecord.End())", write)
	default:
		g.printText(s, unit)
	}
}

// addVariables emits the items of a NAMELIST group.
func (g *gen) addVariables(items []ir.Expr) {
	for i := 0; i < len(items); i += 2 {
		g.out.p("record.Name(%q)", items[i].(*ir.Const).Str)
		g.item(items[i+1])
	}
}

// with emits what the statement that follows has in parentheses.
func (g *gen) with(keys string, unformatted bool, given []ir.Expr) {
	if unformatted {
		keys = strings.TrimSpace(keys + " unformatted")
	}
	if keys != "" {
		g.out.p("pe.With(%s)", strings.TrimSuffix(fmt.Sprintf("%q, %s", keys, g.itemList(given)), ", "))
	}
}

// addItems emits the items of a record.
func (g *gen) addItems(items []ir.Expr) {
	for _, e := range items {
		g.item(e)
	}
}

// printText emits a PRINT or WRITE of text to a unit.
func (g *gen) printText(s *ir.Print, unit string) {
	write, line := "pe.Write(", "pe.NewLine()"
	if s.Unit != nil {
		write, line = "pe.WriteTo("+unit+", ", "pe.NewLineTo("+unit+")"
	}
	modes := g.modesOf(s, unit)
	if s.Format != nil && g.leavesRests() {
		modes += ".Over(pe.Rest(" + unit + "))"
	}
	switch together := !implied(s.Items) && modes == "" && !s.Stay; {
	case together && s.Format != nil:
		g.out.p("%s%s.Text(%s))", write, g.format(s.Format), g.itemList(s.Items))
		return
	case together && s.Unit == nil:
		g.out.p("pe.Print(%s)", g.itemList(s.Items))
		return
	}
	if s.Format != nil {
		line = "fio.NewWriter(" + g.format(s.Format) + ")"
	}
	g.out.p("record := %s%s", line, modes)
	g.addItems(s.Items)
	switch {
	case s.Stay:
		g.out.p("pe.WriteOpen(%s, record)", unit)
	case s.Format != nil:
		g.out.p("%srecord.End())", write)
	default:
		g.out.p("record.End()")
	}
}

// leavesRests reports whether a WRITE with ADVANCE='NO' may go back in its record, by T or TL.
func (g *gen) leavesRests() bool {
	found := false
	ir.Walk(g.prog.IR.Body, func(s ir.Stmt) bool {
		if p, ok := s.(*ir.Print); ok && p.Stay {
			c, known := p.Format.(*ir.Const)
			found = found || !known || strings.ContainsAny(c.Str, "tT")
		}
		return !found
	})
	return found
}

// modesOf is what makes the record of s treat values as its unit or s itself has them
// treated, "" where nothing in the program does.
func (g *gen) modesOf(s *ir.Print, unit string) string {
	if !setsModes(s.Keys) && !g.opensWithModes() {
		return ""
	}
	return ".For(pe.Modes(" + unit + "))"
}

// setsModes reports whether there is an entry among keys that sets modes of a unit.
func setsModes(keys string) bool {
	return slices.ContainsFunc(strings.Fields(keys), func(key string) bool {
		return slices.Contains(ir.ModeKeys, strings.TrimSuffix(key, "="))
	})
}

// opensWithModes reports whether an OPEN of the program sets modes of a unit.
func (g *gen) opensWithModes() bool {
	found := false
	ir.Walk(g.prog.IR.Body, func(s ir.Stmt) bool {
		r, is := s.(*ir.Read)
		found = found || is && strings.HasPrefix(r.What, "open ") && setsModes(r.What)
		return !found
	})
	return found
}

// implied reports whether there is an implied DO among items.
func implied(items []ir.Expr) bool {
	return slices.ContainsFunc(items, func(e ir.Expr) bool {
		_, is := e.(*ir.ImpliedDo)
		return is
	})
}

func (g *gen) itemList(items []ir.Expr) string {
	list := make([]string, len(items))
	for i, e := range items {
		list[i] = g.typed(e)
	}
	return strings.Join(list, ", ")
}

// format is the expression of a format: a variable of the program where it is
// constant.
func (g *gen) format(e ir.Expr) string {
	c, isConst := e.(*ir.Const)
	if !isConst {
		return fmt.Sprintf("fio.Must(%s)", g.expr(e))
	}
	for _, f := range g.formats {
		if f.text == c.Str {
			return f.name
		}
	}
	f := namedFormat{g.names.fresh(fmt.Sprintf("format%d", len(g.formats)+1)), c.Str}
	g.formats = append(g.formats, f)
	return f.name
}

// namedFormat is a format that emitted code has in a variable.
type namedFormat struct{ name, text string }

// written is the record that an internal WRITE makes: the call "write", or "trywrite",
// which makes the old value of the string of what fails; of those in an array the calls with
// "records".
func (g *gen) written(e *ir.Call) string {
	name, tried := strings.CutPrefix(e.Name, "try")
	records := name == "writerecords"
	items, length, old := e.Args[2:], g.position(e.Args[1]), ""
	if records || tried {
		items, old = e.Args[3:], g.expr(e.Args[2])
	}
	c, isConst := e.Args[0].(*ir.Const)
	listed := isConst && c.Str == ""
	if !listed && !implied(items) && !records && !tried {
		return fmt.Sprintf("%s.Record(%s)", g.format(e.Args[0]), strings.TrimSuffix(length+", "+g.itemList(items), ", "))
	}
	end := "Record(" + length + ")"
	switch {
	case records:
		end = "RecordsOf(" + length + ", " + old + ")"
	case listed:
		end = "Text(" + length + ")"
	}
	outer := g.out
	g.out = &buffer{}
	switch {
	case ir.IsNamelist(e.Args[0]):
		g.out.p("record := spmd.NewNamelist(%q)", c.Str[1:])
		g.addVariables(items)
	case listed:
		g.out.p("record := spmd.NewText()")
		g.addItems(items)
	default:
		g.out.p("record := fio.NewWriter(%s)", g.format(e.Args[0]))
		g.addItems(items)
	}
	var b strings.Builder
	for _, l := range g.out.lines {
		b.WriteString(l.text + "\n")
	}
	g.out = outer
	made := "func() string {\n" + b.String() + "return record." + end + "\n}"
	if tried {
		return "pe.Try(" + old + ", " + made + ")"
	}
	return made + "()"
}

func (g *gen) item(e ir.Expr) {
	d, ok := e.(*ir.ImpliedDo)
	if !ok {
		g.out.p("record.Add(%s)", g.typed(e))
		return
	}
	lo, hi, step := g.position(d.Lo), g.position(d.Hi), g.position(d.Step)
	g.bound[d.Index]++
	k := g.names.sym(d.Index)
	g.out.p("for %s, step, trips := %s, %s, spmd.Count(%s, %s, %s); trips > 0; %s, trips = %s+step, trips-1 {", k, lo, step, lo, hi, step, k, k)
	for _, x := range d.Items {
		g.item(x)
	}
	g.out.p("}")
	g.bound[d.Index]--
}

// readStmt emits READ: PE 0 reads, all get the values. The variables are passed
// through copies so that they need not live in memory.
func (g *gen) readStmt(s *ir.Read) {
	var syms []*ir.Symbol
	seen := map[*ir.Symbol]bool{}
	addr := func(y *ir.Symbol) string {
		if !seen[y] {
			seen[y] = true
			syms = append(syms, y)
		}
		p := "&" + g.names.sym(y) + "In"
		if y.Type == ir.Character {
			if y.Len == ir.AnyLength {
				return fmt.Sprintf("spmd.Str(%s, len(%s))", p, g.names.sym(y))
			}
			return fmt.Sprintf("spmd.Str(%s, %d)", p, y.Len)
		}
		if y.Stored != ir.Invalid {
			return fmt.Sprintf("spmd.Stored(%s, %d)", p, y.Stored.Bytes())
		}
		return p
	}
	iostat := "nil"
	if s.Iostat != nil {
		iostat = addr(s.Iostat)
	}
	var args []string
	for i, v := range s.Items {
		a := addr(v.Sym)
		if s.Got != nil && s.Got[i] != nil {
			a = fmt.Sprintf("spmd.Note(%s, %s)", addr(s.Got[i]), a)
		}
		args = append(args, a)
	}
	var in, outer, before, behind []string
	for _, y := range syms {
		x, name := g.scalar(y), g.names.sym(y)+"In"
		g.reads(y)
		in, outer = append(in, name), append(outer, x)
		if y == s.Iostat && y.Type == ir.Integer { // the run time has it as an int
			x, name = "int("+x+")", "int32("+name+")"
		}
		before, behind = append(before, x), append(behind, name)
	}
	if len(in) > 0 {
		g.out.p("{")
		g.out.p("%s := %s", strings.Join(in, ", "), strings.Join(before, ", "))
	}
	if s.Times != nil {
		args = append(args, g.readVectors(s))
	}
	list := ""
	if len(args) > 0 {
		list = ", " + strings.Join(args, ", ")
	}
	if s.Stay {
		g.out.p("pe.GoesOn()")
	}
	switch {
	case introspects(s):
		g.introspect(s, strings.TrimPrefix(args[0], "&"))
	case s.What != "":
		g.out.p("pe.Ask(%d, %q, []any{%s}%s)", g.readSite(s), s.What, g.itemList(s.Given), list)
	}
	if s.From != nil && !s.Internal() {
		g.out.p("pe.FromUnit(%s)", g.position(s.From))
	}
	if s.What == "" {
		g.with(s.Keys, s.Unformatted, s.Given)
	}
	switch {
	case s.What != "":
	case s.Unformatted:
		g.out.p("pe.Unformatted(%d, %s%s)", g.readSite(s), iostat, list)
	case s.IsNamelist() && s.Internal():
		g.out.p("pe.NamelistInternal(%d, %s, %s, %q%s)", g.readSite(s), g.expr(s.From), iostat, s.Format.(*ir.Const).Str[1:], list)
	case s.IsNamelist():
		g.out.p("pe.Namelist(%d, %s, %q%s)", g.readSite(s), iostat, s.Format.(*ir.Const).Str[1:], list)
	case s.Format != nil && s.Internal():
		g.out.p("pe.FormattedInternal(%d, %s, %s, %s%s)", g.readSite(s), g.expr(s.From), iostat, g.format(s.Format), list)
	case s.Format != nil:
		g.out.p("pe.Formatted(%d, %s, %s%s)", g.readSite(s), iostat, g.format(s.Format), list)
	case s.Internal():
		g.out.p("pe.ReadInternal(%d, %s, %s%s)", g.readSite(s), g.expr(s.From), iostat, list)
	default:
		g.out.p("pe.Read(%d, %s%s)", g.readSite(s), iostat, list)
	}
	if len(in) > 0 {
		g.out.p("%s = %s", strings.Join(outer, ", "), strings.Join(behind, ", "))
		g.out.p("}")
	}
}

// readVectors is the item of a READ of arrays.
func (g *gen) readVectors(s *ir.Read) string {
	list := []string{g.position(s.Times)}
	for i, t := range s.Vectors {
		x, got := g.names.sym(t), g.names.sym(s.GotVectors[i])
		if t.Type == ir.Character {
			list = append(list, fmt.Sprintf("spmd.Texts(%s.Data, %d, %s.Data)", x, t.Len, got))
		} else if t.Stored != ir.Invalid {
			list = append(list, fmt.Sprintf("spmd.StoredVector(%s.Data, %s.Data, %d)", x, got, t.Stored.Bytes()))
		} else {
			list = append(list, fmt.Sprintf("spmd.Vector(%s.Data, %s.Data)", x, got))
		}
	}
	return "spmd.Times(" + strings.Join(list, ", ") + ")"
}
