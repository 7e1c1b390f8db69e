package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/structure"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// structuredStmt lowers what package structure has made of jumps.
func (l *lowerer) structuredStmt(s ast.Stmt) []ir.Stmt {
	pos := s.Position()
	switch s := s.(type) {
	case *structure.Block:
		w := &ir.While{S: ir.S{Pos: pos}, Name: l.unique("block"), End: pos}
		l.loops = append(l.loops, loop{stmt: w, block: true, of: s})
		body := l.block(s.Body)
		l.loops = l.loops[:len(l.loops)-1]
		return l.leaving(w, body)
	case *structure.Loop:
		return l.jumpLoop(s)
	case *structure.Leave:
		return one(&ir.Exit{S: ir.S{Pos: pos}, Loop: l.loopOf(s.Of)})
	case *structure.Repeat:
		return one(&ir.Cycle{S: ir.S{Pos: pos}, Loop: l.loopOf(s.Of)})
	case *structure.Let:
		x := l.expr(s.X)
		if isBad(x) {
			return nil
		}
		v := l.lookup(s.Name)
		if v == nil {
			v = l.temp("jump", x.Type(), 0, pos)
			l.nameInUnit(s.Name, v)
		}
		return one(&ir.Assign{S: ir.S{Pos: pos}, LHS: &ir.Var{X: ir.X{Pos: pos, Typ: v.Type}, Sym: v}, RHS: l.convert(x, v.Type)})
	}
	return nil
}

// jumpLoop lowers a loop of jumps.
func (l *lowerer) jumpLoop(s *structure.Loop) []ir.Stmt {
	if s.Cond == nil {
		return l.while(s, s.Pos, "", l.forever(s.Pos), s.Body)
	}
	return l.doWhile(s, s.Pos, "", s.Cond, s.Body)
}

// nameInUnit makes name mean v in the whole unit, also outside of the constructs around.
func (l *lowerer) nameInUnit(name string, v *ir.Symbol) {
	l.scope.ofUnit().names[name] = v
}

// loopOf is what s, of a jump, has become.
func (l *lowerer) loopOf(s ast.Stmt) ir.Stmt {
	for i := len(l.loops) - 1; i >= 0; i-- {
		if l.loops[i].of == s {
			return l.loops[i].stmt
		}
	}
	panic("lower: a jump leaves a loop that is not around")
}

// jumps completes a statement of input or output, which body holds and whose jumps have become tests
// of a variable: status is what the statement sets, and the variable is another name of it. What is
// not jumped for still stops the program, unless IOSTAT= is there.
func (l *lowerer) jumps(pos source.Pos, c *ast.Control, status *ir.Symbol, body []ir.Stmt) []ir.Stmt {
	if c.Status == "" {
		return body
	}
	l.nameInUnit(c.Status, status)
	if c.Spec("iostat") != nil {
		return body
	}
	stop := func(op ir.Op, value int) {
		// It ends the program with the error that the statement has kept; to passes it is the STOP that does.
		failed := &ir.Read{S: ir.S{Pos: pos}, What: "failed"}
		code := l.intConst(2, pos)
		body = append(body, l.when(op, status, value, pos, []ir.Stmt{failed, &ir.Stop{S: ir.S{Pos: pos}, Code: code, Error: true}}))
	}
	// Without ADVANCE= there is no end of a record.
	records := c.Spec("advance") != nil
	if c.End == 0 && records {
		stop(ir.Eq, -1)
	} else if c.End == 0 {
		stop(ir.Lt, 0)
	}
	if c.Eor == 0 && records {
		stop(ir.Eq, -2)
	}
	if c.Err == 0 {
		stop(ir.Gt, 0)
	}
	return body
}

// labelAssign lowers ASSIGN: the value of a label is its number.
func (l *lowerer) labelAssign(s *ast.LabelAssign) []ir.Stmt {
	v := l.variable(s.Var)
	if v == nil {
		return nil
	}
	if !v.Type.IsInteger() {
		l.errorf(codeType, s.Var.Pos, "ASSIGN to %s, which is %s", v.Source(), v.Type).WithHelp("use an INTEGER variable")
		return nil
	}
	return one(&ir.Assign{S: ir.S{Pos: s.Pos}, LHS: &ir.Var{X: ir.X{Pos: s.Var.Pos, Typ: v.Type}, Sym: v}, RHS: intConstOf(v.Type, s.To.Label, s.To.Pos)})
}
