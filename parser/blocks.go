package parser

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

type frameKind int

const (
	doFrame frameKind = iota
	ifFrame
	criticalFrame
	whereFrame
	forallFrame
	selectFrame
	blockFrame
	associateFrame
	teamFrame
	regionFrame
	onFrame
	residentFrame
	taskFrame
)

// frame is a block that is open. A block whose first statement was wrong has
// no node; what it contains is parsed for its errors and dropped.
type frame struct {
	kind  frameKind
	what  string // "DO", "IF", for messages
	pos   source.Pos
	name  string // construct name
	label int    // of "do 10", else 0
	node  ast.Stmt
	body  *[]ast.Stmt // where the next statement goes
	alt   source.Pos  // of ELSE
	one   bool        // it is about one statement: the directive ON without BEGIN
}

// maxBlocks and maxArms bound the nesting of blocks and the branches of an IF, which
// the passes walk recursively: their time grows with the square of the depth and more.
const (
	maxBlocks = 500
	maxArms   = 10_000
)

func (p *parser) push(f *frame) {
	if len(p.stack) == maxBlocks && !p.deep {
		p.deep = true
		p.diags.Errorf(source.TooDeep, f.pos, "blocks are nested more than %d deep", maxBlocks).
			WithNote(p.stack[0].pos, "the outermost one, %s, begins here", p.stack[0].what).
			WithHelp("move the inner ones into a procedure, or compute with one loop")
	}
	if f.body == nil {
		f.body = new([]ast.Stmt)
	}
	p.stack = append(p.stack, f)
}

// pop closes the innermost block, which ends at pos.
func (p *parser) pop(pos source.Pos) {
	f := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	switch n := f.node.(type) {
	case *ast.Do:
		n.EndPos = pos
	case *ast.DoWhile:
		n.EndPos = pos
	case *ast.If:
		n.EndPos = pos
	case *ast.Critical:
		n.EndPos = pos
	case *ast.ChangeTeam:
		n.EndPos = pos
	case *ast.Select:
		n.EndPos = pos
	case *ast.Forall:
		n.EndPos = pos
	case *ast.Block:
		n.EndPos = pos
	case *ast.Associate:
		n.EndPos = pos
	}
}

// endOne closes the blocks about one statement, which has been placed.
func (p *parser) endOne(pos source.Pos) {
	for n := len(p.stack); n > 0 && p.stack[n-1].one && len(*p.stack[n-1].body) > 0; n = len(p.stack) {
		p.pop(pos)
	}
}

// body is where the next executable statement goes.
func (p *parser) body() *[]ast.Stmt {
	if n := len(p.stack); n > 0 {
		return p.stack[n-1].body
	}
	return &p.prog.Body
}

// closeAbove reports the blocks above level i, which something at pos leaves
// open, and closes them.
func (p *parser) closeAbove(i int, pos source.Pos) {
	for len(p.stack) > i+1 {
		p.notClosed(p.stack[len(p.stack)-1], pos)
		p.pop(pos)
	}
}

func (p *parser) notClosed(f *frame, pos source.Pos) {
	what := "END " + f.what
	switch {
	case f.label != 0:
		what = fmt.Sprintf("the statement with label %d", f.label)
	case f.name != "":
		what += " " + f.name
	}
	d := p.diags.Errorf(source.UnbalancedBlock, pos, "%s is missing", what).
		WithNote(f.pos, "the %s begins here", f.what)
	if f.label != 0 {
		d.WithHelp("end the loop with: %d continue", f.label)
	} else {
		d.WithHelp("add %s in front of this line", what)
	}
}

// open begins the block of a DO or IF statement; node is nil when the
// statement was wrong.
func (p *parser) open(s scan.Stmt, pos source.Pos, node ast.Stmt) {
	p.uniqueName(s.Name, pos)
	f := &frame{kind: doFrame, what: "DO", pos: pos, name: s.Name, node: node}
	switch n := node.(type) {
	case *ast.Do:
		n.Name, f.label, f.body = s.Name, n.TermLabel, &n.Body
	case *ast.DoWhile:
		n.Name, f.label, f.body = s.Name, n.TermLabel, &n.Body
	case *ast.If:
		n.Name, f.body = s.Name, &n.Arms[0].Body
	case *ast.Critical:
		n.Name, f.body = s.Name, &n.Body
	case *ast.ChangeTeam:
		n.Name, f.body = s.Name, &n.Body
	case *ast.Select:
		n.Name = s.Name
	case *ast.Forall:
		n.Name, f.label, f.body = s.Name, n.TermLabel, &n.Body
	case *ast.Block:
		n.Name, f.body, f.one = s.Name, &n.Body, n.On.One
	case *ast.Associate:
		n.Name, f.body = s.Name, &n.Body
	}
	if k, ok := openers[s.Kind]; ok {
		f.kind, f.what = k.kind, k.what
	} else if node == nil && s.Toks[1].Type == scan.Int {
		f.label = p.quiet().labelValue(&s.Toks[1])
	}
	p.push(f)
}

// openers are the blocks that are no loops, by the statement that begins them.
var openers = map[scan.Kind]struct {
	kind frameKind
	what string
}{
	scan.IfThen:     {ifFrame, "IF"},
	scan.Critical:   {criticalFrame, "CRITICAL"},
	scan.ChangeTeam: {teamFrame, "TEAM"},
	scan.Where:      {whereFrame, "WHERE"},
	scan.Forall:     {forallFrame, "FORALL"},
	scan.Block:      {blockFrame, "BLOCK"},
	scan.Associate:  {associateFrame, "ASSOCIATE"},
	scan.Region:     {regionFrame, "REGION"},
	scan.On:         {onFrame, "ON"},
	scan.Resident:   {residentFrame, "RESIDENT"},
	scan.TaskRegion: {taskFrame, "TASK_REGION"},
	scan.SelectCase: {selectFrame, "SELECT"},
	scan.SelectType: {selectFrame, "SELECT"},
}

// enders are the blocks that statements end.
var enders = map[scan.Kind]frameKind{
	scan.EndDo: doFrame, scan.EndIf: ifFrame, scan.EndCritical: criticalFrame, scan.EndTeam: teamFrame, scan.EndWhere: whereFrame, scan.EndForall: forallFrame,
	scan.EndSelect: selectFrame,
	scan.EndBlock:  blockFrame, scan.EndAssociate: associateFrame, scan.EndRegion: regionFrame,
	scan.EndOn: onFrame, scan.EndResident: residentFrame, scan.EndTaskRegion: taskFrame,
}

// alternatives are the blocks that ELSE and its like belong to.
var alternatives = map[scan.Kind]frameKind{scan.ElseIf: ifFrame, scan.Else: ifFrame, scan.Elsewhere: whereFrame}

// uniqueName reports the name of a construct that an earlier one, or the unit, has.
func (p *parser) uniqueName(name string, pos source.Pos) {
	first, ok := p.named[name]
	what := "construct"
	if p.header && name == p.prog.Name {
		first, ok, what = p.prog.Pos, true, strings.ToLower(p.prog.Kind.String())
	}
	switch {
	case name == "":
	case ok:
		p.diags.Errorf(source.DuplicateName, pos, "the %s in line %d has the name %s too", what, first.Line, name).
			WithNote(first, "it is here").WithHelp("change one of the two, and the statements that mean it")
	default:
		p.named[name] = pos
	}
}

// quiet is a parser whose complaints are lost, for statements that have been
// complained of.
func (p *parser) quiet() *parser { return &parser{diags: &source.List{}, unit: newUnit(nil)} }

// end takes END DO and END IF; label is the statement's, name the construct
// name behind it.
func (p *parser) end(kind frameKind, pos source.Pos, label int, name *lexer.Token) {
	what := [...]string{doFrame: "END DO", ifFrame: "END IF", criticalFrame: "END CRITICAL", whereFrame: "END WHERE", forallFrame: "END FORALL",
		selectFrame: "END SELECT", blockFrame: "END BLOCK", associateFrame: "END ASSOCIATE", regionFrame: "END REGION", onFrame: "END ON", residentFrame: "END RESIDENT", taskFrame: "END TASK_REGION", teamFrame: "END TEAM"}[kind]
	i := p.innermost(kind, label, name)
	if i < 0 && p.strayElse[kind] {
		p.strayElse = nil
		return
	}
	if i < 0 && p.misnamedEnds[kind] > 0 {
		p.misnamedEnds[kind]--
		return
	}
	if n := len(p.stack); i < 0 && n > 0 && p.stack[n-1].label == 0 {
		p.misnamed(what, pos)
		return
	}
	if i < 0 {
		p.diags.Errorf(source.UnbalancedBlock, pos, "%s without a block that it ends", what).
			WithHelp("remove it, or add the %s that it belongs to", what[len("END "):])
		return
	}
	p.closeAbove(i, pos)
	f := p.stack[i]
	p.checkName(f, name, pos, what, false)
	if f.label != 0 && f.label != label && f.node != nil {
		p.notClosed(f, pos)
	}
	if label == 0 || kind != doFrame {
		p.pop(pos)
		return
	}
	// A labelled END DO stays in the tree as a CONTINUE. As such it may end
	// several loops, but a named loop it ends alone.
	last := &ast.Continue{Base: ast.Base{Pos: pos, Label: label}}
	*f.body = append(*f.body, last)
	if f.name == "" && f.label == label {
		p.labelled(label, pos, last)
		return
	}
	switch do := f.node.(type) {
	case *ast.Do:
		do.TermLabel = 0
	case *ast.DoWhile:
		do.TermLabel = 0
	case *ast.Forall:
		do.TermLabel = 0
	}
	p.pop(pos)
}

// misnamed reports an END of a kind of which no block is open, and takes it for the END of
// the innermost block.
func (p *parser) misnamed(what string, pos source.Pos) {
	f := p.stack[len(p.stack)-1]
	right := "END " + f.what
	if f.name != "" {
		right += " " + f.name
	}
	p.diags.Errorf(source.UnbalancedBlock, pos, "%s where %s is due", what, right).
		WithNote(f.pos, "the %s begins here", f.what).
		WithHelp("write %s, or add the %s that %s belongs to", right, what[len("END "):], what)
	if p.misnamedEnds == nil {
		p.misnamedEnds = map[frameKind]int{}
	}
	p.misnamedEnds[f.kind]++
	p.pop(pos)
}

// innermost finds the block that an END ends: the innermost one of its kind
// with the right label and name, else the innermost one of its kind.
func (p *parser) innermost(kind frameKind, label int, name *lexer.Token) int {
	first := -1
	for i := len(p.stack) - 1; i >= 0; i-- {
		f := p.stack[i]
		if f.kind != kind {
			continue
		}
		if f.name == valueOf(name) && (f.label == 0 || f.label == label) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// checkName reports a construct name behind END or ELSE that differs from the
// block's. ELSE may leave it out, END may not.
func (p *parser) checkName(f *frame, name *lexer.Token, pos source.Pos, what string, optional bool) {
	switch {
	case valueOf(name) == f.name, name == nil && optional:
	case name == nil:
		p.diags.Errorf(source.UnbalancedBlock, pos, "the block is named, but %s has no name", what).
			WithNote(f.pos, "the %s begins here", f.what).WithHelp("write %s %s", what, f.name)
	case f.name == "":
		p.diags.Add(problem(source.UnbalancedBlock, name, "the block that ends here has no name").
			WithNote(f.pos, "the %s begins here", f.what).
			WithHelp("write %s, or %s: in front of the block", what, name.Value))
	default:
		p.diags.Add(problem(source.UnbalancedBlock, name, "the name of the block is "+f.name).
			WithNote(f.pos, "the %s begins here", f.what).WithHelp("write %s %s", what, f.name))
	}
}

// alternative takes ELSE IF and ELSE; cond is nil for ELSE, and known is false
// for an ELSE IF that was wrong.
func (p *parser) alternative(kind frameKind, pos source.Pos, cond ast.Expr, isElse, known bool, name *lexer.Token) {
	what, begin, last := "ELSE IF", "IF (...) THEN", "ELSE"
	switch {
	case kind == whereFrame:
		what, begin, last = "ELSEWHERE", "WHERE (...)", "ELSEWHERE"
	case isElse:
		what = "ELSE"
	}
	i := len(p.stack) - 1
	for i >= 0 && p.stack[i].kind != kind {
		i--
	}
	if i < 0 {
		p.diags.Errorf(source.UnbalancedBlock, pos, "%s without %s", what, begin[:strings.Index(begin, " ")]).
			WithHelp("remove it, or add the %s that it belongs to", begin)
		p.strayElse = map[frameKind]bool{kind: true}
		return
	}
	p.closeAbove(i, pos)
	f := p.stack[i]
	p.checkName(f, name, pos, what, true)
	if f.alt.IsValid() {
		p.diags.Errorf(source.UnbalancedBlock, pos, "%s behind the %s of the same %s", what, last, f.what).
			WithNote(f.alt, "the %s is here", last).
			WithHelp("END %s may be missing in front of this line", f.what)
		f.body = new([]ast.Stmt)
		return
	}
	if isElse {
		f.alt = pos
	}
	n, attached := f.node.(*ast.If)
	switch {
	case !attached || !known:
		f.body = new([]ast.Stmt)
	case isElse:
		n.HasElse, n.ElsePos = true, pos
		f.body = &n.Else
	default:
		n.Arms = append(n.Arms, ast.IfArm{Pos: pos, Cond: cond})
		if len(n.Arms) == maxArms+1 {
			p.diags.Errorf(source.TooDeep, pos, "an IF with more than %d ELSE IF", maxArms-1).
				WithNote(f.pos, "the IF begins here").
				WithHelp("split it into several, or look the value up in an array")
		}
		f.body = &n.Arms[len(n.Arms)-1].Body
	}
}

// selectCase takes CASE; n is nil for one that was wrong.
func (p *parser) selectCase(n *caseArm) {
	i := len(p.stack) - 1
	for i >= 0 && p.stack[i].kind != selectFrame {
		i--
	}
	if n == nil {
		n = &caseArm{}
	}
	if i < 0 {
		if n.Pos.IsValid() {
			what, begin := "CASE", "SELECT CASE"
			if n.Guard != nil {
				what, begin = "TYPE IS or CLASS IS", "SELECT TYPE"
			}
			p.diags.Errorf(source.UnbalancedBlock, n.Pos, "%s without %s", what, begin).
				WithHelp("remove it, or add the %s (...) that it belongs to", begin)
		}
		return
	}
	f := p.stack[i]
	if n.Pos.IsValid() {
		p.closeAbove(i, n.Pos)
		p.checkName(f, n.Name, n.Pos, "CASE", true)
	}
	s, attached := f.node.(*ast.Select)
	if !attached || !n.Pos.IsValid() {
		f.body = new([]ast.Stmt)
		return
	}
	if s.OfType != (n.Guard != nil) {
		p.diags.Errorf(source.UnbalancedBlock, n.Pos, "SELECT CASE has CASE, and SELECT TYPE has TYPE IS and CLASS IS").
			WithNote(f.pos, "the construct begins here").WithHelp("write the one that belongs to it")
		f.body = new([]ast.Stmt)
		return
	}
	if n.Values == nil && (n.Guard == nil || n.Guard.Of.Name == "") {
		if f.alt.IsValid() {
			p.diags.Errorf(source.UnbalancedBlock, n.Pos, "a second DEFAULT").
				WithNote(f.alt, "the first is here").WithHelp("remove one, or give it values")
		}
		f.alt = n.Pos
	}
	s.Cases = append(s.Cases, ast.Case{Pos: n.Pos, Values: n.Values, Guard: n.Guard})
	f.body = &s.Cases[len(s.Cases)-1].Body
}

// labelled ends the loops "do 10" whose label the statement s, which has just
// been added, carries. Several may end at one statement.
func (p *parser) labelled(label int, pos source.Pos, s ast.Stmt) {
	if label == 0 {
		return
	}
	for n := len(p.stack); n > 0; n = len(p.stack) {
		f := p.stack[n-1]
		if f.label == label {
			if !canEndLoop(s) {
				p.diags.Errorf(source.BadLabel, pos, "a loop cannot end at this statement").
					WithNote(f.pos, "the loop begins here").
					WithHelp("end it with: %d continue", label)
			} else if f.name != "" {
				p.diags.Errorf(source.UnbalancedBlock, pos, "END DO %s is missing: a named loop does not end at a label alone", f.name).
					WithNote(f.pos, "the loop begins here").
					WithHelp("write %d end do %s", label, f.name)
			}
			p.pop(pos)
			continue
		}
		// A block inside the loop is still open.
		outer := -1
		for i := n - 2; i >= 0; i-- {
			if p.stack[i].label == label {
				outer = i
			}
		}
		if outer < 0 {
			return
		}
		p.notClosed(f, pos)
		p.pop(pos)
	}
}

// canEndLoop reports whether s may be the last statement of "do 10"; nil is a
// statement that was wrong.
func canEndLoop(s ast.Stmt) bool {
	switch s := s.(type) {
	case nil, *ast.Continue, *ast.Assign, *ast.Print, *ast.Read, *ast.FileStmt, *ast.Call, *ast.Allocate, *ast.PointerAssign, *ast.LabelAssign, *ast.Pause:
		return true
	case *ast.If:
		return s.OneLine
	}
	return false
}
