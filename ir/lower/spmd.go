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

// imageLists are the functions whose values are the images of a status.
var imageLists = map[string]string{"failed_images": "stat_failed_image", "stopped_images": "stat_stopped_image"}

// teamFunctions are those that only programs with teams need.
var teamFunctions = map[string]bool{"team_number": true, "get_team": true}

// mentionsImages reports whether f is a program in explicit SPMD mode, whether it has teams, and
// whether images can fail.
func mentionsImages(f *ast.File) (images, teams, fails bool) {
	m := &imageFinder{own: map[string]bool{}}
	for _, u := range f.Procedures {
		m.own[u.Name] = true
	}
	for u := range f.Units() {
		for _, in := range u.Contains {
			m.own[in.Name] = true
		}
	}
	for u := range f.Units() {
		m.spec(u.Spec)
		ast.Each(u.Body, m.stmt)
	}
	return m.found || m.teams, m.teams, m.fails
}

// imageFinder looks for images. A procedure of the file hides the intrinsic of
// that name.
type imageFinder struct {
	own   map[string]bool
	found bool
	teams bool
	fails bool
}

func (m *imageFinder) spec(list []ast.Stmt) {
	for _, s := range list {
		if d, ok := s.(*ast.TypeDecl); ok {
			m.found = m.found || d.Codimension != nil
			for _, e := range d.Entities {
				m.found = m.found || e.Codims != nil
			}
		}
		for _, e := range ast.Exprs(s) { // bounds may depend on the number of images
			m.found = m.found || ast.Any(*e, m.image)
		}
	}
}

func (m *imageFinder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Sync:
		m.found = true
		m.teams = m.teams || s.What == "form team" || s.What == "team"
		m.fails = m.fails || s.What == "fail image"
	case *ast.Critical:
		m.found = true
	case *ast.ChangeTeam:
		m.teams = true
	case *ast.Block:
		m.spec(s.Spec)
	case *ast.Call:
		m.found = m.found || collectives[s.Proc.Name] && !m.own[s.Proc.Name]
	}
	for _, e := range ast.Exprs(s) {
		m.found = m.found || ast.Any(*e, m.image)
	}
}

// image reports whether e itself is about images.
func (m *imageFinder) image(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CoIndex:
		for _, i := range e.Images {
			k, ok := i.(*ast.Keyword)
			m.teams = m.teams || ok && k.Name != "stat"
		}
		return true
	case *ast.Index:
		m.teams = m.teams || teamFunctions[e.Name] && !m.own[e.Name]
		return (imageFunctions[e.Name] || e.Name == "image_status" || imageLists[e.Name] != "") && !m.own[e.Name]
	}
	return false
}
