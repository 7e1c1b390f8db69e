// Package ast declares the syntax tree of a Fortran source file as written:
// names are not yet resolved, types not yet known. Names are in lower case;
// directives stand among the statements, in source order, so that unparsing a
// tree and parsing the text again gives the same tree.
package ast

import (
	"fmt"
	"iter"

	"github.com/spmdc/spmdc/parser/source"
)

// File is one source file: a main program, and the modules and external
// procedures beside it, each list in source order. A file has its modules first
// when it is unparsed, since they must precede the units that use them.
type File struct {
	Name       string // as given on the command line
	Modules    []*Program
	Program    *Program
	Procedures []*Program
	BlockData  []*Program
}

// Units are the modules of f, its program and its procedures, each before the procedures in it.
func (f *File) Units() iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		var all func(list []*Program) bool
		all = func(list []*Program) bool {
			for _, u := range list {
				if !yield(u) || !all(u.Contains) {
					return false
				}
			}
			return true
		}
		_ = all(f.Modules) && all([]*Program{f.Program}) && all(f.Procedures)
	}
}

// Alternate is the name of a dummy argument that stands for an alternate return.
const Alternate = "*"

// UnitKind says what a program unit is.
type UnitKind int

// The kinds of program units.
const (
	MainUnit UnitKind = iota
	SubroutineUnit
	FunctionUnit
	ModuleUnit
	BlockDataUnit
)

func (k UnitKind) String() string {
	return [...]string{"PROGRAM", "SUBROUTINE", "FUNCTION", "MODULE", "BLOCK DATA"}[k]
}

// GoString is the same, for %#v.
func (k UnitKind) GoString() string { return k.String() }

// IsProcedure reports whether the unit can be called.
func (k UnitKind) IsProcedure() bool { return k == SubroutineUnit || k == FunctionUnit }

// Program is a program unit or an internal or module procedure. Spec holds
// declarations and directives, Body the executable statements, directives among
// them, Contains the procedures behind CONTAINS.
type Program struct {
	Pos       source.Pos
	Kind      UnitKind
	Name      string // "main" when the PROGRAM statement is absent
	Args      []Name // dummy arguments of a procedure
	Prefix    *TypeSpec
	Pure      bool // PURE, or ELEMENTAL without IMPURE
	Elemental bool
	Recursive bool
	Statement bool // a statement function
	Implied   bool // not in the source: part of what assignments and ALLOCATE of the source do, or an empty main program
	Separate  bool // MODULE stands in front of it
	Bare      bool // MODULE PROCEDURE, whose arguments its interface has
	Parent    Name // of a submodule: its module

	// Of a procedure that package lower has made of an ENTRY: the unit that it is in, its
	// statement, and the dummy arguments that other entries have and it has not.
	Of     *Program
	At     *Entry
	Others []Name

	Result   Name // of RESULT(name); its Name is "" when that is absent
	Spec     []Stmt
	Body     []Stmt
	Formats  []*Format // FORMAT statements, which may stand anywhere
	Contains []*Program
	Words    Words `json:"-"`
	EndPos   source.Pos
}

// Words are the names and keywords in the statements of a unit, not of those that it
// contains: an undeclared name in one of these is the variable of the unit if it stands there.
type Words map[string]bool

// GoString counts them: with %#v a unit does not repeat all its names.
func (w Words) GoString() string { return fmt.Sprintf("%d words", len(w)) }

// GoString names the unit by its kind and place: with %#v a list of units is not their
// texts.
func (u *Program) GoString() string { return fmt.Sprintf("%v %s at %#v", u.Kind, u.Name, u.Pos) }

// Stmt is a statement or directive.
type Stmt interface {
	Position() source.Pos
	StmtLabel() int // numeric statement label, 0 when absent
}

// Base is embedded in every statement.
type Base struct {
	Pos   source.Pos
	Label int
}

func (b *Base) Position() source.Pos { return b.Pos }
func (b *Base) StmtLabel() int       { return b.Label }

// ---- declarations

// TypeSpec is a type as written: Name is one of "integer", "real",
// "double precision", "complex", "double complex", "logical", "character"; Kind is nil or the kind
// expression (REAL*8 is Kind 8); Len is the character length, where an Ident
// called "*" stands for the * of CHARACTER(LEN=*).
// A Name of "type" or "class" is TYPE(t) or CLASS(t), and Of is t.
type TypeSpec struct {
	Name string
	Of   Name // of a derived type
	Kind Expr
	Star bool // written REAL*8 or CHARACTER*10
	Len  Expr
}

// DimSpec is one dimension of an array declaration; Lo is nil when absent. Hi is
// nil for the ":" or "lo:" of an assumed-shape dummy argument, and for that of an
// allocatable array.
type DimSpec struct {
	Pos    source.Pos
	Lo, Hi Expr
}

// Entity is one declared name.
type Entity struct {
	Pos  source.Pos
	Name string
	Dims []DimSpec
	// Codims are the codimensions of a coarray, a[*]: in the last one Hi is an
	// Ident called "*", or nil in the ":" of an allocatable one.
	Codims []DimSpec
	Apart  bool        // not in the source: an allocatable component of a coarray, see package derived
	Len    Expr        // character length after *, or nil
	Init   Expr        // or nil
	Data   []DataValue // of "i / 5 /", or nil
	Null   bool        // "p => null()"
}
