package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of the executable statements but input and output.
type (
	assignStmt struct {
		LHS variable `parser:"@@ '='"`
		RHS expr     `parser:"@@"`
	}
	doStmt struct {
		Label *lexer.Token `parser:"'do' @Int?"`
		Var   *lexer.Token `parser:"( ','? @Ident '='"`
		Lo    *expr        `parser:"@@ ','"`
		Hi    *expr        `parser:"@@"`
		Step  *expr        `parser:"( ',' @@ )? )?"`
	}
	doWhileStmt struct {
		Label *lexer.Token `parser:"'do' @Int? ','? 'while' '('"`
		Cond  expr         `parser:"@@ ')'"`
	}
	ifThenStmt struct {
		Cond expr `parser:"'if' '(' @@ ')' 'then'"`
	}
	ifHead struct {
		Cond expr `parser:"'if' '(' @@ ')'"`
	}
	whereStmt struct {
		Mask expr `parser:"'where' '(' @@ ')'"`
	}
	elsewhereStmt struct {
		Mask *expr        `parser:"( 'elsewhere' | 'else' 'where' ) ( '(' @@ ')' )?"`
		Name *lexer.Token `parser:"@Ident?"`
	}
	forallStmt struct {
		Items []forallItem `parser:"'forall' '(' @@ ( ',' @@ )* ')'"`
	}
	concurrentStmt struct {
		Label    *lexer.Token     `parser:"'do' @Int? ','? 'concurrent'"`
		Items    []forallItem     `parser:"'(' @@ ( ',' @@ )* ')'"`
		Locality []localityClause `parser:"@@*"`
	}
	forallItem struct {
		X    expr  `parser:"@@"`
		Lo   *expr `parser:"( '=' @@"`
		Hi   *expr `parser:"':' @@"`
		Step *expr `parser:"( ':' @@ )? )?"`
	}
	localityClause struct {
		Word  lexer.Token  `parser:"@Ident '('"`
		First lexer.Token  `parser:"@( Ident | Op )"`
		Colon *lexer.Token `parser:"@':'?"`
		Names []nameRef    `parser:"@@? ( ',' @@ )* ')'"`
	}
	elseIfStmt struct {
		Cond expr         `parser:"( 'elseif' | 'else' 'if' ) '(' @@ ')' 'then'"`
		Name *lexer.Token `parser:"@Ident?"`
	}
	elseStmt struct {
		Word lexer.Token  `parser:"@'else'"`
		Name *lexer.Token `parser:"@Ident?"`
	}
	exitStmt struct {
		Word lexer.Token  `parser:"@'exit'"`
		Name *lexer.Token `parser:"@Ident?"`
	}
	cycleStmt struct {
		Word lexer.Token  `parser:"@'cycle'"`
		Name *lexer.Token `parser:"@Ident?"`
	}
	stopStmt struct {
		Word lexer.Token `parser:"@'stop'"`
		Code *expr       `parser:"@@?"`
	}
	errorStopStmt struct {
		Word lexer.Token `parser:"( @'errorstop' | @'error' 'stop' )"`
		Code *expr       `parser:"@@?"`
	}
	continueStmt struct {
		Word lexer.Token `parser:"@'continue'"`
	}
	labelRef struct {
		Tok lexer.Token `parser:"@Int"`
	}
	gotoStmt struct {
		To   *labelRef    `parser:"( 'goto' | 'go' 'to' ) ( @@"`
		List []labelRef   `parser:"| '(' @@ ( ',' @@ )* ')' ','?"`
		X    *expr        `parser:"  @@"`
		Var  *lexer.Token `parser:"| @Ident"`
		Of   []labelRef   `parser:"  ( ','? '(' @@ ( ',' @@ )* ')' )? )"`
	}
	arithmeticIfStmt struct {
		X  expr       `parser:"'if' '(' @@ ')'"`
		To []labelRef `parser:"@@ ',' @@ ',' @@"`
	}
	labelAssignStmt struct {
		To  labelRef    `parser:"'assign' @@"`
		Var lexer.Token `parser:"'to' @Ident"`
	}
	pauseStmt struct {
		Word lexer.Token `parser:"@'pause'"`
		Code *expr       `parser:"@@?"`
	}
	selectStmt struct {
		X expr `parser:"( 'selectcase' | 'select' 'case' ) '(' @@ ')'"`
	}
	selectTypeStmt struct {
		Name *lexer.Token `parser:"( 'selecttype' | 'select' 'type' ) '(' ( (?= Ident '=>') @Ident '=>' )?"`
		X    expr         `parser:"@@ ')'"`
	}
	typeGuard struct {
		Word    lexer.Token  `parser:"@( 'type' | 'class' )"`
		Default *lexer.Token `parser:"( @'default'"`
		Type    *typeSpec    `parser:"| 'is' '(' ( @@"`
		Of      *lexer.Token `parser:"  | @Ident ) ')' )"`
		Name    *lexer.Token `parser:"@Ident?"`
	}
	pointerStmt struct {
		LHS expr `parser:"@@ '=>'"`
		RHS expr `parser:"@@"`
	}
	nullifyStmt struct {
		Word lexer.Token `parser:"@'nullify' '('"`
		List []expr      `parser:"@@ ( ',' @@ )* ')'"`
	}
	caseStmt struct {
		Word    lexer.Token  `parser:"@'case'"`
		Default *lexer.Token `parser:"( @'default'"`
		Values  []caseValue  `parser:"| '(' @@ ( ',' @@ )* ')' )"`
		Name    *lexer.Token `parser:"@Ident?"`
	}
	caseValue struct {
		Lo    *expr        `parser:"( (?! ':') @@ )?"`
		Colon *lexer.Token `parser:"( @':'"`
		Hi    *expr        `parser:"( (?! ( ',' | ')' )) @@ )? )?"`
	}
	syncStmt struct {
		What   lexer.Token `parser:"'sync' @( 'all' | 'memory' | 'images' | 'team' )"`
		Images *imageSet   `parser:"@@?"`
	}
	eventStmt struct {
		Word lexer.Token  `parser:"@( 'event' | 'lock' | 'unlock' )"`
		What *lexer.Token `parser:"@( 'post' | 'wait' )?"`
		Of   imageSet     `parser:"@@"`
	}
	teamStmt struct {
		Fail *lexer.Token `parser:"( @( 'failimage' ) | 'fail' @'image'"`
		Word *lexer.Token `parser:"| @( 'formteam' ) | 'form' @'team' )"`
		Args *teamArgs    `parser:"@@?"`
	}
	changeTeamStmt struct {
		Word lexer.Token `parser:"( @'changeteam' | 'change' @'team' )"`
		Args teamArgs    `parser:"@@"`
	}
	endTeamStmt struct {
		Word lexer.Token  `parser:"( @'endteam' | 'end' @'team' )"`
		Stat *imageSet    `parser:"@@?"`
		Name *lexer.Token `parser:"@Ident?"`
	}
	criticalStmt struct {
		Word lexer.Token `parser:"@'critical'"`
		Stat *imageSet   `parser:"@@?"`
	}
	blockStmt struct {
		Word lexer.Token `parser:"@'block'"`
	}
	associateStmt struct {
		Names []association `parser:"'associate' '(' @@ ( ',' @@ )* ')'"`
	}
	association struct {
		Name lexer.Token `parser:"@Ident '=>'"`
		X    expr        `parser:"@@"`
	}
	// endStmt is every END: which one the classifier has said already.
	endStmt struct {
		Word lexer.Token  `parser:"( @( 'enddo' | 'endselect' | 'endif' | 'endprogram' | 'endsubroutine' | 'endfunction' | 'endmodule' | 'endblockdata' | 'endcritical' | 'endsubmodule' | 'endprocedure' | 'endwhere' | 'endforall' | 'endblock' | 'endassociate' )"`
		Unit *lexer.Token `parser:"| 'end' ( @( 'do' | 'select' | 'if' | 'program' | 'subroutine' | 'function' | 'module' | 'submodule' | 'procedure' | 'critical' | 'where' | 'forall' | 'blockdata' | 'associate' ) | @'block' @'data'? )? )"`
		Name *lexer.Token `parser:"@Ident?"`
	}
)

// Statements that shape the tree and are not in it.
type (
	programUnit struct {
		ast.Base
		Name lexer.Token
	}
	elseIf struct {
		ast.Base
		Cond ast.Expr
		Name *lexer.Token
	}
	elseArm struct {
		ast.Base
		Name *lexer.Token
	}
	caseArm struct {
		ast.Base
		Values []ast.CaseValue // nil: DEFAULT
		Guard  *ast.TypeGuard  // of SELECT TYPE
		Name   *lexer.Token
	}
	blockEnd struct {
		ast.Base
		Unit   string // "subroutine" of END SUBROUTINE, "" of END alone
		Name   *lexer.Token
		Status []ast.Expr // of END TEAM
	}
	// sequence is several statements that one line stands for.
	sequence struct {
		ast.Base
		stmts []ast.Stmt
	}
)

func (g *blockStmt) build(_ *parser, base ast.Base) ast.Stmt { return &ast.Block{Base: base} }

func (g *associateStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Associate{Base: base}
	for i := range g.Names {
		n := &g.Names[i]
		s.Names = append(s.Names, ast.Association{Name: ast.Name{Pos: startOf(&n.Name), Name: n.Name.Value}, X: n.X.X})
	}
	return s
}

func (g *assignStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return (&ast.Assign{Base: base, LHS: g.LHS.X, RHS: g.RHS.X}).Replaced()
}

func (g *doStmt) build(p *parser, base ast.Base) ast.Stmt {
	d := &ast.Do{Base: base}
	if g.Label != nil {
		d.TermLabel = p.labelValue(g.Label)
	}
	if g.Var != nil {
		d.Var = ast.Name{Pos: startOf(g.Var), Name: g.Var.Value}
		d.Lo, d.Hi, d.Step = g.Lo.X, g.Hi.X, g.Step.orNil()
	}
	return d
}

func (g *doWhileStmt) build(p *parser, base ast.Base) ast.Stmt {
	d := &ast.DoWhile{Base: base, Cond: g.Cond.X}
	if g.Label != nil {
		d.TermLabel = p.labelValue(g.Label)
	}
	return d
}

func (g *ifThenStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.If{Base: base, Arms: []ast.IfArm{{Pos: base.Pos, Cond: g.Cond.X}}}
}

func (g *ifHead) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.If{Base: base, Arms: []ast.IfArm{{Pos: base.Pos, Cond: g.Cond.X}}, OneLine: true}
}

func (g *whereStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.If{Base: base, Where: true, Arms: []ast.IfArm{{Pos: base.Pos, Cond: g.Mask.X}}}
}

func (g *elsewhereStmt) build(_ *parser, base ast.Base) ast.Stmt {
	if g.Mask == nil {
		return &elseArm{base, g.Name}
	}
	return &elseIf{base, g.Mask.X, g.Name}
}

func (g *forallStmt) build(p *parser, base ast.Base) ast.Stmt {
	return p.forall(&ast.Forall{Base: base}, g.Items)
}

func (g *concurrentStmt) build(p *parser, base ast.Base) ast.Stmt {
	f := &ast.Forall{Base: base, Concurrent: true}
	if g.Label != nil {
		f.TermLabel = p.labelValue(g.Label)
	}
	for _, c := range g.Locality {
		var names []ast.Name
		if c.Colon == nil {
			names = append(names, ast.Name{Pos: startOf(&c.First), Name: c.First.Value})
		}
		for _, n := range c.Names {
			names = append(names, ast.Name{Pos: startOf(&n.Tok), Name: n.Tok.Value})
		}
		switch c.Word.Value {
		case "shared", "default":
		case "local":
			f.Local = append(f.Local, names...)
		case "local_init":
			f.LocalInit = append(f.LocalInit, names...)
		case "reduce":
			for _, n := range names {
				f.Reduce = append(f.Reduce, ast.ForallReduce{Op: c.First.Value, Name: n})
			}
		default:
			p.diags.Add(problem(source.OutsideSubset, &c.Word, strings.ToUpper(c.Word.Value)+" of DO CONCURRENT is not supported").
				WithHelp("write LOCAL, and assign the value in the loop; or SHARED or REDUCE"))
			return nil
		}
	}
	return p.forall(f, g.Items)
}

// forall fills in the indices and the mask; nil if they are wrong.
func (p *parser) forall(f *ast.Forall, items []forallItem) ast.Stmt {
	for i, item := range items {
		name, isName := item.X.X.(*ast.Ident)
		switch {
		case item.Lo != nil && isName && f.Mask == nil:
			f.Indices = append(f.Indices, ast.ForallIndex{Var: ast.Name{Pos: name.Pos, Name: name.Name}, Lo: item.Lo.X, Hi: item.Hi.X, Step: item.Step.orNil()})
		case item.Lo == nil && i > 0 && i == len(items)-1:
			f.Mask = item.X.X
		default:
			p.diags.Errorf(source.Syntax, item.X.X.Position(), "this is neither an index nor, at the end, a mask").
				WithHelp("write (i = first:last [:step], ... [, mask])")
			return nil
		}
	}
	return f
}

func (g *elseIfStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &elseIf{base, g.Cond.X, g.Name}
}

func (g *elseStmt) build(_ *parser, base ast.Base) ast.Stmt { return &elseArm{base, g.Name} }

func (g *exitStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Exit{Base: base, Name: valueOf(g.Name)}
}

func (g *cycleStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Cycle{Base: base, Name: valueOf(g.Name)}
}

func (g *stopStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Stop{Base: base, Code: g.Code.orNil()}
}

func (g *errorStopStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Stop{Base: base, Error: true, Code: g.Code.orNil()}
}

func (g *criticalStmt) build(p *parser, base ast.Base) ast.Stmt {
	status, ok := g.Stat.alone(p, &g.Word, "critical")
	if !ok {
		return nil
	}
	return &ast.Critical{Base: base, Status: status}
}

// alone is the STAT= and ERRMSG= of a statement that takes no images.
func (s *imageSet) alone(p *parser, word *lexer.Token, what string) (status []ast.Expr, ok bool) {
	switch {
	case s == nil:
		return nil, true
	case s.given:
		p.diags.Add(problem(source.Syntax, word, strings.ToUpper(what)+" with images").WithHelp("write %s, or %[1]s (stat=variable)", what))
		return nil, false
	}
	return s.status, true
}

func (g *syncStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Sync{Base: base, What: g.What.Value}
	set := g.Images
	switch {
	case s.What == "images" && (set == nil || !set.given):
		p.diags.Add(problem(source.Syntax, &g.What, "SYNC IMAGES without images").
			WithHelp("write sync images (*), sync images (p) or sync images ([p, q])"))
		return nil
	case s.What == "team" && (set == nil || len(set.list) != 1 || set.brackets):
		p.diags.Add(problem(source.Syntax, &g.What, "SYNC TEAM of one team").WithHelp("write sync team (team)"))
		return nil
	case set != nil && set.given && s.What != "images" && s.What != "team":
		p.diags.Add(problem(source.Syntax, &g.What, "SYNC "+strings.ToUpper(s.What)+" with images").
			WithHelp("write sync images (...), or sync %s", s.What))
		return nil
	}
	if set != nil {
		s.Images, s.List, s.Status = set.list, set.brackets, set.status
	}
	return s
}

func (g *teamStmt) build(p *parser, base ast.Base) ast.Stmt {
	if g.Fail != nil {
		if g.Args != nil {
			p.diags.Add(problem(source.Syntax, g.Fail, "FAIL IMAGE with arguments").WithHelp("write fail image"))
			return nil
		}
		return &ast.Sync{Base: base, What: "fail image"}
	}
	if g.Args == nil || len(g.Args.list) != 2 || len(g.Args.names) > 0 {
		p.diags.Add(problem(source.Syntax, g.Word, "FORM TEAM needs a number and a team").WithHelp("write form team (number, team)"))
		return nil
	}
	return &ast.Sync{Base: base, What: "form team", Images: g.Args.list, Status: g.Args.status}
}

func (g *changeTeamStmt) build(p *parser, base ast.Base) ast.Stmt {
	if len(g.Args.list) != 1 {
		p.diags.Add(problem(source.Syntax, &g.Word, "CHANGE TEAM to one team").WithHelp("write change team (team)"))
		return nil
	}
	return &ast.ChangeTeam{Base: base, Team: g.Args.list[0], Names: g.Args.names, Status: g.Args.status}
}

func (g *endTeamStmt) build(p *parser, base ast.Base) ast.Stmt {
	status, ok := g.Stat.alone(p, &g.Word, "end team")
	if !ok {
		return nil
	}
	return &blockEnd{Base: base, Unit: "team", Name: g.Name, Status: status}
}

func (g *eventStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Sync{Base: base, What: g.Word.Value}
	if g.What != nil {
		s.What += " " + g.What.Value
	}
	if len(g.Of.list) != 1 || g.Of.brackets {
		kind := "lock"
		if g.What != nil {
			kind = "event"
		}
		p.diags.Add(problem(source.Syntax, &g.Word, strings.ToUpper(s.What)+" of one variable").WithHelp("write %s (%s[image])", s.What, kind))
		return nil
	}
	s.Images, s.Status = g.Of.list, g.Of.status
	return s
}

func (g *continueStmt) build(_ *parser, base ast.Base) ast.Stmt { return &ast.Continue{Base: base} }

func (p *parser) target(g *labelRef) ast.Target {
	return ast.Target{Pos: startOf(&g.Tok), Label: p.labelValue(&g.Tok)}
}

// targets are the labels of a list; ok is false when one of them is no label.
func (p *parser) targets(list []labelRef) (to []ast.Target, ok bool) {
	ok = true
	for i := range list {
		t := p.target(&list[i])
		to, ok = append(to, t), ok && t.Label != 0
	}
	return to, ok
}

func (g *gotoStmt) build(p *parser, base ast.Base) ast.Stmt {
	switch {
	case g.To != nil:
		if t := p.target(g.To); t.Label != 0 {
			return &ast.Goto{Base: base, To: t}
		}
	case g.Var != nil:
		if to, ok := p.targets(g.Of); ok {
			return &ast.AssignedGoto{Base: base, Var: ast.Name{Pos: startOf(g.Var), Name: g.Var.Value}, To: to}
		}
	default:
		if to, ok := p.targets(g.List); ok {
			return &ast.ComputedGoto{Base: base, To: to, X: g.X.X}
		}
	}
	return nil
}

func (g *arithmeticIfStmt) build(p *parser, base ast.Base) ast.Stmt {
	to, ok := p.targets(g.To)
	if !ok {
		return nil
	}
	return &ast.ArithmeticIf{Base: base, X: g.X.X, To: [3]ast.Target(to)}
}

func (g *labelAssignStmt) build(p *parser, base ast.Base) ast.Stmt {
	t := p.target(&g.To)
	if t.Label == 0 {
		return nil
	}
	return &ast.LabelAssign{Base: base, To: t, Var: ast.Name{Pos: startOf(&g.Var), Name: g.Var.Value}}
}

func (g *pauseStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Pause{Base: base, Code: g.Code.orNil()}
}

func (g *selectStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Select{Base: base, X: g.X.X}
}

func (g *selectTypeStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Select{Base: base, X: g.X.X, OfType: true}
	if g.Name != nil {
		s.As = ast.Name{Pos: startOf(g.Name), Name: g.Name.Value}
	}
	return s
}

func (g *typeGuard) build(p *parser, base ast.Base) ast.Stmt {
	c := &caseArm{Base: base, Name: g.Name, Guard: &ast.TypeGuard{Class: g.Word.Value == "class"}}
	switch {
	case g.Type != nil:
		t := &ast.TypeSpec{}
		if !g.Type.build(p, t) {
			return nil
		}
		if c.Guard.Class || t.Of.Name != "" {
			p.diags.Add(problem(source.Syntax, &g.Word, "a guard with CLASS IS, or CLASS or TYPE in parentheses").WithHelp("write type is (name)"))
			return nil
		}
		c.Guard.Of, c.Guard.Type = ast.Name{Pos: startOf(&g.Type.Word), Name: t.Name}, t
	case g.Of != nil:
		c.Guard.Of = ast.Name{Pos: startOf(g.Of), Name: g.Of.Value}
	case !c.Guard.Class:
		p.diags.Add(problem(source.Syntax, &g.Word, "TYPE DEFAULT").WithHelp("write class default"))
		return nil
	}
	return c
}

func (g *pointerStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.PointerAssign{Base: base, To: []ast.Expr{g.LHS.X}, X: g.RHS.X}
}

func (g *nullifyStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.PointerAssign{Base: base, X: &ast.Index{XBase: ast.XBase{Pos: base.Pos, End: base.Pos}, Name: "null", NamePos: base.Pos}}
	for i := range g.List {
		s.To = append(s.To, g.List[i].X)
	}
	return s
}

func (g *caseStmt) build(p *parser, base ast.Base) ast.Stmt {
	c := &caseArm{Base: base, Name: g.Name}
	for _, v := range g.Values {
		value := ast.CaseValue{Lo: v.Lo.orNil(), Hi: v.Hi.orNil(), Range: v.Colon != nil}
		if value.Lo == nil && value.Hi == nil {
			p.diags.Add(problem(source.Syntax, &g.Word, "CASE with a range that has no bounds").
				WithHelp("write case default, or give a bound: case (:9)"))
			return nil
		}
		c.Values = append(c.Values, value)
	}
	return c
}

func (g *endStmt) build(_ *parser, base ast.Base) ast.Stmt {
	unit := strings.TrimPrefix(g.Word.Value, "end")
	if g.Unit != nil {
		unit = g.Unit.Value
	}
	if unit == "data" || unit == "blockdata" {
		unit = "block data"
	}
	return &blockEnd{Base: base, Unit: unit, Name: g.Name}
}

// orNil returns the expression of an optional place.
func (e *expr) orNil() ast.Expr {
	if e == nil {
		return nil
	}
	return e.X
}

func valueOf(t *lexer.Token) string {
	if t == nil {
		return ""
	}
	return t.Value
}

// labelValue is the number of a label in a statement, such as the 10 of
// "do 10"; it reports one that is no label.
func (p *parser) labelValue(t *lexer.Token) int {
	n := 0
	for _, c := range t.Value {
		if c < '0' || c > '9' || n > 99999 {
			n = 0
			break
		}
		n = n*10 + int(c-'0')
	}
	if n == 0 || n > 99999 {
		p.diags.Add(problem(source.BadLabel, t, quoted(t)+" is no label").WithHelp("labels are 1 to 99999"))
		return 0
	}
	return n
}
