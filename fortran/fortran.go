// Package fortran holds the modules of spmdc as other Fortran compilers need them.
package fortran

import (
	_ "embed"
	"regexp"
)

// SPMD is the source of module spmd, whose procedures do nothing.
//
//go:embed modules/spmd.f90
var SPMD []byte

// Name is the file name that SPMD has where it is written.
const Name = "spmd.f90"

var use = regexp.MustCompile(`(?im)^\s*(\d+\s*)?use\s+spmd\b`)

// Needed reports whether the program of a source file uses module spmd without
// bringing one of its own, so that another compiler must be given SPMD before it.
func Needed(source []byte) bool { return use.Match(source) && !own.Match(source) }

var own = regexp.MustCompile(`(?im)^\s*module\s+spmd\s*(!.*)?$`)
