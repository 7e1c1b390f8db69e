package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of the directives.
type (
	processorsDir struct {
		Dims  []dimension `parser:"'processors' ( ',' 'dimension' '(' @@ ( ',' @@ )* ')' )?"`
		Names []shaped    `parser:"'::'? @@ ( ',' @@ )*"`
	}
	templateDir struct {
		Dims  []dimension `parser:"'template' ( ',' 'dimension' '(' @@ ( ',' @@ )* ')' )?"`
		Names []shaped    `parser:"'::'? @@ ( ',' @@ )*"`
	}
	alignDir struct {
		With    *lexer.Token  `parser:"'align' ( @'with'"`
		Source  []alignSub    `parser:"| '(' @@ ( ',' @@ )* ')' 'with'"`
		Objects []alignee     `parser:"| @@ ( ',' @@ )* 'with' )"`
		Star    *lexer.Token  `parser:"@'*'?"` // a dummy argument lies so when the procedure is called
		Target  lexer.Token   `parser:"@Ident"`
		Subs    []alignTarget `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
		Names   []alignee     `parser:"( '::' @@ ( ',' @@ )* )?"`
	}
	// nameRef is a struct of its own because participle keeps only the last
	// of several tokens that it captures into one []lexer.Token.
	nameRef struct {
		Tok lexer.Token `parser:"@Ident"`
	}
	alignee struct {
		Name   lexer.Token `parser:"@Ident"`
		Source []alignSub  `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	}
	alignSub struct {
		Tok lexer.Token `parser:"@( Ident | '*' | ':' )"`
	}
	alignTarget struct {
		Tok     *lexer.Token `parser:"( @'*'"`
		Section *alignRange  `parser:"| @@ )"`
	}
	// alignRange is an expression, or lo:hi:stride with parts left out.
	alignRange struct {
		Pos            lexer.Position
		Lo, Hi, Stride ast.Expr
		section        bool
	}
	// A star in front of the formats, or of the arrangement, says of a dummy argument that it
	// lies so when the procedure is called; one in their place, that it lies as it does.
	distributeDir struct {
		Star    *starFormats  `parser:"'distribute' ( @@"`
		Formats []distFormat  `parser:"| '(' @@ ( ',' @@ )* ')'"`
		Objects []distributee `parser:"| @@ ( ',' @@ )* )?"`
		Any     *lexer.Token  `parser:"( 'onto' @'*'?"`
		Onto    *lexer.Token  `parser:"@Ident?"`
		Part    []alignTarget `parser:"( '(' @@ ( ',' @@ )* ')' )? )?"` // of the arrangement
		Names   []nameRef     `parser:"( '::' @@ ( ',' @@ )* )?"`
	}
	starFormats struct {
		Star    lexer.Token  `parser:"@'*'"`
		Formats []distFormat `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	}
	distributee struct {
		Name    lexer.Token  `parser:"@Ident"`
		Star    *lexer.Token `parser:"@'*'?"`
		Formats []distFormat `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	}
	distFormat struct {
		Name lexer.Token `parser:"@( Ident | '*' )"`
		Args []expr      `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	}
	inheritDir struct {
		Names []nameRef `parser:"'inherit' '::'? @@ ( ',' @@ )*"`
	}
	dynamicDir struct {
		Names []nameRef `parser:"'dynamic' '::'? @@ ( ',' @@ )*"`
	}
	independentDir struct {
		Word    lexer.Token     `parser:"@'independent'"`
		Loops   []nameRef       `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
		Clauses []commaedClause `parser:"@@*"`
	}
	// commaedClause is a clause whose comma old programs leave out.
	commaedClause struct {
		Comma  bool   `parser:"@','?"`
		Clause clause `parser:"@@"`
	}
	regionDir struct {
		Name lexer.Token `parser:"'region' @Ident"`
	}
	shadowDir struct {
		Widths  []shadowWidth `parser:"'shadow' ( '(' @@ ( ',' @@ )* ')' '::'"`
		Names   []nameRef     `parser:"@@ ( ',' @@ )*"`
		Objects []shadowed    `parser:"| @@ ( ',' @@ )* )"`
	}
	shadowed struct {
		Name   lexer.Token   `parser:"@Ident"`
		Widths []shadowWidth `parser:"'(' @@ ( ',' @@ )* ')'"`
	}
	shadowWidth struct {
		Pos  lexer.Position
		Star bool  `parser:"( @'*'"`
		Low  *expr `parser:"| @@"`
		High *expr `parser:"( ':' @@ )? )"`
	}
	endBlockDir struct {
		Word lexer.Token `parser:"@( 'endregion' | 'endon' | 'endresident' | 'endtask_region' ) | @'end' ( 'region' | 'on' | 'resident' | 'task_region' )"`
	}
	onDir struct {
		Home    bool     `parser:"'on' @'home'?"`
		Place   expr     `parser:"'(' @@ ')'"`
		Clauses []clause `parser:"( ',' @@ )*"`
		Begin   bool     `parser:"@'begin'?"`
	}
	residentDir struct {
		Objects []expr `parser:"'resident' ( '(' @@ ( ',' @@ )* ')' )?"`
		Begin   bool   `parser:"@'begin'?"`
	}
	taskRegionDir struct {
		Word lexer.Token `parser:"@'task_region'"`
	}
	clause struct {
		Word lexer.Token `parser:"@Ident"`
		Home bool        `parser:"@'home'?"`
		List []expr      `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	}
)

func (g *processorsDir) build(p *parser, base ast.Base) ast.Stmt {
	entities, ok := p.withDims(g.Names, g.Dims)
	if !ok {
		return nil
	}
	return &ast.Processors{Base: base, Entities: entities}
}

func (g *templateDir) build(p *parser, base ast.Base) ast.Stmt {
	entities, ok := p.withDims(g.Names, g.Dims)
	if !ok {
		return nil
	}
	for _, e := range entities {
		if len(e.Dims) == 0 {
			p.diags.Errorf(source.Syntax, e.Pos, "extents are missing behind %q", e.Name).
				WithHelp("write !HPF$ TEMPLATE %s(extent)", e.Name)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	return &ast.Template{Base: base, Entities: entities}
}

// withDims builds names, those without extents of their own getting common.
func (p *parser) withDims(names []shaped, common []dimension) ([]ast.Entity, bool) {
	entities, ok := p.shapes(names, true)
	for i := range entities {
		if entities[i].Dims == nil && common != nil {
			entities[i].Dims, ok = p.dims(common, ok)
		}
	}
	return entities, ok
}

// build makes one ALIGN of the form with "::", and one for each array of the
// form without.
func (g *alignDir) build(p *parser, base ast.Base) ast.Stmt {
	a := ast.Align{Base: base, Target: g.Target.Value, TargetPos: startOf(&g.Target), Colons: len(g.Names) > 0}
	for i := range g.Subs {
		a.TargetSubs = append(a.TargetSubs, g.Subs[i].build())
	}
	switch {
	case g.Objects == nil && !a.Colons:
		p.diags.Errorf(source.Syntax, a.TargetPos, "no array is aligned").WithEnd(endOf(&g.Target)).
			WithHelp("write !HPF$ ALIGN ... WITH %s(...) :: array", a.Target)
		return nil
	case g.Objects != nil && a.Colons:
		p.diags.Add(problem(source.Syntax, &g.Names[0].Name, "arrays stand both in front of WITH and behind ::").
			WithHelp("write !HPF$ ALIGN (i) WITH t(i) :: a, b"))
		return nil
	case a.Colons:
		a.HasList, a.Source = g.Source != nil, alignSubs(g.Source)
		listed := false
		for i := range g.Names {
			a.Alignees = append(a.Alignees, entityOf(&g.Names[i].Name))
			listed = listed || g.Names[i].Source != nil
		}
		if !listed {
			return &a
		}
		if a.HasList {
			p.diags.Errorf(source.Syntax, a.TargetPos, "lists stand both in front of WITH and behind the arrays").
				WithHelp("write !HPF$ ALIGN (i) WITH t(i) :: a, b")
			return nil
		}
		g.Objects, a.Colons = g.Names, false
	}
	seq := &sequence{Base: base}
	for i := range g.Objects {
		one := a
		o := &g.Objects[i]
		one.Alignees = []ast.Entity{entityOf(&o.Name)}
		one.HasList, one.Source = o.Source != nil, alignSubs(o.Source)
		seq.stmts = append(seq.stmts, &one)
	}
	return seq
}

func alignSubs(list []alignSub) []ast.AlignSub {
	var out []ast.AlignSub
	for i := range list {
		t := &list[i].Tok
		s := ast.AlignSub{Pos: startOf(t)}
		switch t.Value {
		case "*":
			s.Star = true
		case ":":
			s.Colon = true
		default:
			s.Name = t.Value
		}
		out = append(out, s)
	}
	return out
}

func (g *alignTarget) build() ast.AlignTarget {
	if g.Tok != nil {
		return ast.AlignTarget{Pos: startOf(g.Tok), Star: true}
	}
	r := g.Section
	t := ast.AlignTarget{Pos: source.Pos{Line: r.Pos.Line, Col: r.Pos.Column}}
	if !r.section {
		t.Expr = r.Lo
		return t
	}
	t.Colon, t.Lo, t.Hi, t.Stride = true, r.Lo, r.Hi, r.Stride
	return t
}

// Parse implements participle.Parseable.
func (r *alignRange) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{lex: lex}
	first := lex.Peek()
	r.Pos = first.Pos
	if !c.startsOperand() && !c.at(":") && !c.at("::") {
		return participle.NextMatch
	}
	if c.startsOperand() {
		if r.Lo, err = c.expr(); err != nil {
			return err
		}
	}
	if c.at(":") || c.at("::") {
		t, err := c.triplet(r.Lo, startOf(first))
		if err != nil {
			return err
		}
		r.section, r.Hi, r.Stride = true, t.Hi, t.Step
	}
	return nil
}

// build makes one DISTRIBUTE of the form with "::", and one for each array of
// the form without.
func (g *distributeDir) build(p *parser, base ast.Base) ast.Stmt {
	d := ast.Distribute{Base: base, Colons: len(g.Names) > 0}
	switch {
	case g.Onto != nil && g.Part != nil:
		w := problem(source.NotHonoured, g.Onto, "a part of the arrangement "+g.Onto.Value+" is not supported: all PEs have a part of what is distributed")
		w.Severity = source.Warning
		p.diags.Add(w.WithHelp("write ONTO %s, or leave it out; the results are the same", g.Onto.Value))
	case g.Onto != nil:
		d.Onto, d.OntoPos = g.Onto.Value, startOf(g.Onto)
	}
	if g.Star != nil {
		g.Formats = g.Star.Formats
	}
	if d.Colons && g.Star != nil && g.Formats == nil {
		return &ast.Inherit{Base: base, Names: namesOf(g.Names)}
	}
	switch {
	case g.Objects == nil && !d.Colons:
		p.diags.Errorf(source.Syntax, base.Pos, "no array is distributed").
			WithHelp("write !HPF$ DISTRIBUTE (BLOCK) :: array")
		return nil
	case g.Objects != nil && d.Colons:
		p.diags.Add(problem(source.Syntax, &g.Names[0].Tok, "arrays stand both in front of ONTO and behind ::").
			WithHelp("write !HPF$ DISTRIBUTE (BLOCK) :: a, b"))
		return nil
	case d.Colons:
		var ok bool
		if d.Formats, ok = p.formats(g.Formats); !ok {
			return nil
		}
		for i := range g.Names {
			d.Distributees = append(d.Distributees, entityOf(&g.Names[i].Tok))
		}
		return &d
	}
	seq := &sequence{Base: base}
	for i := range g.Objects {
		o := &g.Objects[i]
		if o.Star != nil && o.Formats == nil {
			seq.stmts = append(seq.stmts, &ast.Inherit{Base: base, Names: []ast.Name{{Pos: startOf(&o.Name), Name: o.Name.Value}}})
			continue
		}
		one := d
		one.Distributees = []ast.Entity{entityOf(&o.Name)}
		var ok bool
		if one.Formats, ok = p.formats(o.Formats); ok {
			seq.stmts = append(seq.stmts, &one)
		}
	}
	return seq
}

func (p *parser) formats(list []distFormat) ([]ast.DistFormat, bool) {
	var out []ast.DistFormat
	ok := true
	for i := range list {
		name := &list[i].Name
		f := ast.DistFormat{Pos: startOf(name), Name: name.Value}
		shown := strings.ToUpper(f.Name)
		switch {
		case f.Name == "indirect":
			p.diags.Add(problem(source.OutsideSubset, name, "the format INDIRECT is not supported: the owner of an element must follow from its place").
				WithHelp("write CYCLIC, which spreads elements as evenly"))
			ok = false
		case f.Name == "gen_block" && len(list[i].Args) != 1:
			p.diags.Add(problem(source.UnknownDistribution, name, "GEN_BLOCK has one argument, the vector of the sizes of blocks").
				WithHelp("write GEN_BLOCK(sizes)"))
			ok = false
		case f.Name == "gen_block":
			f.Arg = list[i].Args[0].X
		case f.Name != "block" && f.Name != "cyclic" && f.Name != "*":
			p.diags.Add(problem(source.UnknownDistribution, name, "unknown distribution format "+shown).
				WithHelp("write BLOCK, CYCLIC or *, the last for a dimension that is not distributed"))
			ok = false
		case f.Name == "*" && list[i].Args != nil:
			p.diags.Add(problem(source.UnknownDistribution, name, "the format * has no argument").
				WithHelp("write * alone for a dimension that is not distributed"))
			ok = false
		case len(list[i].Args) > 1:
			p.diags.Add(problem(source.UnknownDistribution, name, shown+" has one argument, the size of a block").
				WithEnd(list[i].Args[len(list[i].Args)-1].X.EndPosition()).
				WithHelp("write %s(size)", shown))
			ok = false
		case list[i].Args != nil:
			f.Arg = list[i].Args[0].X
		}
		out = append(out, f)
	}
	return out, ok
}

func (g *inheritDir) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Inherit{Base: base, Names: namesOf(g.Names)}
}

func (g *dynamicDir) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Dynamic{Base: base, Names: namesOf(g.Names)}
}

// remap adds REDISTRIBUTE and REALIGN, which are written as DISTRIBUTE and ALIGN, one for each
// array of the form without "::".
func (p *parser) remap(s scan.Stmt, base ast.Base) {
	kind, word := scan.Distribute, "distribute"
	if s.Kind == scan.Realign {
		kind, word = scan.Align, "align"
	}
	toks := slices.Clone(s.Toks)
	toks[0].Value = word
	stmt, ok := p.parseOne(scan.Stmt{Kind: kind, Toks: toks}, base)
	if !ok {
		return
	}
	list := []ast.Stmt{stmt}
	if seq, ok := stmt.(*sequence); ok {
		list = seq.stmts
	}
	for _, d := range list {
		if _, ok := d.(*ast.Inherit); ok {
			p.diags.Errorf(source.BadDirective, base.Pos, "REDISTRIBUTE with * in place of the formats").
				WithHelp("write the formats: REDISTRIBUTE a(BLOCK)")
			continue
		}
		p.add(&ast.Remap{Base: base, Directive: d}, base)
	}
}

func (g *regionDir) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Block{Base: base, Region: g.Name.Value}
}

// build makes one SHADOW for each array of the form without "::".
func (g *shadowDir) build(_ *parser, base ast.Base) ast.Stmt {
	if g.Names != nil {
		return &ast.Shadow{Base: base, Widths: shadowWidths(g.Widths), Names: namesOf(g.Names)}
	}
	seq := &sequence{Base: base}
	for i := range g.Objects {
		o := &g.Objects[i]
		seq.stmts = append(seq.stmts, &ast.Shadow{Base: base, Widths: shadowWidths(o.Widths), Names: []ast.Name{{Pos: startOf(&o.Name), Name: o.Name.Value}}})
	}
	return seq
}

func shadowWidths(list []shadowWidth) (out []ast.ShadowWidth) {
	for _, w := range list {
		x := ast.ShadowWidth{Pos: source.Pos{Line: w.Pos.Line, Col: w.Pos.Column}}
		if w.Low != nil {
			x.Low = w.Low.X
		}
		if w.High != nil {
			x.High = w.High.X
		}
		out = append(out, x)
	}
	return out
}

func (g *endBlockDir) build(_ *parser, base ast.Base) ast.Stmt {
	return &blockEnd{Base: base, Unit: "region"}
}

func (g *onDir) build(p *parser, base ast.Base) ast.Stmt {
	on := ast.On{Home: g.Place.X, Bare: !g.Home, One: !g.Begin}
	for i := range g.Clauses {
		c := &g.Clauses[i]
		switch c.Word.Value {
		case "resident":
			on.Resident, on.Objects = true, append(on.Objects, exprsOf(c.List)...)
		case "new":
			names, ok := p.clauseNames(c)
			if !ok {
				return nil
			}
			on.New = append(on.New, names...)
		default:
			p.diags.Add(problem(source.OutsideSubset, &c.Word, "ON has no clause "+strings.ToUpper(c.Word.Value)).
				WithHelp("the clauses of ON are RESIDENT(variables) and NEW(names)"))
			return nil
		}
	}
	return &ast.Block{Base: base, On: on}
}

func (g *residentDir) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Block{Base: base, On: ast.On{Resident: true, Objects: exprsOf(g.Objects), One: !g.Begin}}
}

func (g *taskRegionDir) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Block{Base: base, Tasks: true}
}

func exprsOf(list []expr) (out []ast.Expr) {
	for _, e := range list {
		out = append(out, e.X)
	}
	return out
}

// clauseNames are the names in the list of a clause; ok is false after an error.
func (p *parser) clauseNames(c *clause) (names []ast.Name, ok bool) {
	word := strings.ToUpper(c.Word.Value)
	for _, e := range c.List {
		id, is := e.X.(*ast.Ident)
		if !is {
			p.diags.Errorf(source.Syntax, e.X.Position(), "%s is no name of a variable", ast.UnparseExpr(e.X)).WithHelp("write %s(names)", word)
			return nil, false
		}
		names = append(names, ast.Name{Pos: id.Pos, Name: id.Name})
	}
	if len(names) == 0 {
		p.diags.Add(problem(source.Syntax, &c.Word, "the clause "+word+" has no list").WithHelp("write %s(names)", word))
	}
	return names, len(names) > 0
}

func (g *independentDir) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Independent{Base: base, Loops: namesOf(g.Loops)}
	for i := range g.Clauses {
		c := &g.Clauses[i].Clause
		word := c.Word.Value
		if !g.Clauses[i].Comma {
			w := problem(source.BadDirective, &c.Word, "a comma is missing in front of "+strings.ToUpper(word))
			w.Severity = source.Warning
			p.diags.Add(w.WithHelp("write INDEPENDENT, %s", strings.ToUpper(word)))
		}
		switch {
		case word == "new" || word == "reduction":
			names, ok := p.clauseNames(c)
			switch {
			case !ok:
				return nil
			case word == "new":
				s.New = append(s.New, names...)
			default:
				s.Reduction = append(s.Reduction, names...)
			}
		case word == "on" && len(c.List) == 1:
			s.On.Home, s.On.Bare = c.List[0].X, !c.Home
		case word == "resident":
			s.On.Resident, s.On.Objects = true, append(s.On.Objects, exprsOf(c.List)...)
		default:
			p.diags.Add(problem(source.OutsideSubset, &c.Word, "the clause "+strings.ToUpper(c.Word.Value)+" is outside the subset").
				WithHelp("the clauses of INDEPENDENT are NEW(names), REDUCTION(names), ON HOME(variable) and RESIDENT(variables)"))
			return nil
		}
	}
	return s
}

// attributes are the directives that a combined one stands for, with several attributes in
// front of "::":
//
//	TEMPLATE, DISTRIBUTE(BLOCK) ONTO p :: t(n)
//
// is TEMPLATE :: t(n) and DISTRIBUTE(BLOCK) ONTO p :: t. The extents, and DIMENSION, which may stand
// anywhere among them, belong to TEMPLATE or PROCESSORS.
func attributes(toks []lexer.Token) [][]lexer.Token {
	nesting := 0 // an array constructor in a bound may have a "::" of its own
	colons := slices.IndexFunc(toks, func(t lexer.Token) bool {
		nesting += nests(t)
		return nesting == 0 && t.Value == "::"
	})
	if colons < 0 {
		return nil
	}
	var list [][]lexer.Token
	var extents []lexer.Token // of DIMENSION, with the comma in front
	for first, depth, i := 0, 0, 0; i <= colons; i++ {
		if depth += nests(toks[i]); depth > 0 || toks[i].Value != "," && i < colons {
			continue
		}
		switch {
		case toks[first].Value != "dimension":
			list = append(list, toks[first:i])
		case first > 0:
			extents = toks[first-1 : i]
		default:
			extents = slices.Concat(toks[i:i+1], toks[:i])
		}
		first = i + 1
	}
	if len(list) == 0 {
		return nil
	}
	bare := withoutLists(toks[colons:])
	declaring := max(0, slices.IndexFunc(list, func(a []lexer.Token) bool { return a[0].Value == "template" || a[0].Value == "processors" }))
	for k, a := range list {
		if k == declaring {
			list[k] = slices.Concat(a, extents, toks[colons:])
			continue
		}
		list[k] = slices.Concat(a, bare)
	}
	return list
}

// withoutLists is toks without what stands in parentheses.
func withoutLists(toks []lexer.Token) (out []lexer.Token) {
	depth := 0
	for _, t := range toks {
		by := nests(t)
		if depth += by; depth == 0 && by == 0 {
			out = append(out, t)
		}
	}
	return out
}

// nests is 1 for a token that opens a list, -1 for one that closes it.
func nests(t lexer.Token) int {
	switch {
	case t.Type != scan.Op:
	case t.Value == "(", t.Value == "[", t.Value == "(/":
		return 1
	case t.Value == ")", t.Value == "]":
		return -1
	}
	return 0
}

// withoutExtrinsic takes EXTRINSIC(HPF) away from the first statement of a procedure, which
// says what holds without it. It reports procedures of other kinds.
func (p *parser) withoutExtrinsic(toks []lexer.Token) []lexer.Token {
	at := slices.IndexFunc(toks, func(t lexer.Token) bool {
		return t.Value == "extrinsic" || t.Value == "function" || t.Value == "subroutine"
	})
	if at < 0 || toks[at].Value != "extrinsic" || toks[at+1].Value != "(" {
		return toks
	}
	end := scan.Closing(toks, at+1)
	if end < 0 {
		return toks
	}
	kind := toks[at+2]
	if kind.Value == "language" && toks[at+3].Value == "=" {
		kind = toks[at+4]
	}
	if strings.Trim(strings.ToLower(kind.Value), `'"`) != "hpf" || end > at+5 {
		p.diags.Add(problem(source.OutsideSubset, &kind, "EXTRINSIC("+strings.ToUpper(kind.Value)+") is not supported: all procedures are global ones, EXTRINSIC(HPF)").
			WithHelp("leave it out, and compute with the whole array; code for each processor is written with coarrays"))
	}
	return slices.Concat(toks[:at], toks[end+1:])
}

func entityOf(t *lexer.Token) ast.Entity { return ast.Entity{Pos: startOf(t), Name: t.Value} }

// unknownDirective warns of a directive that is ignored.
func (p *parser) unknownDirective(toks []lexer.Token) {
	word := &toks[0]
	d := problem(source.BadDirective, word, "")
	d.Severity = source.Warning
	switch shown := strings.ToUpper(word.Value); {
	case word.Type == 0 || word.EOF():
		d.Msg = "an empty directive is ignored"
	case scan.IgnoredDirectives[word.Value]:
		if word.Value == "no" && !toks[1].EOF() {
			shown += " " + strings.ToUpper(toks[1].Value)
		}
		d.Msg = "the directive " + shown + " is not supported, and is ignored"
		d.Help = "the program computes the same without it; data stay where DISTRIBUTE and ALIGN put them"
	default:
		d.Msg = "there is no HPF directive " + quoted(word) + "; the line is ignored"
		if near := source.Nearest(word.Value, "processors", "template", "align", "distribute", "inherit", "independent", "region", "dynamic", "redistribute", "realign", "on", "resident", "task_region"); near != "" {
			d.Help = "did you mean " + strings.ToUpper(near) + "?"
		} else {
			d.Help = "the directives are PROCESSORS, TEMPLATE, ALIGN, DISTRIBUTE, INHERIT, DYNAMIC, REDISTRIBUTE, REALIGN, SHADOW, INDEPENDENT, ON, RESIDENT, TASK_REGION, REGION and what ends them"
		}
	}
	p.diags.Add(d)
}
