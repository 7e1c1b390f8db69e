package lower

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// elementals reports what dummy arguments and values of ELEMENTAL procedures must not be (Fortran 2018,
// C15100 and C15101): arrays, coarrays, allocatable or pointers.
func elementals(f *ast.File, diags *source.List) {
	check := func(u *ast.Program) {
		if u.Elemental {
			scalarsOnly(u, diags)
		}
	}
	for u := range f.Units() {
		check(u)
		for _, s := range u.Spec {
			if face, ok := s.(*ast.Interface); ok {
				for _, in := range face.Units {
					check(in)
				}
			}
		}
	}
}

// scalarsOnly checks those of one procedure.
func scalarsOnly(u *ast.Program, diags *source.List) {
	what := map[string]string{}
	for _, a := range u.Args {
		what[a.Name] = "the argument " + a.Name
	}
	if u.Kind == ast.FunctionUnit {
		what[resultName(u)] = "the value " + resultName(u)
	}
	wrong := func(name string, pos source.Pos, is, help string) {
		if what[name] != "" {
			diags.Errorf(codeDeclaration, pos, "%s of %s, which is ELEMENTAL, is %s", what[name], u.Name, is).WithHelp("%s", help)
			delete(what, name) // one error
		}
	}
	array := func(list []ast.Entity, common []ast.DimSpec) {
		for _, e := range list {
			if len(e.Dims) > 0 || len(common) > 0 {
				wrong(e.Name, e.Pos, "an array", "declare it as a scalar: a call with arrays is one for each element; or write PURE")
			}
		}
	}
	for _, s := range u.Spec {
		switch s := s.(type) {
		case *ast.TypeDecl:
			array(s.Entities, s.Dimension)
			for _, e := range s.Entities {
				switch {
				case e.Codims != nil || s.Codimension != nil:
					wrong(e.Name, e.Pos, "a coarray", "remove the codimension, or write PURE")
				case s.Pointer:
					wrong(e.Name, e.Pos, "a POINTER", "remove the attribute, or write PURE")
				case s.Allocatable:
					wrong(e.Name, e.Pos, "ALLOCATABLE", "remove the attribute, or write PURE")
				}
			}
		case *ast.DimensionStmt:
			array(s.Entities, nil)
		case *ast.AllocatableStmt:
			is := "ALLOCATABLE"
			if s.Pointer {
				is = "a POINTER"
			}
			for _, e := range s.Entities {
				wrong(e.Name, e.Pos, is, "remove the attribute, or write PURE")
			}
		}
	}
}
