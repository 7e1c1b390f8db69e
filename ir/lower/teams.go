package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A team is an INTEGER here (see package derived): its number in the list of teams that the image
// has seen, of which 1 is the initial team, and 0 none. The current team, the index of the image in
// it, and the number of its images are variables, which CHANGE TEAM and END TEAM set:
//
//	change team (t)         change team t; team, image, images = what the run time says
//	   a = b[2]                a = b[initial_image(team, 2)]
//	end team                end team; team, image, images = what the run time says
//
// so that no pass takes this_image() for the same value on both sides, and the images of all
// accesses are those of the initial team. Programs without teams have none of this.
type teams struct{ current, image, images *ir.Symbol }

// declareTeams makes the variables, and returns what sets them at the beginning of the program.
func (l *lowerer) declareTeams(pos source.Pos) []ir.Stmt {
	variable := func(name string) *ir.Symbol {
		v := l.local(name, ir.Integer, pos)
		l.mention[v], l.typed[v] = true, pos
		return v
	}
	l.teams = &teams{variable("team"), variable("image"), variable("images")}
	number := func(name string) ir.Expr { return &ir.Call{X: ir.X{Pos: pos, Typ: ir.Integer}, Name: name} }
	return []ir.Stmt{l.set(l.teams.current, l.intConst(1, pos), pos), l.set(l.teams.image, number("this_image"), pos),
		l.set(l.teams.images, number("num_images"), pos)}
}

// noTeamsAcross reports teams in a program with checkpoints, which do not save them.
func (l *lowerer) noTeamsAcross(pos source.Pos) {
	if l.teams != nil && l.prog.Checkpoints() {
		l.errorf(codeOutside, pos, "teams in a program with checkpoints, which do not save them").WithHelp("remove the checkpoints, or write sync images in place of teams")
	}
}

// ofImages is this_image() or num_images() in the current team.
func (l *lowerer) ofImages(name string, pos source.Pos) ir.Expr {
	switch {
	case l.teams == nil:
		return &ir.Call{X: ir.X{Pos: pos, Typ: ir.Integer}, Name: name}
	case name == "this_image":
		return varOf(l.teams.image, pos)
	}
	return varOf(l.teams.images, pos)
}

// ofTeam is a call of a function of the run time about a team.
func (l *lowerer) ofTeam(name string, pos source.Pos, args ...ir.Expr) ir.Expr {
	for i := range args {
		args[i] = l.convert(args[i], ir.Integer)
	}
	return &ir.Call{X: ir.X{Pos: pos, Typ: ir.Integer}, Name: name, Args: args}
}

// teamOf is the team that argument e names, the current one where e is nil; nil after an error.
func (l *lowerer) teamOf(e ast.Expr, pos source.Pos) ir.Expr {
	if e == nil {
		return varOf(l.teams.current, pos)
	}
	x := l.integer(e, "the team")
	if isBad(x) {
		return nil
	}
	return x
}

// sibling is the team with a number that was formed with the current one.
func (l *lowerer) sibling(e ast.Expr) ir.Expr {
	n := l.integer(e, "the number of the team")
	if isBad(n) {
		return nil
	}
	return l.ofTeam("sibling_team", e.Position(), varOf(l.teams.current, e.Position()), n)
}

// teamStmt lowers FORM TEAM and SYNC TEAM.
func (l *lowerer) teamStmt(s *ast.Sync) []ir.Stmt {
	if l.outOfCritical(map[string]string{"team": "SYNC TEAM", "form team": "FORM TEAM"}[s.What], s.Pos) {
		return nil
	}
	if s.What == "team" {
		t := l.teamOf(s.Images[0], s.Pos)
		if t == nil {
			return nil
		}
		return l.succeeds(one(&ir.Sync{S: ir.S{Pos: s.Pos}, Kind: ir.SyncTeam, Images: []ir.Expr{t}}), s.Status)
	}
	form := &ir.Sync{S: ir.S{Pos: s.Pos}, Kind: ir.FormTeam, Images: []ir.Expr{l.integer(s.Images[0], "the number of the team")}}
	var status []ast.Expr
	for _, e := range s.Status {
		if k, ok := e.(*ast.Keyword); ok && k.Name == "new_index" && len(form.Images) == 1 {
			form.Images = append(form.Images, l.integer(k.X, "NEW_INDEX"))
		} else {
			status = append(status, e)
		}
	}
	to := l.target(s.Images[1])
	if isBad(to) || isBad(form.Images...) {
		return nil
	}
	t := l.temp("team", ir.Integer, 0, s.Pos)
	formed := &ir.Read{S: ir.S{Pos: s.Pos}, What: "formed_team team", Items: []*ir.Var{varOf(t, s.Pos)}}
	return l.succeeds([]ir.Stmt{form, formed, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: to, RHS: varOf(t, s.Pos)}}, status)
}

// outOfCritical reports a statement that must not stand inside CRITICAL.
func (l *lowerer) outOfCritical(what string, pos source.Pos) bool {
	if l.critical.IsValid() {
		l.errorf(codeOutside, pos, "%s inside CRITICAL", what).WithNote(l.critical, "CRITICAL begins here").
			WithHelp("move it behind END CRITICAL: the other images cannot get here meanwhile")
	}
	return l.critical.IsValid()
}

// changed is a change of the team, and the variables behind it.
func (l *lowerer) changed(kind ir.SyncKind, pos source.Pos, team ...ir.Expr) []ir.Stmt {
	return []ir.Stmt{&ir.Sync{S: ir.S{Pos: pos}, Kind: kind, Images: team},
		&ir.Read{S: ir.S{Pos: pos}, What: "current_team team image images", Items: []*ir.Var{varOf(l.teams.current, pos), varOf(l.teams.image, pos), varOf(l.teams.images, pos)}}}
}

// changeTeam lowers CHANGE TEAM. What the construct allocates is deallocated at its end.
func (l *lowerer) changeTeam(s *ast.ChangeTeam) []ir.Stmt {
	if l.outOfCritical("CHANGE TEAM", s.Pos) {
		return nil
	}
	t := l.teamOf(s.Team, s.Pos)
	if t == nil {
		return nil
	}
	out := l.succeeds(l.changed(ir.ChangeTeam, s.Pos, t), s.Status)
	if out == nil {
		return nil
	}
	outer, in := l.scope, l.inside()
	for _, n := range s.Names {
		sym := l.otherCodimensions(n, &out)
		if sym == nil {
			return nil
		}
		in.names[n.Name.Name] = sym
	}
	loops, change, changeIn, allocated := l.loops, l.team, l.teamIn, l.inTeam
	l.scope, l.loops, l.team, l.teamIn, l.inTeam = in, nil, s.Pos, outer.ofUnit(), nil
	body := l.construct(s.Name, s.Pos, s.EndPos, func() []ir.Stmt { return l.ownBlock(s.Body) })
	l.scope = outer
	var free []ir.Stmt
	for _, sym := range l.inTeam {
		a := l.allocs[sym]
		was := l.local("before", ir.Logical, s.Pos)
		l.mention[was], l.typed[was] = true, s.Pos
		out = append(out, l.set(was, varOf(a.flag, s.Pos), s.Pos))
		fresh := l.bin(ir.And, varOf(a.flag, s.EndPos), &ir.Un{X: ir.X{Pos: s.EndPos, Typ: ir.Logical}, Op: ir.Not, E: varOf(was, s.EndPos)}, s.EndPos, s.EndPos)
		free = append(free, &ir.If{S: ir.S{Pos: s.EndPos}, Cond: fresh, Then: l.freed(sym, a, s.EndPos)})
	}
	l.loops, l.team, l.teamIn, l.inTeam = loops, change, changeIn, append(allocated, l.inTeam...)
	end := l.succeeds(l.changed(ir.EndTeam, s.EndPos), s.EndStatus)
	if end == nil {
		return nil
	}
	return slices.Concat(out, body, free, end)
}

// otherCodimensions is the coarray of an association of CHANGE TEAM, nil after an error.
func (l *lowerer) otherCodimensions(n ast.Association, pre *[]ir.Stmt) *ir.Symbol {
	id, named := n.X.(*ast.Ident)
	if !named || l.lookup(id.Name) == nil || !l.lookup(id.Name).Coarray {
		l.errorf(codeType, n.X.Position(), "this is no name of a coarray").WithHelp("write change team (team, name[codimensions] => coarray)")
		return nil
	}
	a := l.actual(n.X, pre)
	if a == nil {
		return nil
	}
	of := l.lookup(id.Name)
	s := &ir.Symbol{Name: l.unique(l.scope.unit.Name + "_" + n.Name.Name), Local: n.Name.Name, Pos: n.Pos, Type: a.typ, Len: of.Len,
		Site: l.scope.site, Coarray: true, Cell: of.Cell, Apart: of.Apart}
	if of.Cell {
		l.seen(s, a.cell, a.cellShape)
	} else {
		l.seen(s, a.view, a.shape)
	}
	var list codimensions
	for k, e := range n.Codims {
		c := codimension{lo: l.intConst(1, n.Pos)}
		hi := e
		if t, ok := e.(*ast.Triplet); ok {
			hi = t.Hi
			low := l.integer(t.Lo, "a bound of a codimension")
			if isBad(low) {
				return nil
			}
			c.lo = l.fixed(low, "colo", n.Pos, pre)
		}
		if last := k == len(n.Codims)-1; last != isStar(hi) {
			l.errorf(codeRank, e.Position(), "codimension %d of %s: the last one must be *, and no other", k+1, n.Name.Name).
				WithHelp("write [*], or the bounds of all but the last: [2,*]")
			return nil
		}
		if !isStar(hi) {
			high := l.integer(hi, "a bound of a codimension")
			if isBad(high) {
				return nil
			}
			c.n = l.fixed(l.extentOf(ir.Clone(c.lo), high, n.Pos), "coext", n.Pos, pre)
		}
		list = append(list, c)
	}
	l.cobounds[s] = list
	return s
}

// teamQuery lowers team_number and get_team.
func (l *lowerer) teamQuery(e *ast.Index) ir.Expr {
	if e.Name == "team_number" {
		args := l.ordered(e, 0, "team")
		if args == nil {
			return bad(e.Pos)
		}
		t := l.teamOf(args[0], e.Pos)
		if t == nil {
			return bad(e.Pos)
		}
		return l.ofTeam("team_number", e.Pos, t)
	}
	args := l.ordered(e, 0, "level")
	if args == nil {
		return bad(e.Pos)
	}
	if args[0] == nil {
		return varOf(l.teams.current, e.Pos)
	}
	levels := IntrinsicConstants["iso_fortran_env"]
	switch level, ok := l.constInt(args[0], "the level of get_team"); {
	case !ok:
	case level == levels["initial_team"]:
		return l.intConst(1, e.Pos)
	case level == levels["parent_team"]:
		return l.ofTeam("parent_team", e.Pos, varOf(l.teams.current, e.Pos))
	case level == levels["current_team"]:
		return varOf(l.teams.current, e.Pos)
	default:
		l.errorf(codeArgument, args[0].Position(), "get_team of no level").WithHelp("write initial_team, parent_team or current_team of iso_fortran_env")
	}
	return bad(e.Pos)
}

// inTeamOf lowers num_images or this_image with a team, or the number of one.
func (l *lowerer) inTeamOf(e *ast.Index) ir.Expr {
	names := []string{"team"}
	if e.Name == "num_images" {
		names = []string{"team_number", "team"}
	}
	args := l.ordered(e, 0, names...)
	if args == nil {
		return bad(e.Pos)
	}
	var t ir.Expr
	switch given := args[len(args)-1]; {
	case given == nil && l.teams == nil, given != nil && len(args) == 2 && args[0] != nil:
		l.errorf(codeArgument, e.Pos, "%s of a team that there is not", e.Name).WithHelp("write %s() or %s(team)", e.Name, e.Name)
		return bad(e.Pos)
	case given == nil:
		t = l.sibling(args[0])
	default:
		t = l.teamOf(given, e.Pos)
	}
	if t == nil {
		return bad(e.Pos)
	}
	if e.Name == "num_images" {
		return l.ofTeam("team_size", e.Pos, t)
	}
	return l.ofTeam("team_image", e.Pos, t)
}

// initialImage is the image of the initial team that image x of the team that keywords name is.
func (l *lowerer) initialImage(x ir.Expr, team ir.Expr, pos source.Pos) ir.Expr {
	if l.teams == nil || isBad(x) {
		return x
	}
	return l.ofTeam("initial_image", pos, team, x)
}

// selectorTeam is the team of an image selector, nil in programs without teams, and the variable of
// STAT=, nil where there is none; subs are its cosubscripts.
func (l *lowerer) selectorTeam(list []ast.Expr, pos source.Pos) (team, stat ir.Expr, subs []ast.Expr, ok bool) {
	if l.teams != nil {
		team = varOf(l.teams.current, pos)
	}
	for _, e := range list {
		k, keyword := e.(*ast.Keyword)
		if !keyword {
			subs = append(subs, e)
			continue
		}
		switch k.Name {
		case "team":
			team = l.teamOf(k.X, pos)
		case "team_number":
			team = l.sibling(k.X)
		default:
			x := l.target(k.X)
			if isBad(x) {
				return nil, nil, nil, false
			}
			if !x.Type().IsInteger() {
				l.errorf(codeType, k.X.Position(), "the variable of STAT= is %s, it must be INTEGER", x.Type())
				return nil, nil, nil, false
			}
			stat = x
			continue
		}
		if team == nil {
			return nil, nil, nil, false
		}
	}
	return team, stat, subs, true
}

// selects is image, of an image selector. In front of the statement the variable of STAT= is set, if
// that is not nil.
func (l *lowerer) selects(image, stat ir.Expr, pos source.Pos) ir.Expr {
	switch {
	case stat == nil || isBad(image):
		return image
	case !l.prog.Fails:
		l.prelude = append(l.prelude, &ir.Assign{S: ir.S{Pos: pos}, LHS: stat, RHS: intConstOf(stat.Type(), 0, pos)})
		return image
	}
	image = l.fixed(image, "image", pos, &l.prelude)
	failed := IntrinsicConstants["iso_fortran_env"]["stat_failed_image"]
	l.prelude = append(l.prelude, &ir.Assign{S: ir.S{Pos: pos}, LHS: stat, RHS: intConstOf(stat.Type(), 0, pos)},
		&ir.If{S: ir.S{Pos: pos}, Cond: l.bin(ir.Eq, l.statusOfImage(ir.Clone(image), pos), l.intConst(failed, pos), pos, pos),
			Then: one(&ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(stat), RHS: intConstOf(stat.Type(), failed, pos)})})
	return image
}

// codimensioned is a list with as many cosubscripts as s has codimensions.
func (l *lowerer) codimensioned(s *ir.Symbol, name string, list []ast.Expr) bool {
	n := len(list)
	for n > 0 {
		if _, keyword := list[n-1].(*ast.Keyword); !keyword {
			break
		}
		n--
	}
	if n != len(l.cobounds[s]) {
		l.errorf(codeRank, list[0].Position(), "coarray %s has %s, not %d", name, count(len(l.cobounds[s]), "codimension"), n).
			WithHelp("give a cosubscript for each codimension")
		return false
	}
	return true
}
