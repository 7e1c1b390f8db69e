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
