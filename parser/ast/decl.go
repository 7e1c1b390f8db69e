package ast

import (
	"slices"

	"github.com/spmdc/spmdc/parser/source"
)

type (
	// TypeDecl is "real(8), parameter, dimension(n) :: a, b(3)".
	TypeDecl struct {
		Base
		Type        TypeSpec
		Points      *ProcedurePointer // of pointers to procedures, which have no type
		Parameter   bool
		Dimension   []DimSpec
		Codimension []DimSpec // as in Entity
		Save        bool
		External    bool
		Intrinsic   bool
		Allocatable bool
		Pointer     bool // Allocatable is set, too
		Optional    bool
		Value       bool
		Protected   bool
		Unused      []string // attributes without an effect: "target" and its like
		Intent      string   // "in", "out", "inout", or "" when absent
		Access      string   // "public", "private", or "" when absent
		Entities    []Entity
		HasColons   bool
	}
	// ProcedurePointer is what "procedure(face), pointer, nopass" says; Pass is the argument that gets
	// the object that a component is of, "" for the first one.
	ProcedurePointer struct {
		Face   Name
		NoPass bool
		Pass   string
	}
	// TypeDef is "type, extends(base) :: name", with the declarations of the components and
	// the procedures behind CONTAINS. Sequence and the access of components have no effect.
	TypeDef struct {
		Base
		Name       Name
		Extends    Name   // its Name is "" when absent
		Access     string // as in TypeDecl
		Abstract   bool
		Components []*TypeDecl
		Bound      []Binding
		Final      []Name // its FINAL procedures
		EndPos     source.Pos
	}
	// ParameterStmt is "parameter (n = 3, m = n+1)".
	ParameterStmt struct {
		Base
		Names []Entity // Init set
	}
	// DimensionStmt is "dimension a(10), b(2,2)".
	DimensionStmt struct {
		Base
		Entities []Entity
	}
	// AllocatableStmt is "allocatable :: a(:), b", or "pointer :: a(:), b". Codimensions in it, and those of
	// CODIMENSION, are in the declarations of types when a program has been parsed.
	AllocatableStmt struct {
		Base
		Pointer     bool
		Codimension bool // "codimension :: a[*]"
		Entities    []Entity
	}
	// ImplicitNone is "implicit none" or "implicit none (type, external)".
	ImplicitNone struct {
		Base
		External bool
	}
	// Implicit is "implicit real(8) (a-h, o-z), integer (i)".
	Implicit struct {
		Base
		Rules []ImplicitRule
	}
	// ImplicitRule is the type of names that begin with one of the letters.
	ImplicitRule struct {
		Type    TypeSpec
		Letters []LetterRange
	}
	// LetterRange is "a-h"; both letters are the same in "a".
	LetterRange struct {
		Pos      source.Pos
		From, To byte
	}
	// Data is "data a, (b(i), i = 1, n) / 1, 5*0 /, c / 2 /".
	Data struct {
		Base
		Sets []DataSet
	}
	// DataSet is a list of variables, elements, substrings and *ImpliedDo, with their
	// values.
	DataSet struct {
		Objects []Expr
		Values  []DataValue
	}
	// DataValue is a constant; Repeat is nil where it stands for one value.
	DataValue struct {
		Repeat, X Expr
	}
	// Save is "save a, /block/"; without names it is about all.
	Save struct {
		Base
		Names  []Name
		Blocks []Name
	}
	// Common is "common /b/ x, y(10), // z"; the Name of the blank block is "".
	Common struct {
		Base
		Blocks []CommonBlock
	}
	// CommonBlock is a list of names in one block.
	CommonBlock struct {
		Name     Name
		Entities []Entity
	}
	// Namelist is "namelist /g/ a, b /h/ c".
	Namelist struct {
		Base
		Groups []NamelistGroup
	}
	// NamelistGroup is the variables of a group.
	NamelistGroup struct {
		Name  Name
		Names []Name
	}
	// Equivalence is "equivalence (a, b(2)), (c, d)".
	Equivalence struct {
		Base
		Groups [][]Expr
	}
	// Intent is "intent(in) :: a, b".
	Intent struct {
		Base
		Intent string // as in TypeDecl
		Names  []Name
	}
	// Attribute is "optional :: a, b" and its like: Word is "optional", "value",
	// "protected", or one without an effect, as "target".
	Attribute struct {
		Base
		Word  string
		Names []Name
	}
	// Interface is an interface block. Name is that of a generic procedure, or
	// "operator(.x.)", or "assignment(=)", or "". Procs are the procedures that it names,
	// Units those whose interface it shows: units without statements.
	Interface struct {
		Base
		Abstract bool
		Name     Name
		Procs    []Name
		Units    []*Program
		EndPos   source.Pos
	}
	// Import is "import", or "import :: names", in a unit of an interface block.
	Import struct {
		Base
		Names []Name
	}
	// External is "external f, g", "intrinsic f, g" or "procedure(h) :: f, g".
	External struct {
		Base
		Intrinsic bool
		Interface Name // h
		Names     []Name
	}
	// Use is "use m" or "use m, only: a, b".
	Use struct {
		Base
		Module Name
		Nature string // "intrinsic", "non_intrinsic", or "" when absent
		Only   bool
		Names  []UseName // of ONLY, else those that have another name here
	}
	// Access is "private" or "public :: names"; without names it is about all that no
	// other statement names.
	Access struct {
		Base
		Access string // "public" or "private"
		Names  []Name
	}
)

// Binding is "procedure, nopass :: name => target" of a derived type, or with Generic
// "generic :: name => targets"; of a name alone Targets holds the same name.
type Binding struct {
	Name
	Generic  bool
	NoPass   bool
	Pass     Name // of PASS(name)
	Deferred bool
	Face     Name // of PROCEDURE(name), DEFERRED
	Targets  []Name
}

// UseName is a name in USE: "dp => real64", where Of is the name that the module
// has; the Name of Of is "" where both are the same.
type UseName struct {
	Name
	Of Name
}

// JoinUses is list with the USE statements of one module made one, as the language reads them
// (Fortran 2018, 14.2.2, paragraph 6): where one of them has no ONLY, what the lists of the others
// name is renamed too, and has its own name only if a list gives it that.
func JoinUses(list []Stmt) []Stmt {
	type module struct{ name, nature string }
	first := map[module]*Use{}
	out := make([]Stmt, 0, len(list))
	for _, s := range list {
		u, is := s.(*Use)
		if !is {
			out = append(out, s)
			continue
		}
		m := module{u.Module.Name, u.Nature}
		if f := first[m]; f != nil {
			f.Only = f.Only && u.Only
			f.Names = append(f.Names, u.Names...)
			continue
		}
		joined := *u
		joined.Names = slices.Clone(u.Names)
		first[m] = &joined
		out = append(out, &joined)
	}
	return out
}

// Original is the name that the module has.
func (n *UseName) Original() Name {
	if n.Of.Name != "" {
		return n.Of
	}
	return n.Name
}

// ---- HPF directives

type (
	// Processors is "!HPF$ PROCESSORS p(2,2)".
	Processors struct {
		Base
		Entities []Entity
	}
	// Template is "!HPF$ TEMPLATE t(n,n)".
	Template struct {
		Base
		Entities []Entity
	}
	// Align is "!HPF$ ALIGN a(i,*) WITH t(2*i+1,*)" in any of its forms. Dummies
	// is nil for the form without subscript list ("ALIGN WITH t :: a" , which
	// means identity). Without "::" there is one alignee: the parser makes
	// several statements of "ALIGN a(i), b(i) WITH t(i)".
	Align struct {
		Base
		Alignees   []Entity // names only
		HasList    bool     // a source list "(i,j)" was written
		Source     []AlignSub
		Target     string
		TargetPos  source.Pos
		TargetSubs []AlignTarget // empty: identity
		Colons     bool          // the "::" form
	}
	// AlignSub is one entry of the source list: a dummy name, "*" or ":".
	AlignSub struct {
		Pos   source.Pos
		Name  string // "", "*" and ":" aside
		Star  bool
		Colon bool
	}
	// AlignTarget is one entry of the target list: an expression in at most
	// one dummy, "*" (replicated) or ":".
	AlignTarget struct {
		Pos   source.Pos
		Star  bool
		Colon bool
		Expr  Expr
		// Lo, Hi and Stride are those of a section, each nil when absent; then Colon is set.
		Lo, Hi, Stride Expr
	}
	// Distribute is "!HPF$ DISTRIBUTE a(BLOCK,*) ONTO p" or
	// "!HPF$ DISTRIBUTE (BLOCK) ONTO p :: a, b".
	Distribute struct {
		Base
		Distributees []Entity
		Formats      []DistFormat
		Onto         string // "" when absent
		OntoPos      source.Pos
		Colons       bool
	}
	// DistFormat is BLOCK, CYCLIC (with optional argument) or "*"; Name is in
	// lower case, "*" for the last.
	DistFormat struct {
		Pos  source.Pos
		Name string
		Arg  Expr
	}
	// Inherit is "!HPF$ INHERIT a, b": the dummy arguments lie as the actual
	// ones do.
	Inherit struct {
		Base
		Names []Name
	}
	// Dynamic is "!HPF$ DYNAMIC a, b": a Remap may be about them.
	Dynamic struct {
		Base
		Names []Name
	}
	// Remap is "!HPF$ REDISTRIBUTE a(BLOCK)" or "!HPF$ REALIGN a(i) WITH b(i)", which is executed:
	// Directive is a *Distribute or an *Align.
	Remap struct {
		Base
		Directive Stmt
	}
	// Independent is "!HPF$ INDEPENDENT, NEW(x), REDUCTION(s)"; it concerns the
	// DO statement with a variable, or FORALL, that follows: in a tree from the parser, the
	// next statement of the same list. With Loops, "INDEPENDENT (j, i)", it concerns
	// the loops over these variables in that nest.
	Independent struct {
		Base
		Loops          []Name
		New, Reduction []Name
		On             On // of each iteration
	}
	// Shadow is "!HPF$ SHADOW a(1:2, 0)" or "!HPF$ SHADOW (1) :: a, b": the overlaps of arrays are at least so wide.
	Shadow struct {
		Base
		Widths []ShadowWidth
		Names  []Name
	}
	// ShadowWidth is "w", "low:high" or "*" for one dimension.
	ShadowWidth struct {
		Pos       source.Pos
		Low, High Expr // High nil: Low on both sides; both nil: "*", as wide as the array
	}
	// Name is a name with its place.
	Name struct {
		Pos  source.Pos
		Name string
	}
)
