// Package parser turns the text of a Fortran program with HPF directives into
// a syntax tree.
//
// Work is split as in hand-written Fortran front ends: package scan makes
// logical lines and says what kind of statement each is, a participle grammar
// for that one kind parses it, expressions are parsed by precedence climbing,
// and a stack of open blocks puts the statements together. A statement that is
// wrong costs that statement only, so that one run reports all errors.
//
// From
//
//	!HPF$ DISTRIBUTE a(BLOCK) ONTO p
//	do i = 1, n
//	  a(i) = 0.0
//	end do
//
// come an ast.Distribute, and an ast.Do whose body is one ast.Assign.
package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// parser builds the tree of one program.
type parser struct {
	diags *source.List
	file  *ast.File
	*unit               // the unit in hand
	toks  []lexer.Token // memory for the tokens of a line
	skip  *skipping

	mainHeader bool // the main program has a PROGRAM statement
	more       bool // files follow the one in hand
	units      bool // there need not be a main program
	deep       bool // blocks that are nested too deeply have been reported

	misnamedEnds map[frameKind]int  // blocks that an END of another kind has ended: their own may come yet
	strayElse    map[frameKind]bool // an ELSE without its block has been reported: so is the END
}

func (p *parser) lines(lines []scan.Line) {
	for i := range lines {
		if p.skip != nil && p.skip.toEOF {
			return
		}
		p.line(&lines[i])
	}
	p.endOfFile(lines)
}

// endOfFile reports what is still open behind the last line.
func (p *parser) endOfFile(lines []scan.Line) {
	p.dropPending("the program ends")
	pos := source.Pos{Line: 1, Col: 1}
	if n := len(lines); n > 0 {
		last := &lines[n-1]
		pos = last.Pos(len(last.Text))
	}
	if !p.begun && p.outer == nil && (p.someUnit() || p.more) {
		if p.file.Program == nil && p.skip == nil && !p.more && !p.units {
			p.diags.Errorf(source.UnbalancedBlock, pos, "there is no main program").
				WithHelp("add one: PROGRAM name, statements, END PROGRAM")
		}
		return
	}
	for first := true; first || p.outer != nil || p.begun; first = false {
		p.closeAbove(-1, pos)
		what := p.prog.Kind.String()
		d := p.diags.Errorf(source.UnbalancedBlock, pos, "END %s is missing", what).
			WithHelp("add END %s behind the last line", what)
		if p.header {
			d.WithNote(p.prog.Pos, "the %s begins here", strings.ToLower(what))
		}
		p.leave(pos)
	}
}

// someUnit reports whether a unit of the file has ended.
func (p *parser) someUnit() bool {
	return p.file.Program != nil || len(p.file.Modules)+len(p.file.Procedures) > 0
}

// line parses one logical line.
func (p *parser) line(l *scan.Line) {
	if (p.begun || p.outer != nil || p.file.Program == nil) && p.skip == nil && !l.Broken && p.formatStmt(l) {
		p.begun = true
		return
	}
	toks, lexical := l.Tokens(p.toks)
	p.toks = toks
	var s scan.Stmt
	if l.Directive {
		s = scan.ClassifyDirective(toks)
	} else {
		s = scan.Classify(toks)
	}
	if p.passOver() {
		return
	}
	base := ast.Base{Pos: l.Pos(0), Label: l.Label}
	if s.Name != "" {
		base.Pos = startOf(&s.NameTok)
	}
	if p.inInterface(s, base.Pos) {
		return
	}
	if p.record != nil {
		p.inRecord(s, base)
		return
	}
	if s.Kind == scan.ModuleProcedure && p.block == nil && p.contains.IsValid() {
		s.Kind = scan.Subroutine
		s.Toks = append([]lexer.Token(nil), s.Toks...)
	}
	switch s.Kind {
	case scan.Subroutine, scan.Function, scan.Module, scan.Submodule, scan.BlockData:
		p.enter(s.Kind, base.Pos)
	case scan.Program:
		if !p.begun && p.outer == nil && p.file.Program != nil {
			p.behindEnd(s, base)
			return
		}
		p.enter(s.Kind, base.Pos)
	case scan.End, scan.EndProgram, scan.EndUnit, scan.Empty:
	default:
		if p.contains.IsValid() {
			p.behindContains(s, base)
			return
		}
	}
	if !p.begun && p.outer == nil && p.file.Program != nil {
		p.behindEnd(s, base)
		return
	}
	if !p.begun {
		p.begun = true
	}
	if !p.prog.Pos.IsValid() {
		p.prog.Pos = base.Pos
	}
	p.uniqueLabel(base)
	if lexical != nil && !l.Broken {
		p.diags.Add(lexical)
	}
	if lexical != nil || l.Broken {
		p.broken(s, base, l)
		return
	}
	p.statement(s, base)
}

// uniqueLabel reports a label that an earlier statement has.
func (p *parser) uniqueLabel(base ast.Base) {
	if base.Label == 0 {
		return
	}
	if first, ok := p.labels[base.Label]; ok {
		p.diags.Errorf(source.BadLabel, base.Pos, "the label %d is given twice", base.Label).
			WithNote(first, "the first statement with it").
			WithHelp("change one of the two, and the statements that mean it")
		return
	}
	p.labels[base.Label] = base.Pos
}

// behindEnd reports a statement behind END PROGRAM, and ends the parse: what
// follows is another program unit.
func (p *parser) behindEnd(s scan.Stmt, base ast.Base) {
	p.skip = &skipping{toEOF: true}
	switch {
	case s.Kind == scan.Outside:
		p.outsideSubset(s)
		p.skip = &skipping{toEOF: true}
	case s.Kind == scan.Program:
		p.diags.Errorf(source.OutsideSubset, base.Pos, "a second program").
			WithNote(p.file.Program.EndPos, "the first program ends here").
			WithHelp("compile each of the two on its own")
	default:
		p.diags.Errorf(source.UnbalancedBlock, base.Pos, "text behind the end of the program").
			WithNote(p.file.Program.EndPos, "the program ends here").
			WithHelp("remove the earlier END, or move this in front of it")
	}
}

// behindContains reports a statement between procedures.
func (p *parser) behindContains(s scan.Stmt, base ast.Base) {
	if s.Kind == scan.Outside {
		p.outsideSubset(s)
		return
	}
	p.diags.Errorf(source.Syntax, base.Pos, "a statement behind CONTAINS that belongs to no procedure").
		WithNote(p.contains, "CONTAINS is here").
		WithHelp("behind CONTAINS stand procedures only: move it in front of CONTAINS, or into one of them")
}

// mention takes note of the names in a statement of the unit in hand.
func (p *parser) mention(toks []lexer.Token) {
	if p.prog.Words == nil {
		p.prog.Words = ast.Words{}
	}
	for _, t := range toks {
		if t.Type == scan.Ident {
			p.prog.Words[t.Value] = true
		}
	}
}

// withoutIndices are the tokens of a declaration without the names that are indices of implied DO
// loops in its array constructors, in these loops: they are no variables of the unit.
func withoutIndices(toks []lexer.Token) []lexer.Token {
	out := slices.Clone(toks)
	type group struct {
		from int
		loop bool // it may be an implied DO: no list of arguments
	}
	var open []group
	for k, t := range toks {
		switch t.Value {
		case "(", "[", "(/":
			open = append(open, group{k, t.Value == "(" && k > 0 && toks[k-1].Type != scan.Ident})
		case ")", "]", "/)":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case "=":
			if len(open) == 0 || !open[len(open)-1].loop || k < 2 || toks[k-1].Type != scan.Ident || toks[k-2].Value != "," {
				continue
			}
			depth := 1
			for i := open[len(open)-1].from + 1; i < len(out) && depth > 0; i++ {
				switch toks[i].Value {
				case "(", "[", "(/":
					depth++
				case ")", "]", "/)":
					depth--
				case toks[k-1].Value:
					out[i].Type = 0
				}
			}
		}
	}
	return out
}

// statement parses a line without lexical errors and puts it in its place.
func (p *parser) statement(s scan.Stmt, base ast.Base) {
	if s.Name != "" {
		switch s.Kind {
		case scan.Do, scan.DoWhile, scan.IfThen, scan.Critical, scan.ChangeTeam, scan.Where, scan.Forall, scan.DoConcurrent, scan.SelectCase, scan.SelectType, scan.Block, scan.Associate, scan.Outside:
		default:
			p.diags.Add(problem(source.Syntax, &s.NameTok, "a name in front of a statement that is no block").
				WithHelp("only DO, IF ... THEN, SELECT CASE, WHERE, FORALL, BLOCK, ASSOCIATE, CHANGE TEAM and CRITICAL can be named"))
			return
		}
	}
	switch s.Kind {
	case scan.Do, scan.Forall, scan.ForallStmt:
	default:
		p.dropPending("another statement follows")
	}
	switch s.Kind {
	case scan.TypeDecl, scan.Parameter:
		p.mention(withoutIndices(s.Toks))
	default:
		p.mention(s.Toks)
	}
	switch s.Kind {
	case scan.Unknown:
		p.unknown(s)
		p.labelled(base.Label, base.Pos, nil)
		return
	case scan.Outside:
		p.outsideSubset(s)
		p.labelled(base.Label, base.Pos, nil)
		return
	case scan.Empty:
		return
	case scan.EndType: // inRecord has those that end one
		p.diags.Errorf(source.UnbalancedBlock, base.Pos, "END TYPE without a type that it ends").
			WithHelp("remove it, or add the TYPE that it belongs to")
		return
	case scan.Function, scan.Subroutine:
		s.Toks = p.withoutExtrinsic(s.Toks)
	case scan.Redistribute, scan.Realign:
		p.remap(s, base)
		return
	case scan.Processors, scan.Template, scan.Align, scan.Distribute, scan.Dynamic, scan.Shadow, scan.UnknownDirective:
		if list := attributes(s.Toks); len(list) > 1 || len(list) == 1 && s.Toks[0].Value == "dimension" {
			for _, toks := range list {
				p.statement(scan.ClassifyDirective(toks), base)
			}
			return
		}
		if s.Kind == scan.UnknownDirective {
			p.unknownDirective(s.Toks)
			return
		}
	case scan.WhereStmt, scan.ForallStmt:
		p.add(p.headed(s, base), base)
		p.endOne(base.Pos)
		return
	case scan.IfStmt:
		n, opensBlock := p.ifStatement(s, base)
		p.add(n, base)
		if opensBlock {
			s.Kind = scan.IfThen
			p.open(s, base.Pos, nil)
		}
		p.endOne(base.Pos)
		return
	}
	stmt, ok := p.parseOne(s, base)
	if !ok {
		p.recover(s, base)
		return
	}
	p.place(s, base, stmt)
	if p.pending == nil {
		p.endOne(base.Pos)
	}
}

// parseOne applies the grammar of the statement's kind. ok is false when there
// was an error; a nil statement without error is one that leaves no trace.
func (p *parser) parseOne(s scan.Stmt, base ast.Base) (ast.Stmt, bool) {
	r := rules()[s.Kind]
	g, err := r.run(s.Toks)
	if err != nil {
		p.diags.Add(explain(err, r, s.Toks))
		return nil, false
	}
	stmt := g.build(p, base)
	return stmt, stmt != nil
}

// place puts a statement where it belongs.
func (p *parser) place(s scan.Stmt, base ast.Base, stmt ast.Stmt) {
	if p.blockSpec() != nil {
		switch stmt.(type) {
		case *ast.Use, *ast.ImplicitNone:
			p.declare(stmt)
			return
		}
	}
	switch n := stmt.(type) {
	case *programUnit:
		p.programStmt(n)
	case *unitHead:
		p.head(n)
	case *containsMark:
		p.contain(n)
	case *ast.Use:
		if len(p.prog.Spec) > 0 {
			if _, ok := p.prog.Spec[len(p.prog.Spec)-1].(*ast.Use); !ok {
				p.diags.Errorf(source.Syntax, base.Pos, "USE behind a declaration").
					WithNote(p.prog.Spec[0].Position(), "the first declaration is here").
					WithHelp("move it in front of IMPLICIT NONE and all declarations")
				return
			}
		}
		p.declare(n)
	case *ast.ImplicitNone:
		for _, s := range p.prog.Spec {
			if first, twice := s.(*ast.ImplicitNone); twice {
				p.diags.Errorf(source.Syntax, base.Pos, "a second IMPLICIT NONE").
					WithNote(first.Pos, "the first is here").WithHelp("remove one")
				return
			}
		}
		if p.declared.IsValid() {
			p.diags.Errorf(source.Syntax, base.Pos, "IMPLICIT NONE behind a declaration").
				WithNote(p.declared, "the first declaration is here").
				WithHelp("move it in front of the declarations")
		}
		p.declare(n)
	case *ast.TypeDecl, *ast.ParameterStmt, *ast.DimensionStmt, *ast.AllocatableStmt, *ast.Intent, *ast.External, *ast.Access, *ast.Attribute, *ast.Import,
		*ast.Implicit, *ast.Save, *ast.Common, *ast.Namelist, *ast.Equivalence:
		if !p.declared.IsValid() {
			p.declared = base.Pos
		}
		p.declare(n)
	case *ast.Processors, *ast.Template, *ast.Align, *ast.Distribute, *ast.Inherit, *ast.Dynamic, *ast.Shadow:
		p.declare(n)
	case *ast.Data: // may stand among the statements that are executed
		p.prog.Spec = append(p.prog.Spec, n)
	case *enumerators:
		p.enumerators(n)
	case *sequence:
		for _, one := range n.stmts {
			p.declare(one)
		}
	case *ast.Independent:
		p.pending = n
	case *ast.Do:
		if n.Var.Name == "" {
			p.dropPending("the loop has no variable")
		}
		p.add(n, base)
		p.open(s, base.Pos, n)
	case *ast.ArithmeticIf:
		p.add(stmt, base)
	case *ast.Interface:
		p.openInterface(n)
	case *ast.TypeDef:
		p.openRecord(n)
	case *interfaceEnd:
		p.endInterface(n)
	case *moduleProcedures:
		p.moduleProcedures(s, n)
	case *ast.DoWhile, *ast.If, *ast.Critical, *ast.ChangeTeam, *ast.Forall, *ast.Select, *ast.Block, *ast.Associate:
		p.add(stmt, base)
		p.open(s, base.Pos, stmt)
	case *caseArm:
		p.selectCase(n)
	case *elseIf:
		p.alternative(alternatives[s.Kind], base.Pos, n.Cond, false, true, n.Name)
	case *elseArm:
		p.alternative(alternatives[s.Kind], base.Pos, nil, true, true, n.Name)
	case *blockEnd:
		p.blockEnd(s, n)
	default:
		p.add(stmt, base)
	}
}

func (p *parser) programStmt(n *programUnit) {
	if p.header || p.declared.IsValid() || p.executed.IsValid() || len(p.prog.Spec) > 0 {
		p.diags.Errorf(source.Syntax, n.Pos, "PROGRAM is not the first statement").
			WithNote(p.prog.Pos, "the first statement is here").
			WithHelp("remove it, or move it to the beginning")
		if !p.header {
			p.header, p.prog.Name = true, n.Name.Value
		}
		return
	}
	p.header = true
	p.prog.Pos, p.prog.Name = n.Pos, n.Name.Value
}

// declare adds a declaration or a mapping directive.
func (p *parser) declare(s ast.Stmt) {
	if spec := p.blockSpec(); spec != nil {
		*spec = append(*spec, s)
		return
	}
	if p.executed.IsValid() || len(p.stack) > 0 {
		first := p.executed
		if !first.IsValid() {
			first = p.stack[0].pos
		}
		what := "declaration"
		switch s.(type) {
		case *ast.Processors, *ast.Template, *ast.Align, *ast.Distribute, *ast.Inherit, *ast.Dynamic, *ast.Shadow:
			what = "mapping directive"
		}
		p.diags.Errorf(source.Syntax, s.Position(), "a %s behind the first executable statement", what).
			WithNote(first, "the first executable statement is here").
			WithHelp("move the %s in front of line %d", what, first.Line)
		return
	}
	p.prog.Spec = append(p.prog.Spec, s)
}

// add adds an executable statement, nil for one that was wrong, and ends the
// loops that end at its label.
func (p *parser) add(s ast.Stmt, base ast.Base) {
	if k := p.prog.Kind; k == ast.ModuleUnit || k == ast.BlockDataUnit {
		if !p.executed.IsValid() {
			d := p.diags.Errorf(source.Syntax, base.Pos, "an executable statement in a %s", strings.ToLower(k.String())).
				WithNote(p.prog.Pos, "the %s begins here", strings.ToLower(k.String()))
			if d.WithHelp("put it into a procedure behind CONTAINS"); k == ast.BlockDataUnit {
				d.WithHelp("put it into a procedure")
			}
		}
		s = nil
	}
	if !p.executed.IsValid() {
		p.executed = base.Pos
	}
	body := p.body()
	if n := len(p.stack); n > 0 && s != nil {
		if sel, ok := p.stack[n-1].node.(*ast.Select); ok && len(sel.Cases) == 0 {
			p.diags.Errorf(source.Syntax, base.Pos, "a statement between SELECT CASE and its first CASE").
				WithNote(sel.Pos, "SELECT CASE is here").WithHelp("move it in front of SELECT CASE, or behind a CASE")
		}
	}
	if p.pending != nil {
		*body = append(*body, p.pending)
		p.pending = nil
	}
	if s != nil {
		*body = append(*body, s)
	}
	if base.Label != 0 {
		p.endOne(base.Pos) // a loop may end at the label
	}
	p.labelled(base.Label, base.Pos, s)
}

// dropPending warns of an INDEPENDENT that has no loop and no FORALL.
func (p *parser) dropPending(why string) {
	if p.pending == nil {
		return
	}
	p.diags.Warnf(source.BadDirective, p.pending.Pos, "INDEPENDENT is not followed by a DO loop or FORALL: %s; it is ignored", why).
		WithHelp("put it right in front of: do variable = first, last  or  forall (variable = first:last)")
	p.pending = nil
}

func (p *parser) blockEnd(s scan.Stmt, n *blockEnd) {
	switch s.Kind {
	case scan.EndDo:
		p.end(doFrame, n.Pos, n.Label, n.Name)
	case scan.EndIf:
		p.end(ifFrame, n.Pos, 0, n.Name)
		p.keepLabel(n)
	case scan.EndTeam:
		if i := p.innermost(teamFrame, 0, n.Name); i >= 0 {
			if team, ok := p.stack[i].node.(*ast.ChangeTeam); ok {
				team.EndStatus = n.Status
			}
		}
		fallthrough
	case scan.EndSelect, scan.EndCritical, scan.EndWhere, scan.EndForall, scan.EndBlock, scan.EndAssociate, scan.EndRegion, scan.EndOn, scan.EndResident, scan.EndTaskRegion:
		p.end(enders[s.Kind], n.Pos, 0, n.Name)
		p.keepLabel(n)
	default:
		p.endUnit(n)
	}
}

// keepLabel keeps the label of an END in the tree, on a CONTINUE beside it: a
// READ may name it in END=.
func (p *parser) keepLabel(n *blockEnd) {
	if n.Label == 0 {
		return
	}
	for _, f := range p.stack {
		if f.label == n.Label {
			p.labelled(n.Label, n.Pos, n) // reports it
			return
		}
	}
	p.add(&ast.Continue{Base: n.Base}, n.Base)
}

// broken keeps the blocks in order for a line that cannot be parsed.
func (p *parser) broken(s scan.Stmt, base ast.Base, l *scan.Line) {
	if s.Kind == scan.IfStmt && strings.HasSuffix(strings.ToLower(l.Text), "then") {
		s.Kind = scan.IfThen
	}
	p.pending = nil
	p.recover(s, base)
}

// recover keeps the blocks in order after a statement that is wrong.
func (p *parser) recover(s scan.Stmt, base ast.Base) {
	p.pending = nil
	if (s.Kind == scan.On || s.Kind == scan.Resident) && s.Toks[max(0, len(s.Toks)-2)].Value != "begin" {
		return
	}
	switch s.Kind {
	case scan.Do, scan.DoWhile, scan.DoConcurrent, scan.IfThen, scan.Critical, scan.ChangeTeam, scan.Where, scan.Forall, scan.SelectCase, scan.SelectType, scan.Block, scan.Associate, scan.Region, scan.On, scan.Resident, scan.TaskRegion:
		p.add(nil, base)
		p.open(s, base.Pos, nil)
	case scan.ElseIf, scan.Elsewhere:
		p.alternative(alternatives[s.Kind], base.Pos, nil, false, false, nil)
	case scan.Else:
		p.alternative(ifFrame, base.Pos, nil, true, false, nil)
	case scan.Case, scan.TypeGuard:
		p.selectCase(nil)
	case scan.EndDo, scan.EndIf, scan.EndCritical, scan.EndTeam, scan.EndWhere, scan.EndForall, scan.EndSelect, scan.EndBlock, scan.EndAssociate, scan.EndRegion:
		if i := p.innermost(enders[s.Kind], base.Label, nil); i >= 0 {
			p.closeAbove(i, base.Pos)
			p.pop(base.Pos)
		}
	case scan.End, scan.EndProgram, scan.EndUnit:
		p.closeAbove(-1, base.Pos)
		p.leave(base.Pos)
	case scan.Subroutine, scan.Function, scan.Module, scan.Submodule, scan.BlockData:
		// The unit is there, so that its statements are not those of another.
		p.header, p.prog.Name = true, ""
		p.prog.Kind = map[scan.Kind]ast.UnitKind{scan.Subroutine: ast.SubroutineUnit,
			scan.Function: ast.FunctionUnit, scan.Module: ast.ModuleUnit, scan.Submodule: ast.ModuleUnit, scan.BlockData: ast.BlockDataUnit}[s.Kind]
	case scan.Assignment, scan.PointerAssign, scan.Nullify, scan.IfStmt, scan.Exit, scan.Cycle, scan.Print, scan.Write, scan.Read,
		scan.ReadParen, scan.FileStmt, scan.Stop, scan.ErrorStop, scan.Continue, scan.Call, scan.Entry, scan.Return, scan.Sync, scan.Event, scan.Team,
		scan.WhereStmt, scan.ForallStmt, scan.Allocate, scan.Goto, scan.ArithmeticIf, scan.LabelAssign, scan.Pause:
		p.add(nil, base)
	case scan.Unknown, scan.Outside:
		p.labelled(base.Label, base.Pos, nil)
	}
}

// headed parses WHERE and FORALL with an assignment on their line; nil when it is wrong.
func (p *parser) headed(s scan.Stmt, base ast.Base) ast.Stmt {
	head := append(slices.Clone(s.Toks[:s.Rest]), lexer.Token{Type: lexer.EOF, Pos: s.Toks[s.Rest].Pos})
	outer, ok := p.parseOne(scan.Stmt{Kind: s.Kind, Toks: head}, base)
	if !ok {
		return nil
	}
	rest := s.Toks[s.Rest:]
	inner := scan.Classify(rest)
	if inner.Kind != scan.Assignment || inner.Name != "" {
		p.diags.Add(problem(source.Syntax, &rest[0], quoted(&rest[0])+" cannot be the statement of a WHERE or FORALL").
			WithHelp("write an assignment there"))
		return nil
	}
	stmt, ok := p.parseOne(inner, ast.Base{Pos: startOf(&rest[0])})
	if !ok {
		return nil
	}
	switch n := outer.(type) {
	case *ast.If:
		n.OneLine, n.Arms[0].Body, n.EndPos = true, []ast.Stmt{stmt}, base.Pos
	case *ast.Forall:
		n.OneLine, n.Body, n.EndPos = true, []ast.Stmt{stmt}, base.Pos
	}
	return outer
}

// ifStatement parses "if (condition) statement"; the result is nil when it is
// wrong. opensBlock tells that what is wrong looks like the beginning of a
// block, so that an END IF is to be expected.
func (p *parser) ifStatement(s scan.Stmt, base ast.Base) (_ ast.Stmt, opensBlock bool) {
	head := append(append([]lexer.Token(nil), s.Toks[:s.Rest]...),
		lexer.Token{Type: lexer.EOF, Pos: s.Toks[s.Rest].Pos})
	outer, ok := p.parseOne(scan.Stmt{Kind: scan.IfStmt, Toks: head}, base)
	if !ok {
		return nil, false
	}
	rest := s.Toks[s.Rest:]
	inner := scan.Classify(rest)
	innerBase := ast.Base{Pos: startOf(&rest[0])}
	switch inner.Kind {
	case scan.Assignment, scan.PointerAssign, scan.Nullify, scan.Exit, scan.Cycle, scan.Print, scan.Write, scan.Read,
		scan.ReadParen, scan.FileStmt, scan.Stop, scan.ErrorStop, scan.Continue, scan.Call, scan.Entry, scan.Return, scan.Sync, scan.Event, scan.Team, scan.Allocate,
		scan.Goto, scan.ArithmeticIf, scan.LabelAssign, scan.Pause:
		if inner.Name != "" {
			break
		}
		stmt, ok := p.parseOne(inner, innerBase)
		if !ok {
			return nil, false
		}
		n := outer.(*ast.If)
		n.Arms[0].Body = []ast.Stmt{stmt}
		n.EndPos = base.Pos
		return n, false
	case scan.WhereStmt, scan.ForallStmt:
		stmt := p.headed(inner, innerBase)
		if stmt == nil {
			return nil, false
		}
		n := outer.(*ast.If)
		n.Arms[0].Body, n.EndPos = []ast.Stmt{stmt}, base.Pos
		return n, false
	case scan.Outside:
		if !strings.HasPrefix(inner.Word, "end ") {
			p.outsideSubset(inner)
			return nil, false
		}
	case scan.Unknown:
		if rest[0].EOF() {
			p.diags.Add(problem(source.Syntax, &rest[0], "the IF statement ends too early").
				WithHelp("write THEN, or a statement, behind the condition"))
			return nil, false
		}
		if rest[0].Value != "then" {
			p.unknown(inner)
			return nil, false
		}
		p.diags.Add(problem(source.Syntax, &rest[1], "a statement behind THEN").
			WithHelp("put it on the next line, or leave THEN out"))
		return nil, true
	}
	p.diags.Add(problem(source.Syntax, &rest[0], quoted(&rest[0])+" cannot be the statement of an IF").
		WithHelp("write IF (condition) THEN, the statement on the next line, and END IF"))
	return nil, false
}
