package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Intrinsic subroutines that query the system are statements like READ: PE 0
// queries, and all PEs get the result; of a program with coarrays each image queries.

// systemParam is a dummy argument of an intrinsic subroutine.
type systemParam struct {
	name     string
	given    bool // to the subroutine, which does not change it
	required bool
	words    int // of an array, how many elements are used
	takes    func(ir.Type) bool
}

// seedWords is the size of the seed of the random numbers.
const seedWords = 8

func isText(t ir.Type) bool    { return t == ir.Character }
func isLogical(t ir.Type) bool { return t.IsLogical() }

var systemCalls = map[string][]systemParam{
	"cpu_time":      {{name: "time", required: true, takes: ir.Type.IsReal}},
	"system_clock":  {{name: "count", takes: ir.Type.IsInteger}, {name: "count_rate", takes: ir.Type.IsOrdered}, {name: "count_max", takes: ir.Type.IsInteger}},
	"date_and_time": {{name: "date", takes: isText}, {name: "time", takes: isText}, {name: "zone", takes: isText}, {name: "values", words: 8, takes: ir.Type.IsInteger}},
	"get_command_argument": {{name: "number", given: true, required: true, takes: ir.Type.IsInteger}, {name: "value", takes: isText},
		{name: "length", takes: ir.Type.IsInteger}, {name: "status", takes: ir.Type.IsInteger}},
	"get_environment_variable": {{name: "name", given: true, required: true, takes: isText}, {name: "value", takes: isText},
		{name: "length", takes: ir.Type.IsInteger}, {name: "status", takes: ir.Type.IsInteger}, {name: "trim_name", given: true, takes: isLogical}},
	"execute_command_line": {{name: "command", given: true, required: true, takes: isText}, {name: "wait", given: true, takes: isLogical},
		{name: "exitstat", takes: ir.Type.IsInteger}, {name: "cmdstat", takes: ir.Type.IsInteger}, {name: "cmdmsg", takes: isText}},
	"getarg":        {{name: "number", given: true, required: true, takes: ir.Type.IsInteger}, {name: "value", required: true, takes: isText}},
	"get_command":   {{name: "command", takes: isText}, {name: "length", takes: ir.Type.IsInteger}, {name: "status", takes: ir.Type.IsInteger}},
	"random_number": {{name: "harvest", required: true, takes: ir.Type.IsReal}},
	"random_seed":   {{name: "size", takes: ir.Type.IsInteger}, {name: "put", given: true, words: seedWords, takes: ir.Type.IsInteger}, {name: "get", words: seedWords, takes: ir.Type.IsInteger}},
	"random_init":   {{name: "repeatable", given: true, required: true, takes: isLogical}, {name: "image_distinct", given: true, required: true, takes: isLogical}},
	"sleep":         {{name: "seconds", given: true, required: true, takes: ir.Type.IsInteger}},
}

// system lowers the call of an intrinsic subroutine that is not a subroutine of the
// file; ok is false where it is not one of those here.
func (l *lowerer) system(s *ast.Call) (out []ir.Stmt, ok bool) {
	name := s.Proc.Name
	switch name {
	case "mvbits":
		return l.moveBits(s), true
	case "flush": // what is written is shown before the program waits, and at its end
		if len(s.Args) == 0 {
			return nil, true
		}
		return l.fileStmt(&ast.FileStmt{Base: s.Base, Word: name, Control: ast.Control{Unit: s.Args[0]}}), true
	case "abort":
		const aborted = 134 // what a shell makes of the signal
		return one(&ir.Stop{S: ir.S{Pos: s.Pos}, Code: l.intConst(aborted, s.Pos), Quiet: true}), true
	case "exit":
		end := &ir.Stop{S: ir.S{Pos: s.Pos}, Code: l.intConst(0, s.Pos), Quiet: true}
		if len(s.Args) > 0 {
			end.Code = l.integer(s.Args[0], "the status of EXIT")
		}
		if isBad(end.Code) {
			return nil, true
		}
		return one(end), true
	}
	params, ok := systemCalls[name]
	if !ok {
		return nil, false
	}
	if l.impure("CALL "+strings.ToUpper(name), s.Pos) {
		return nil, true
	}
	r := &ir.Read{S: ir.S{Pos: s.Pos}, What: name}
	var items []readItem
	given := make([]bool, len(params))
	for i, arg := range s.Args {
		if k, is := arg.(*ast.Keyword); is {
			arg = k.X
			i = slices.IndexFunc(params, func(p systemParam) bool { return p.name == k.Name })
		}
		if i < 0 || i >= len(params) || given[i] {
			l.errorf(codeCall, arg.Position(), "%s has no such argument", strings.ToUpper(name)).WithHelp("its arguments are: %s", paramNames(params))
			return nil, true
		}
		given[i] = true
		p := &params[i]
		if name == "random_number" && l.isPart(arg) {
			return l.randomArray(r, arg), true
		}
		list, good := l.systemArgument(name, p, arg)
		if !good {
			return nil, true
		}
		for _, x := range list {
			if r.What += " " + p.name; p.given {
				r.Given = append(r.Given, x)
			} else {
				items = append(items, readItem{x: x})
			}
		}
	}
	for i, p := range params {
		if p.required && !given[i] {
			l.errorf(codeCall, s.Pos, "%s needs its argument %s", strings.ToUpper(name), p.name).WithHelp("its arguments are: %s", paramNames(params))
			return nil, true
		}
	}
	return append(one(r), l.receive(r, items)...), true
}

func paramNames(params []systemParam) string {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// systemArgument lowers an argument to the values or variables that it is.
func (l *lowerer) systemArgument(name string, p *systemParam, arg ast.Expr) (list []ir.Expr, ok bool) {
	var x ir.Expr
	switch {
	case p.words > 0:
		a := l.systemArray(name, p, arg)
		if a == nil {
			return nil, false
		}
		for k := range p.words {
			r := &ir.Ref{X: ir.X{Pos: arg.Position(), Typ: a.typ}, Sym: a.view.base,
				Subs: []ir.Expr{l.plus(ir.Clone(a.shape.lo[0]), l.intConst(k, arg.Position()), arg.Position())}}
			list = append(list, l.viewed(a.view, r))
		}
		x = list[0]
	case p.given:
		x = l.expr(arg)
		list = []ir.Expr{x}
	default:
		x = l.target(arg)
		list = []ir.Expr{x}
	}
	if isBad(x) {
		return nil, false
	}
	if !p.takes(x.Type()) {
		l.errorf(codeCall, arg.Position(), "argument %s of %s is %s", p.name, strings.ToUpper(name), x.Type()).WithHelp("pass something of another type")
		return nil, false
	}
	return list, true
}

// systemArray is the array that is an argument, or nil.
func (l *lowerer) systemArray(name string, p *systemParam, arg ast.Expr) *argument {
	var a *argument
	var pre []ir.Stmt
	if l.isPart(arg) {
		if a = l.part(arg, &pre); a == nil || !p.given && !l.mayChange(ast.Name{Pos: a.pos, Name: a.name}) {
			return nil
		}
	}
	if a != nil && len(a.shape.n) == 1 {
		n, isConst := a.shape.n[0].(*ir.Const)
		if isConst && n.Int >= p.words {
			l.prelude = append(l.prelude, pre...)
			return a
		}
		if !isConst {
			pos := arg.Position()
			few := l.bin(ir.Lt, ir.Clone(a.shape.n[0]), l.intConst(p.words, pos), pos, pos)
			text := fmt.Sprintf("argument %s of %s has fewer than %d elements", p.name, strings.ToUpper(name), p.words)
			l.prelude = append(append(l.prelude, pre...), &ir.If{S: ir.S{Pos: pos}, Cond: few, Then: l.fails(statusTo{}, 0, text, "", pos)})
			return a
		}
	}
	l.errorf(codeCall, arg.Position(), "argument %s of %s must be an array of rank 1 with at least %d elements", p.name, strings.ToUpper(name), p.words).
		WithHelp("declare it: integer :: %s(%d)", p.name, p.words)
	return nil
}

// randomArray lowers random_number of an array: one number after the other, in the
// order of its elements. Where images share a distributed array its numbers are those of image 1.
func (l *lowerer) randomArray(r *ir.Read, arg ast.Expr) []ir.Stmt {
	var pre []ir.Stmt
	to := l.part(arg, &pre)
	if to == nil || !l.mayChange(ast.Name{Pos: to.pos, Name: to.name}) {
		return nil
	}
	if !to.typ.IsReal() {
		l.errorf(codeCall, arg.Position(), "argument harvest of RANDOM_NUMBER is %s", to.typ).WithHelp("pass a REAL array")
		return nil
	}
	r.What += " harvest"
	drawn := to
	var shared []ir.Stmt
	if l.prog.SPMD && l.hasDirectives(to.view.base) {
		drawn = l.room(&elemental{n: to.shape.n, pre: &pre}, to.typ, 0, r.Pos)
		all := l.elements(to.shape.n, to.pos, &pre)
		shared = append(one(&ir.Collective{S: r.S, Name: "co_broadcast", Part: l.sectionOf(drawn), Image: l.intConst(1, r.Pos)}),
			l.nest(all, &ir.Assign{S: r.S, LHS: l.elementOf(to, all, r.Pos), RHS: l.elementOf(drawn, all, r.Pos)}, r.Pos))
	}
	ctx := l.elements(to.shape.n, to.pos, &pre)
	body := append(one(r), l.receive(r, []readItem{{x: l.elementOf(drawn, ctx, arg.Position())}})...)
	for k, index := range ctx.index {
		body = one(&ir.Do{S: r.S, Index: index, Lo: intConstOf(ir.Long, 1, r.Pos), Hi: l.convert(ir.Clone(ctx.n[k]), ir.Long), Step: intConstOf(ir.Long, 1, r.Pos), Body: body, End: r.Pos})
	}
	return slices.Concat(pre, body, shared)
}

// argumentCount lowers COMMAND_ARGUMENT_COUNT() and IARGC().
func (l *lowerer) argumentCount(pos source.Pos) ir.Expr {
	t := l.temp("count", ir.Integer, 0, pos)
	v := func() *ir.Var { return &ir.Var{X: ir.X{Pos: pos, Typ: t.Type}, Sym: t} }
	l.prelude = append(l.prelude, &ir.Read{S: ir.S{Pos: pos}, What: "command_argument_count count", Items: []*ir.Var{v()}})
	return v()
}

// noRandomAcross reports random numbers in a program with checkpoints, which do not
// have the state of their generator.
func (l *lowerer) noRandomAcross() {
	if !l.prog.Checkpoints() {
		return
	}
	ir.Walk(l.prog.Body, func(s ir.Stmt) bool {
		if r, ok := s.(*ir.Read); ok && strings.HasPrefix(r.What, "random_") {
			l.errorf(codeOutside, r.Pos, "random numbers in a program with checkpoints, which do not save the state of the generator").
				WithHelp("compute numbers yourself, for example by k = mod(16807_8*k, 2147483647_8) with an integer(8) k")
		}
		return true
	})
}
