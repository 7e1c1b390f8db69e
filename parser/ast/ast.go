// Package ast declares the syntax tree of a Fortran source file as written:
// names are not yet resolved, types not yet known. Names are in lower case;
// directives stand among the statements, in source order, so that unparsing a
// tree and parsing the text again gives the same tree.
package ast

import (
	"fmt"

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
	EndPos   source.Pos
}

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
type TypeSpec struct {
	Name string
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
	Len    Expr        // character length after *, or nil
	Init   Expr        // or nil
	Data   []DataValue // of "i / 5 /", or nil
}

type (
	// TypeDecl is "real(8), parameter, dimension(n) :: a, b(3)".
	TypeDecl struct {
		Base
		Type        TypeSpec
		Parameter   bool
		Dimension   []DimSpec
		Codimension []DimSpec // as in Entity
		Save        bool
		External    bool
		Intrinsic   bool
		Allocatable bool
		Optional    bool
		Value       bool
		Protected   bool
		Unused      []string // attributes without an effect: "target" and its like
		Intent      string   // "in", "out", "inout", or "" when absent
		Access      string   // "public", "private", or "" when absent
		Entities    []Entity
		HasColons   bool
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
	// AllocatableStmt is "allocatable :: a(:), b".
	AllocatableStmt struct {
		Base
		Entities []Entity
	}
	// ImplicitNone is "implicit none".
	ImplicitNone struct{ Base }
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
	// External is "external f, g" or "intrinsic f, g".
	External struct {
		Base
		Intrinsic bool
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

// UseName is a name in USE: "dp => real64", where Of is the name that the module
// has; the Name of Of is "" where both are the same.
type UseName struct {
	Name
	Of Name
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
	// Independent is "!HPF$ INDEPENDENT, NEW(x), REDUCTION(s)"; it concerns the
	// DO statement with a variable that follows: in a tree from the parser, the
	// next statement of the same list. With Loops, "INDEPENDENT (j, i)", it concerns
	// the loops over these variables in that nest.
	Independent struct {
		Base
		Loops          []Name
		New, Reduction []Name
	}
	// Name is a name with its place.
	Name struct {
		Pos  source.Pos
		Name string
	}
)

// ---- executable statements

type (
	// Assign is "lhs = rhs".
	Assign struct {
		Base
		LHS, RHS Expr // LHS is *Ident, *Index, *Substring or *CoIndex
	}
	// Do is "name: do i = lo, hi, step". Var is "" for a plain "do".
	Do struct {
		Base
		Name         string
		Var          Name
		Lo, Hi, Step Expr // Step may be nil
		Body         []Stmt
		EndPos       source.Pos
		// TermLabel is 10 in "do 10 i = ..." that ends at a statement with
		// that label, the last of Body, or of the Body of an inner loop that
		// ends there too. It is 0 for a loop that ends with END DO; a
		// labelled END DO is a Continue with its label, at the end of Body.
		TermLabel int
	}
	// DoWhile is "do while (cond)".
	DoWhile struct {
		Base
		Name      string
		Cond      Expr
		Body      []Stmt
		EndPos    source.Pos
		TermLabel int // as in Do
	}
	// Forall is FORALL, or DO CONCURRENT: the statements of the body for all values of
	// the indices, each behind the one before, or all of them in any order.
	Forall struct {
		Base
		Name       string
		Indices    []ForallIndex
		Mask       Expr // or nil
		Local      []Name
		LocalInit  []Name
		Reduce     []ForallReduce
		Body       []Stmt
		EndPos     source.Pos
		OneLine    bool
		Concurrent bool
		TermLabel  int // as in Do
	}
	// If is an IF construct, or an IF statement when OneLine. So is WHERE, with masks
	// for conditions and ELSEWHERE for ELSE IF and ELSE.
	If struct {
		Base
		Where   bool
		Name    string // construct name or ""
		Arms    []IfArm
		Else    []Stmt
		HasElse bool
		ElsePos source.Pos
		OneLine bool
		EndPos  source.Pos
	}
	IfArm struct {
		Pos  source.Pos
		Cond Expr
		Body []Stmt
	}
	// Exit and Cycle carry the construct name or "".
	Exit struct {
		Base
		Name string
	}
	Cycle struct {
		Base
		Name string
	}
	// Print is "print fmt, items" and "write(unit, fmt) items".
	Print struct {
		Base
		Write bool
		Control
		Items []Expr // may contain *ImpliedDo
	}
	// Read is "read *, items", "read '(a)', line" and "read(unit, fmt, iostat=, end=)".
	Read struct {
		Base
		Paren bool
		Control
		Items []Expr
	}
	// FileStmt is a statement on files: Word is "open", "close", "inquire", "rewind",
	// "backspace", "endfile" or "flush". Items are those of INQUIRE with IOLENGTH=.
	FileStmt struct {
		Base
		Word string
		Control
		Items []Expr
	}
	// Control is what statements of input and output have in parentheses.
	Control struct {
		Unit        Expr // nil: *, and in a FileStmt none
		Format      Expr // nil: * for list-directed; an *IntLit is the label of a FORMAT
		Unformatted bool // READ or WRITE without a format
		Specs       []Spec
		End         int // label, or 0
		Err         int // label, or 0
		Eor         int // label, or 0
		// Status is not in the source: the variable that is given the status of the
		// statement, where the jumps have been written as tests of it.
		Status string
	}
	// Spec is an entry of a Control, such as iostat=ios.
	Spec struct {
		Key string
		X   Expr
	}
	// Stop is "stop" or "stop 3" or "error stop".
	Stop struct {
		Base
		Error bool
		Code  Expr
	}
	// Sync is "sync all", "sync memory" or "sync images(set)": What is "all",
	// "memory" or "images". The set is one expression, or with List a list in
	// brackets, or with neither "*".
	Sync struct {
		Base
		What   string
		Images []Expr
		List   bool
	}
	// Allocate is "allocate (a(n), b(0:m), stat=ios)", with Free "deallocate (a, b)". The
	// arguments are arrays with their bounds, then keywords.
	Allocate struct {
		Base
		Free bool
		Args []Expr
	}
	// Critical is "name: critical ... end critical".
	Critical struct {
		Base
		Name   string
		Body   []Stmt
		EndPos source.Pos
	}
	// Block is "name: block", with declarations of its own.
	Block struct {
		Base
		Name   string
		Spec   []Stmt
		Body   []Stmt
		EndPos source.Pos
	}
	// Associate is "name: associate (a => x, b => y)".
	Associate struct {
		Base
		Name   string
		Names  []Association
		Body   []Stmt
		EndPos source.Pos
	}
	// Call is "call s(args)". An argument may be a *Keyword or an *AltReturn. Status is the
	// variable that is set to the number of the alternate return, "" in a tree that is parsed.
	Call struct {
		Base
		Proc   Name
		Args   []Expr
		Status string
	}
	// Entry is "entry name(args)", where a unit can be entered too.
	Entry struct {
		Base
		Name   Name
		Args   []Name
		Result Name // as that of Program
	}
	// Return is "return", or "return 2"; X is nil without a number.
	Return struct {
		Base
		X Expr
	}
	// Format is "10 format(text)"; Text has the parentheses.
	Format struct {
		Base
		Text string
	}
	// Continue is "continue".
	Continue struct{ Base }
	// Goto is "go to 10".
	Goto struct {
		Base
		To Target
	}
	// ComputedGoto is "go to (10, 20), x".
	ComputedGoto struct {
		Base
		To []Target
		X  Expr
	}
	// AssignedGoto is "go to k" or "go to k, (10, 20)".
	AssignedGoto struct {
		Base
		Var Name
		To  []Target // nil when there is no list
	}
	// ArithmeticIf is "if (x) 10, 20, 30": where to go if x is negative, zero, positive.
	ArithmeticIf struct {
		Base
		X  Expr
		To [3]Target
	}
	// LabelAssign is "assign 10 to k".
	LabelAssign struct {
		Base
		To  Target
		Var Name
	}
	// Pause is "pause" or "pause 3".
	Pause struct {
		Base
		Code Expr
	}
	// Select is "name: select case (x)".
	Select struct {
		Base
		Name   string
		X      Expr
		Cases  []Case
		EndPos source.Pos
	}
)

// Target is a label that a statement refers to.
type Target struct {
	Pos   source.Pos
	Label int
}

// Case is "case (1, 3:5)", or "case default" where it has no values.
type Case struct {
	Pos    source.Pos
	Values []CaseValue
	Body   []Stmt
}

// CaseValue is one value, Lo, or with Range lo:hi, either of which may be nil.
type CaseValue struct {
	Lo, Hi Expr
	Range  bool
}

// ---- expressions

// Expr is an expression.
type Expr interface {
	Position() source.Pos
	EndPosition() source.Pos // just behind the last byte
}

// XBase is embedded in every expression.
type XBase struct {
	Pos, End source.Pos
}

func (b *XBase) Position() source.Pos    { return b.Pos }
func (b *XBase) EndPosition() source.Pos { return b.End }

type (
	// IntLit is 42 or 42_8; Kind is "" or the kind as written.
	IntLit struct {
		XBase
		Text, Kind string
	}
	// RealLit is 1.0, 1e3, 1d0, 1.0_8, 1.0_dp.
	RealLit struct {
		XBase
		Text, Kind string
	}
	// StringLit holds the value, quotes and doubling removed; Quote is 'h' for the
	// Hollerith constant 3Habc.
	StringLit struct {
		XBase
		Value string
		Quote byte
	}
	// LogicalLit is .true. or .false.
	LogicalLit struct {
		XBase
		Value bool
	}
	// Ident is a bare name.
	Ident struct {
		XBase
		Name string
	}
	// Index is name(args): array element or function reference.
	Index struct {
		XBase
		Name    string
		NamePos source.Pos
		Args    []Expr
	}
	// Triplet is the subscript lo:hi:step of an array section, each part of
	// which may be nil. It occurs in the Args of an Index only; name(lo:hi) with
	// nothing else is a Substring, also where name is an array.
	Triplet struct {
		XBase
		Lo, Hi, Step Expr
	}
	// Substring is base(lo:hi), base an *Ident or *Index; Lo, Hi may be nil.
	Substring struct {
		XBase
		Base   Expr
		Lo, Hi Expr
	}
	// CoIndex is base[image]: base of another image. Base is an *Ident, *Index
	// or *Substring; Images has one expression for each codimension.
	CoIndex struct {
		XBase
		Base   Expr
		Images []Expr
	}
	// Unary: Op is "-", "+", ".not.".
	Unary struct {
		XBase
		Op string
		X  Expr
	}
	// Binary: Op is + - * / ** // == /= < <= > >= .and. .or. .eqv. .neqv.
	// (.eq. and its like are normalised to the symbols).
	Binary struct {
		XBase
		Op    string
		OpPos source.Pos
		X, Y  Expr
	}
	// Paren keeps parentheses: they are significant for evaluation order.
	Paren struct {
		XBase
		X Expr
	}
	// Complex is the constant (1.0, -2.0).
	Complex struct {
		XBase
		Re, Im Expr
	}
	// Array is an array constructor, (/ 1, 2 /) or [real :: 1, 2]; Items may contain
	// *ImpliedDo.
	Array struct {
		XBase
		Type     *TypeSpec // or nil
		Items    []Expr
		Brackets bool
	}
	// ImpliedDo is (items, i = lo, hi, step) in PRINT.
	ImpliedDo struct {
		XBase
		Items        []Expr
		Var          Name
		Lo, Hi, Step Expr
	}
	// AltReturn is *10 among the arguments of a CALL.
	AltReturn struct {
		XBase
		To Target
	}
	// Keyword is kind=8 in an argument list.
	Keyword struct {
		XBase
		Name string
		X    Expr
	}
)

// Association is "a => x" of ASSOCIATE.
type Association struct {
	Name
	X Expr
}

// ForallIndex is "i = lo:hi:step" of FORALL and DO CONCURRENT.
type ForallIndex struct {
	Var          Name
	Lo, Hi, Step Expr // Step may be nil
}

// ForallReduce is "reduce(op:name)" of DO CONCURRENT.
type ForallReduce struct {
	Op string
	Name
}
