package lower

import (
	"github.com/spmdc/spmdc/parser/ast"
)

// A program is in explicit SPMD mode when it mentions images anywhere: declares a
// coarray, asks for this_image() or num_images(), synchronises, or calls a
// collective subroutine. That is decided before anything is lowered, since it
// says what every other statement means.

// collectives are the subroutines in which all images take part.
var collectives = map[string]bool{"co_sum": true, "co_max": true, "co_min": true, "co_broadcast": true, "co_reduce": true}

// imageFunctions are the intrinsics that ask about images.
var imageFunctions = map[string]bool{"this_image": true, "num_images": true, "image_index": true, "lcobound": true, "ucobound": true}

// mentionsImages reports whether f is a program in explicit SPMD mode.
func mentionsImages(f *ast.File) bool {
	m := &imageFinder{own: map[string]bool{}}
	for _, u := range f.Procedures {
		m.own[u.Name] = true
	}
	units := append(append([]*ast.Program{f.Program}, f.Modules...), f.Procedures...)
	for _, u := range units {
		m.names(u)
	}
	for _, u := range units {
		m.unit(u)
	}
	return m.found
}

// imageFinder looks for images. A procedure of the file hides the intrinsic of
// that name.
type imageFinder struct {
	own   map[string]bool
	found bool
}

func (m *imageFinder) names(u *ast.Program) {
	for _, in := range u.Contains {
		m.own[in.Name] = true
		m.names(in)
	}
}

func (m *imageFinder) unit(u *ast.Program) {
	m.spec(u.Spec)
	m.block(u.Body)
	for _, in := range u.Contains {
		m.unit(in)
	}
}

func (m *imageFinder) spec(list []ast.Stmt) {
	for _, s := range list {
		if d, ok := s.(*ast.TypeDecl); ok {
			m.found = m.found || d.Codimension != nil
			for _, e := range d.Entities {
				m.found = m.found || e.Codims != nil
			}
		}
	}
}

func (m *imageFinder) block(list []ast.Stmt) {
	for _, s := range list {
		if m.found {
			return
		}
		m.stmt(s)
	}
}

func (m *imageFinder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Sync, *ast.Critical:
		m.found = true
	case *ast.Block:
		m.spec(s.Spec)
		m.block(s.Body)
	case *ast.Associate:
		for _, n := range s.Names {
			m.exprs(n.X)
		}
		m.block(s.Body)
	case *ast.Assign:
		m.exprs(s.LHS, s.RHS)
	case *ast.Do:
		m.exprs(s.Lo, s.Hi, s.Step)
		m.block(s.Body)
	case *ast.DoWhile:
		m.exprs(s.Cond)
		m.block(s.Body)
	case *ast.Forall:
		for _, x := range s.Indices {
			m.exprs(x.Lo, x.Hi, x.Step)
		}
		m.exprs(s.Mask)
		m.block(s.Body)
	case *ast.If:
		for _, arm := range s.Arms {
			m.exprs(arm.Cond)
			m.block(arm.Body)
		}
		m.block(s.Else)
	case *ast.Print:
		m.exprs(s.Items...)
	case *ast.Read:
		m.exprs(s.Items...)
	case *ast.FileStmt:
		m.exprs(s.Items...)
	case *ast.Stop:
		m.exprs(s.Code)
	case *ast.Allocate:
		m.exprs(s.Args...)
	case *ast.Call:
		m.found = m.found || collectives[s.Proc.Name] && !m.own[s.Proc.Name]
		m.exprs(s.Args...)
	}
}

func (m *imageFinder) exprs(list ...ast.Expr) {
	for _, e := range list {
		switch e := e.(type) {
		case *ast.CoIndex:
			m.found = true
		case *ast.Index:
			m.found = m.found || (imageFunctions[e.Name] || e.Name == "image_status") && !m.own[e.Name]
			m.exprs(e.Args...)
		case *ast.Triplet:
			m.exprs(e.Lo, e.Hi, e.Step)
		case *ast.Substring:
			m.exprs(e.Base, e.Lo, e.Hi)
		case *ast.Unary:
			m.exprs(e.X)
		case *ast.Binary:
			m.exprs(e.X, e.Y)
		case *ast.Paren:
			m.exprs(e.X)
		case *ast.Keyword:
			m.exprs(e.X)
		case *ast.Array:
			m.exprs(e.Items...)
		case *ast.ImpliedDo:
			m.exprs(e.Items...)
			m.exprs(e.Lo, e.Hi, e.Step)
		}
	}
}
