package lower

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/runtime/fio"
)

// The standard units.
const (
	unitInput  = 5
	unitOutput = 6
)

// format lowers the format of an I/O statement: nil for list-directed and unformatted form. A
// constant one is parsed, so that its errors are told here.
func (l *lowerer) format(e ast.Expr) (x ir.Expr, ok bool) {
	switch e := e.(type) {
	case nil:
		return nil, true
	case *ast.IntLit:
		for _, f := range l.unit.Formats {
			if strconv.Itoa(f.Label) == strings.TrimLeft(e.Text, "0") {
				return &ir.Const{X: ir.X{Pos: e.Pos, Typ: ir.Character}, Str: f.Text}, true
			}
		}
		l.errorf(codeLabel, e.Pos, "there is no FORMAT with the label %s here", e.Text).
			WithHelp("write %s format(...) in the same program or procedure", e.Text)
		return nil, false
	}
	if isStar(e) {
		return nil, true
	}
	if g := l.group(e); g != nil {
		return &ir.Const{X: ir.X{Pos: e.Position(), Typ: ir.Character}, Str: "&" + strings.ToUpper(g.Name.Name)}, true
	}
	if l.isPart(e) {
		x = l.joined(e)
	} else {
		x = l.expr(e)
	}
	if isBad(x) {
		return nil, false
	}
	if x.Type() != ir.Character {
		l.errorf(codeIO, e.Position(), "the format is %s, it must be CHARACTER", x.Type()).
			WithHelp("write * for list-directed form, a text such as '(i5, f8.3)', or the label of a FORMAT")
		return nil, false
	}
	c, isConst := x.(*ir.Const)
	if !isConst {
		return x, true
	}
	var bad *fio.Error
	if _, err := fio.Parse(c.Str); errors.As(err, &bad) {
		pos := e.Position()
		if _, isLit := e.(*ast.StringLit); isLit {
			pos.Col += 1 + bad.Offset
			l.errorf(codeIO, pos, "%s", bad.Msg).WithHelp("%s", bad.Help)
		} else {
			l.errorf(codeIO, pos, "character %d of the format: %s", bad.Offset+1, bad.Msg).WithHelp("%s", bad.Help)
		}
		return nil, false
	}
	return x, true
}

// unitOf lowers a unit: nil for the standard one.
func (l *lowerer) unitOf(x ir.Expr, standard int) (unit ir.Expr, ok bool) {
	c, isConst := x.(*ir.Const)
	switch {
	case isBad(x):
		return nil, false
	case !x.Type().IsInteger():
		l.errorf(codeIO, x.Position(), "the unit is %s, it must be INTEGER or a CHARACTER variable", x.Type()).WithHelp("write * for the standard unit")
		return nil, false
	case isConst && c.Int == standard:
		return nil, true
	}
	return l.convert(x, ir.Long), true
}

// stays reports whether ADVANCE= says that the record is not ended.
func (l *lowerer) stays(e ast.Expr) (stay, ok bool) {
	if e == nil {
		return false, true
	}
	if c, isConst := l.expr(e).(*ir.Const); isConst && c.Typ == ir.Character {
		switch strings.ToLower(strings.TrimRight(c.Str, " ")) {
		case "no":
			return true, true
		case "yes":
			return false, true
		}
	}
	l.errorf(codeIO, e.Position(), "ADVANCE= takes 'yes' or 'no'").WithHelp("write advance='no'")
	return false, false
}

// print lowers PRINT and WRITE.
func (l *lowerer) print(s *ast.Print) []ir.Stmt {
	if advance := s.Spec("advance"); advance != nil {
		if x := l.expr(advance); x.Type() == ir.Character && !isConstant(x) {
			return l.printEither(s, x)
		}
	}
	p := &ir.Print{S: ir.S{Pos: s.Pos}, Unformatted: s.Unformatted}
	var ok bool
	p.Format, ok = l.format(s.Format)
	advance := s.Spec("advance")
	stay, good := l.stays(advance)
	if p.Stay, ok = stay, ok && good; stay && p.Format == nil {
		l.errorf(codeIO, advance.Position(), "ADVANCE= without a format").WithHelp("give a format: write(*, '(*(g0, 1x))', advance='no')")
		ok = false
	}
	var to ir.Expr // of an internal WRITE
	var in *records
	if s.Unit != nil && l.hasRecords(s.Unit) {
		if in = l.recordsOf(s.Unit, true); in == nil {
			return nil
		}
		to = in.text(s.Pos)
		ok = l.noString(&s.Control) && ok
	} else if s.Unit != nil {
		unit := l.expr(s.Unit)
		if unit.Type() == ir.Character {
			if to = l.target(s.Unit); l.group(s.Format) != nil {
				in = &records{length: l.charLen(to)} // it is one record
			}
			ok = l.noString(&s.Control) && ok && !isBad(to)
		} else {
			p.Unit, good = l.unitOf(unit, unitOutput)
			ok = ok && good
		}
	}
	if to != nil && p.Stay {
		l.errorf(codeIO, advance.Position(), "ADVANCE= with a CHARACTER variable").WithHelp("remove it")
		ok = false
	}
	if p.Unformatted && (to != nil || p.Unit == nil) {
		l.errorf(codeIO, s.Pos, "WRITE without a format on the standard output, or into a string").WithHelp("write write(unit, *) items, or open a file with form='unformatted'")
		ok = false
	}
	keys, given, good := l.specs(&s.Control, transferKeys...)
	p.Keys, p.Given, ok = strings.Join(keys, " "), given, ok && good
	if g := l.group(s.Format); g != nil {
		p.Items, good = l.namelistItems(g, s.Items)
		ok = ok && good
	}
	for _, item := range s.Items {
		x := l.printItem(item)
		ok = ok && !isBad(x)
		p.Items = append(p.Items, x)
	}
	status, behind, good := l.status(&s.Control, s.Pos)
	if !ok || !good {
		return nil
	}
	ends := l.impliedEnds(p)
	order := newItemOrder(l)
	for i, item := range p.Items {
		p.Items[i] = order.item(item)
		ok = ok && !isBad(p.Items[i])
	}
	if !ok {
		return nil
	}
	p.Catch = status != nil
	out := one(p)
	switch {
	case in != nil:
		out = append(append(in.before, l.record(p, to, in)), in.behind...)
	case to != nil:
		out = one(l.record(p, to, nil))
	}
	if status != nil {
		how, good := l.outcome(&s.Control, s.Pos, status, "iomsg")
		if !good {
			return nil
		}
		out = append(out, how...)
	}
	return l.jumps(s.Pos, &s.Control, status, append(append(out, ends...), behind...))
}

// printEither lowers a WRITE with an ADVANCE= that the run decides about: an IF with both.
func (l *lowerer) printEither(s *ast.Print, advance ir.Expr) []ir.Stmt {
	with := func(value string) []ast.Stmt {
		out := *s
		out.Specs = slices.Clone(s.Specs)
		for i := range out.Specs {
			if e := &out.Specs[i]; e.Key == "advance" {
				e.X = &ast.StringLit{XBase: ast.XBase{Pos: e.X.Position(), End: e.X.EndPosition()}, Value: value, Quote: '\''}
			}
		}
		return []ast.Stmt{&out}
	}
	var no ir.Expr
	for _, word := range []string{"no", "No", "nO", "NO"} {
		c := &ir.Const{X: ir.X{Pos: s.Pos, Typ: ir.Character}, Str: word}
		is := l.bin(ir.Eq, ir.Clone(advance), c, s.Pos, s.Pos)
		if no == nil {
			no = is
		} else {
			no = l.bin(ir.Or, no, is, s.Pos, s.Pos)
		}
	}
	return one(&ir.If{S: ir.S{Pos: s.Pos}, Cond: no, Then: l.block(with("no")), Else: l.block(with("yes"))})
}

func isConstant(e ir.Expr) bool { _, ok := e.(*ir.Const); return ok }

// transferKeys are the entries of READ and WRITE that the run time takes.
var transferKeys = append([]string{"rec", "pos"}, ir.ModeKeys...)

// noString reports an entry of READ or WRITE that is for units alone, where a string is
// read or written.
func (l *lowerer) noString(c *ast.Control) (ok bool) {
	ok = true
	for _, s := range c.Specs {
		if slices.Contains(transferKeys, s.Key) {
			l.errorf(codeIO, s.X.Position(), "%s= with a CHARACTER variable is not supported", strings.ToUpper(s.Key)).
				WithHelp("remove it, or write it into the format: DC, SP, RU, BZ")
			ok = false
		}
	}
	return ok
}

// record is the assignment that an internal WRITE is, to a text or the records of an array.
func (l *lowerer) record(p *ir.Print, to ir.Expr, in *records) ir.Stmt {
	length := l.lenOf(to, p.Pos)
	if in != nil && in.length >= 0 {
		length = l.intConst(in.length, p.Pos)
	}
	if sub, ok := to.(*ir.Substr); ok && l.charLen(to) < 0 {
		size := func(op ir.Op, x, y ir.Expr) ir.Expr {
			return l.foldBinary(&ir.Bin{X: ir.X{Pos: p.Pos, Typ: ir.Long}, Op: op, L: x, R: y}, p.Pos)
		}
		length = size(ir.Add, size(ir.Sub, l.convert(ir.Clone(sub.Hi), ir.Long), l.convert(ir.Clone(sub.Lo), ir.Long)), intConstOf(ir.Long, 1, p.Pos))
	}
	format := p.Format
	if format == nil {
		format = &ir.Const{X: ir.X{Pos: p.Pos, Typ: ir.Character}}
	}
	call := &ir.Call{X: ir.X{Pos: p.Pos, Typ: ir.Character}, Name: "write", Args: append([]ir.Expr{format, length}, p.Items...)}
	if p.Catch { // what fails leaves the string as it is
		call.Name, call.Args = "trywrite", append([]ir.Expr{format, length, ir.Clone(to)}, p.Items...)
	}
	if in != nil { // records that are not written stay
		old := ir.Clone(to)
		if in.sym == nil { // there is one, which is written
			blank := &ir.Const{X: ir.X{Pos: p.Pos, Typ: ir.Character}, Str: " "}
			old = &ir.Call{X: ir.X{Pos: p.Pos, Typ: ir.Character}, Name: "repeat", Args: []ir.Expr{blank, ir.Clone(length)}}
		}
		call.Name, call.Args = call.Name+"records", append([]ir.Expr{format, length, old}, p.Items...)
	}
	return &ir.Assign{S: p.S, LHS: to, RHS: call}
}

// printItem lowers an item of PRINT: an expression or an implied DO. The type
// of an implied DO is that of its first item.
func (l *lowerer) printItem(e ast.Expr) ir.Expr { return l.printItemIn(e, nil) }

// printItemIn is printItem inside of the implied DO loops of v, nil for none.
func (l *lowerer) printItemIn(e ast.Expr, v *impliedValues) ir.Expr {
	d, ok := e.(*ast.ImpliedDo)
	if !ok {
		if shaping := l.firstPart(e); shaping != nil {
			return l.printedArray(e, shaping)
		}
	}
	if !ok {
		return l.expr(e)
	}
	x := &ir.ImpliedDo{X: ir.X{Pos: d.Pos}, Index: l.loopIndex(d.Var)}
	x.Lo = l.integer(d.Lo, "the start of an implied DO")
	x.Hi = l.integer(d.Hi, "the end of an implied DO")
	x.Step = l.step(d.Step, d.Pos)
	x.Lo, x.Hi, x.Step = l.counted(x.Index, x.Lo, x.Hi, x.Step)
	good := x.Index != nil && !isBad(x.Lo, x.Hi, x.Step)
	if x.Index != nil {
		l.active[x.Index] = d.Pos
	}
	outermost := v == nil
	if outermost {
		v = &impliedValues{l: l, inside: map[*ir.ImpliedDo][]ir.Stmt{}}
	}
	inside := l.functions(func() {
		for _, item := range d.Items {
			i := l.printItemIn(item, v)
			good = good && !isBad(i)
			x.Items = append(x.Items, i)
		}
	})
	if len(inside) > 0 {
		v.inside[x] = inside
	}
	if x.Index != nil {
		delete(l.active, x.Index)
	}
	if outermost && good && len(v.inside) > 0 {
		good = v.keep(x)
	}
	if !good || len(x.Items) == 0 {
		return bad(d.Pos)
	}
	x.Typ = x.Items[0].Type()
	return x
}
