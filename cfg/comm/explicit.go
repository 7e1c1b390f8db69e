package comm

import "github.com/spmdc/spmdc/ir"

// explicit is the SPMD form of a program with coarrays, which is in that form as
// it stands: every image executes every statement on variables of its own, and
// communicates where the program says so. There is one region for each statement
// of the unit; control flow inside is each image's own. Only around checkpoints,
// which all images come to, it is spelled out.
func explicit(body []ir.Stmt) []Node {
	var list []Node
	for _, s := range body {
		list = append(list, explicitNode(s))
	}
	return list
}

func explicitNode(s ir.Stmt) Node {
	if !checkpoints(s) {
		return &Region{Stmts: []ir.Stmt{s}}
	}
	switch s := s.(type) {
	case *ir.Do:
		return &Loop{Do: s, Body: explicit(s.Body)}
	case *ir.While:
		return &WhileLoop{While: s, Body: explicit(s.Body)}
	case *ir.If:
		return &Branch{If: s, Then: explicit(s.Then), Else: explicit(s.Else)}
	}
	return &Simple{s}
}

// alone reports whether s, in a program with coarrays and distributed arrays, is
// each image's own affair: it uses no distributed array, and does not jump out of
// itself.
func (a *analyzer) alone(s ir.Stmt) bool {
	if a.images == nil || a.images.Mapped(s) || a.made[s] || checkpoints(s) {
		return false
	}
	switch s := s.(type) {
	case *ir.Exit, *ir.Cycle, *ir.Stop, *ir.Read:
		return false
	default:
		return !jumpsAway(s)
	}
}

// jumpsAway reports whether s holds an EXIT or CYCLE of a loop around it.
func jumpsAway(s ir.Stmt) bool {
	inside := map[ir.Stmt]bool{}
	away := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		inside[s] = true
		switch s := s.(type) {
		case *ir.Exit:
			away = away || !inside[s.Loop]
		case *ir.Cycle:
			away = away || !inside[s.Loop]
		}
		return true
	})
	return away
}

// together reports whether all images step through s together, which uses
// distributed arrays, because something in it differs among images: what the owners
// of elements execute for all would then not be what each image executes.
func (a *analyzer) together(s ir.Stmt) bool { return a.images != nil && a.images.Differs(s) }
