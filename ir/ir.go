// Package ir is the typed program that every analysis works on: names are
// resolved, types are explicit, constants are folded, and control flow is
// structured (sequences, loops, conditionals, EXIT and CYCLE).
//
// The source
//
//	do i = 2, n
//	   a(i) = b(i-1)
//	end do
//
// is Do{Index: i, Lo: Const 2, Hi: Var n, Body: [Assign{LHS: Ref a[Var i], RHS: Ref b[Bin i-1]}]}.
//
// Every expression node is a distinct pointer, also when the source repeats
// itself, so that analyses may key facts about an occurrence by its node.
package ir

import (
	"fmt"

	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Program is a whole program: the main program with the procedures that it
// calls in place of the calls.
type Program struct {
	Name    string
	File    string // source file name as given
	Pos     source.Pos
	Symbols []*Symbol // variables and arrays in order of declaration; PARAMETERs are folded but listed
	Grids   []*Grid   // PROCESSORS arrangements, then those implied by DISTRIBUTE without ONTO
	HPF     []*Directive
	Sites   []*Site   // the calls, each once for every path that leads to it
	Ends    []*Symbol // scalars that open ends of dimensions stand for (see open.go)
	Fails   bool      // an image may execute FAIL IMAGE
	Asserts bool      // what RESIDENT says is tested
	SPMD    bool      // every image executes its own control flow (see coarray.go)
	Body    []Stmt
}

// ModeKeys are the entries of OPEN, READ and WRITE that say how values are treated.
var ModeKeys = []string{"decimal", "sign", "round", "blank", "delim", "pad"}

// Site is a call on one call path. The statements of the procedure stand in
// place of the call, once for every path; each has its innermost Site.
type Site struct {
	ID     int // position in Program.Sites
	Caller string
	Callee string
	Pos    source.Pos // of the call
	Parent *Site      // the call that executes the caller, nil in the main program
	// Region: it is no call, but a directive REGION in the caller, whose name is Callee, and
	// which ends in line Last.
	Region bool
	Last   int
}

// String is the path from the main program: "relax (called in line 12), smooth (called in line 30)".
func (s *Site) String() string {
	how := "called"
	if s.Region {
		how = "region"
	}
	text := fmt.Sprintf("%s (%s in line %d)", s.Callee, how, s.Pos.Line)
	if s.Parent != nil {
		return s.Parent.String() + ", " + text
	}
	return text
}

// GoString is the path too, for %#v.
func (s *Site) GoString() string {
	if s == nil {
		return "nil"
	}
	return s.String()
}

// GoString is the name, for %#v: symbols refer to what they are used in.
func (s *Symbol) GoString() string {
	if s == nil {
		return "nil"
	}
	return s.Name
}

// Distributed reports whether the elements of s lie on different PEs.
func (s *Symbol) Distributed() bool {
	if s.Mapping == nil {
		return false
	}
	for _, ax := range s.Mapping.Map.Axes {
		if ax.Grid >= 0 {
			return true
		}
	}
	return len(s.Mapping.Map.Fixed) > 0
}

// Symbol is a variable, array or named constant. Name is unique in the program:
// that of a procedure's variable begins with the name of the procedure.
type Symbol struct {
	Name    string
	Local   string // the name in the source, where that is another one
	Pos     source.Pos
	Type    Type
	Len     int     // CHARACTER length, AnyLength where it is that of the value
	Dims    []Bound // nil for scalars
	Param   bool    // named constant; Init is its value
	Init    Expr    // constant initial value (also of an array: every element), or nil
	Values  []Value // initial values of elements of an array in array element order, or nil
	Temp    bool    // made by the compiler, not in the source
	Whole   *Symbol // lower only: the text of which this CHARACTER variable is a part, or nil
	Stored  Type    // Byte, Short or a kind of LOGICAL, where files have values of that kind; else Invalid
	Coarray bool    // every image has one, which the others can name
	Apart   bool    // a coarray of which each image allocates its own, as it is an allocatable component
	Cell    bool    // a coarray that is a scalar in the source: Dims is 1:1
	Site    *Site   // the call that the variable belongs to, nil in the main program, in modules, and with SAVE
	// Also are other calls that have it: of arrays of a procedure that are never in use at once (package sharing).
	Also []*Site

	// Mapping is nil for a replicated object. ir/mapping fills it in.
	Mapping *Mapping
	// Shadow is how wide, below and above, the overlap in each dimension is at least, as SHADOW says; nil: it says nothing.
	Shadow [][2]int
}

// AnyLength is the Len of a CHARACTER variable that is as long as what was assigned to it.
const AnyLength = -1

// Source is the name of s in the source.
func (s *Symbol) Source() string {
	if s.Local != "" {
		return s.Local
	}
	return s.Name
}

// IsArray reports whether s is an array.
func (s *Symbol) IsArray() bool { return len(s.Dims) > 0 }

// Value is the initial value of N elements of an array, from place At on in array element
// order, where 0 is the first.
type Value struct {
	At, N int
	Const *Const
}

// Bound is the declared range of an array dimension.
type Bound struct{ Lo, Hi int }

// Extent is the number of elements, at least 0.
func (b Bound) Extent() int { return max(0, b.Hi-b.Lo+1) }

// Mapping says how an array lies on a processor grid.
type Mapping struct {
	Grid *Grid
	Map  dist.Map
	Pos  source.Pos // of the directive that decided
	Ends []*Symbol  // of the program, that open ends in Map stand for
}

// Grid is a processor arrangement. Every grid covers all PEs: at run time its
// shape is refitted when the declared one does not multiply to their number.
type Grid struct {
	ID    int
	Name  string // "" when implied by a DISTRIBUTE without ONTO
	Pos   source.Pos
	Rank  int
	Shape []Expr // may call NUMBER_OF_PROCESSORS; nil when implied
}

// Directive is an HPF mapping directive with resolved names and constant
// expressions, the input of ir/mapping.
type Directive struct {
	Pos  source.Pos
	Kind DirectiveKind

	Name    string // processors or template: its name; align, distribute: the object
	NamePos source.Pos
	Symbol  *Symbol // the array aligned or distributed, nil for a template
	Shape   []Bound // template
	Extents []Expr  // processors

	// Align: one entry per dimension of Symbol (Source) and of the target.
	Source    []AlignSource // nil: identity
	Target    string
	TargetPos source.Pos
	Subs      []AlignSub // nil: identity

	// Distribute
	Formats []DistFormat // nil: the compiler chooses
	Onto    string
	OntoPos source.Pos
}

// DirectiveKind is the kind of an HPF mapping directive.
type DirectiveKind uint8

const (
	ProcessorsDirective DirectiveKind = iota
	TemplateDirective
	AlignDirective
	DistributeDirective
)

// AlignSource is one source subscript of ALIGN: a dummy, or "*" (collapsed).
type AlignSource struct {
	Pos   source.Pos
	Dummy string // "" for "*"
}

// AlignSub is one target subscript of ALIGN: Coef*Dummy + Off, a constant
// (Dummy ""), or "*" (replicated).
type AlignSub struct {
	Pos        source.Pos
	Replicated bool
	Dummy      string
	Coef, Off  int
	Section    *AlignSection // of a ":", the positions that it stands for, nil for all
}

// AlignSection are the positions Lo, Lo+Step, ..., N of them; Step may be negative.
type AlignSection struct{ Lo, Step, N int }

// DistFormat is one entry of a DISTRIBUTE list.
type DistFormat struct {
	Pos    source.Pos
	Format dist.Format
}

// ---- statements

// Stmt is an executable statement. Statement pointers are identities.
type Stmt interface {
	Position() source.Pos
	// CallSite is the innermost call whose procedure the statement is part
	// of, nil in the main program.
	CallSite() *Site
	// SetCallSite sets that.
	SetCallSite(*Site)
	// OnHome is what ON and RESIDENT say of the statement, nil where they say nothing.
	OnHome() *On
	// SetOnHome sets that.
	SetOnHome(*On)
	stmt()
}

// S is embedded in every statement.
type S struct {
	Pos  source.Pos
	Site *Site
	On   *On
}

func (s *S) Position() source.Pos   { return s.Pos }
func (s *S) CallSite() *Site        { return s.Site }
func (s *S) SetCallSite(site *Site) { s.Site = site }
func (s *S) OnHome() *On            { return s.On }
func (s *S) SetOnHome(on *On)       { s.On = on }
func (s *S) stmt()                  {}

type (
	// Assign stores RHS, already converted to the type of LHS. LHS is a *Var,
	// *Ref or *CoRef.
	Assign struct {
		S
		LHS, RHS Expr
		// Step marks x = x + step of a DO loop over the REAL variable x: no term of a sum,
		// as the values of x must not depend on who executes which iterations.
		Step bool
	}
	// Do is a counted loop; Step is a non-nil expression, and bounds and step have the
	// type of Index. Its trip count is max(0, (Hi-Lo+Step)/Step) without overflow,
	// evaluated once at entry. Package lower makes no loop that changes what its own
	// Lo, Hi and Step read.
	Do struct {
		S
		Name         string
		Index        *Symbol
		Lo, Hi, Step Expr
		Body         []Stmt
		Independent  *Independent
		// Gathered says why all PEs execute the loop on copies of arrays, of which each has
		// one; "" where they do not. Only transform.Gather sets it.
		Gathered string
		End      source.Pos
	}
	// While repeats Body while Cond holds; a plain DO has Cond .true.
	While struct {
		S
		Name string
		Cond Expr
		Body []Stmt
		End  source.Pos
	}
	// If has one condition; ELSE IF nests in Else.
	If struct {
		S
		Cond       Expr
		Then, Else []Stmt
	}
	// Exit and Cycle name their loop, a *Do or *While.
	Exit struct {
		S
		Loop Stmt
	}
	Cycle struct {
		S
		Loop Stmt
	}
	// Print writes records to Unit, nil for the standard output. Format is CHARACTER,
	// nil for list-directed output, or for none: Unformatted; "&NAME" is that of a NAMELIST
	// group, whose items are constant names, each with what it is of. With Stay the last record is
	// not ended: the next Print goes on with it. Given are the values of further entries,
	// such as REC=, of which Keys are the names, with a blank between. With Catch an error
	// does not end the program: the Read "outcome" that follows takes it.
	Print struct {
		S
		Unit        Expr
		Format      Expr
		Unformatted bool
		Stay        bool
		Catch       bool
		Keys        string
		Given       []Expr
		Items       []Expr // may contain *ImpliedDo
	}
	// Read reads records. Items are *Var of scalars only: lower reads array
	// elements through temporaries. From is a string, or the number of the unit, nil for
	// standard input. Format is CHARACTER, nil for list-directed input. Iostat, when not
	// nil, receives 0, -1 at end of file, or a positive number on a bad item. With Stay
	// the statement has more items: the next Read, of the same kind, goes on with them.
	// Unformatted, Keys and Given are as those of Print.
	//
	// With What it is the call of an intrinsic subroutine that asks the system, or a
	// statement on files: What is
	// its name, and the names of its arguments, of which Given are those that it takes
	// and Items those that it sets. The names of what a statement on files takes end in
	// "=". "outcome" is how the statement before has ended; "failed" ends the program
	// with the error of that.
	//
	// An item keeps its value when the input has a null value for it, or ends
	// before it. Got is nil or as long as Items: Got[i], when not nil, is a LOGICAL
	// that tells whether Items[i] was given a value.
	Read struct {
		S
		From        Expr
		Format      Expr
		Iostat      *Symbol
		Stay        bool
		What        string
		Keys        string
		Given       []Expr
		Unformatted bool
		Items       []*Var
		Got         []*Symbol
		// With Times, instead of Items: the first element of each of Vectors, then the second of
		// each, and so on up to element Times; GotVectors, of LOGICAL, are as Got.
		Times      Expr
		Vectors    []*Symbol
		GotVectors []*Symbol
	}
	// Stop ends the program with exit status Code; with Quiet it says nothing.
	Stop struct {
		S
		Code  Expr // nil: 0
		Error bool
		Quiet bool
	}
	// Remap changes the mapping of what Directive, of kind Align or Distribute, is about. Only
	// package lower has such statements: it makes another array of each that lies elsewhere.
	Remap struct {
		S
		Directive *Directive
	}
	// Checkpoint is CALL spmd_checkpoint(): all PEs come to it together, and what
	// the program has computed so far may be written to a file, from where a later
	// run goes on. It reads and changes no variable: what is saved is the state of
	// the emitted program, whatever that consists of.
	Checkpoint struct{ S }
)

// On is what the directives ON HOME and RESIDENT say of a statement. Package lower sets it, and
// ir/mapping takes it away when it has placed the statement.
type On struct {
	Pos      source.Pos
	Home     *Place   // whose owners execute the statement; nil: all PEs
	Resident bool     // what the statement accesses lies with them,
	Objects  []*Place // as far as it is of these; nil: everything
	Outer    *On      // of the block around
}

// Resident is the test that an element lies at the home of the statement that accesses it. The arguments of the
// call are its value, the subscripts of the element, and the first and the last subscripts of the home.
type Resident struct {
	Array    *Symbol  // of the element
	Assigned bool     // it is assigned: each copy lies there
	Line     int      // of RESIDENT
	Of, Home *Mapping // of the element, and of the home
}

// Place is an element of an array, or a section: of that the first element is Ref, and Last has the last
// subscripts. Last[d] is nil where Ref has one subscript in dimension d.
type Place struct {
	Ref  *Ref
	Last []Expr
}

// Clone copies p, nil too.
func (p *Place) Clone() *Place {
	if p == nil {
		return nil
	}
	c := &Place{Ref: Clone(p.Ref).(*Ref), Last: make([]Expr, len(p.Last))}
	for d, e := range p.Last {
		if e != nil {
			c.Last[d] = Clone(e)
		}
	}
	return c
}

// Independent is the directive on a DO loop.
type Independent struct {
	Pos            source.Pos
	New, Reduction []*Symbol
}

// ---- expressions

// Expr is a typed expression.
type Expr interface {
	Type() Type
	Position() source.Pos
	// IsVarying reports whether the value depends on distributed arrays.
	IsVarying() bool
	// MarkVarying sets that mark.
	MarkVarying(bool)
	// IsRaw reports the mark Raw.
	IsRaw() bool
	expr()
}

// X is embedded in every expression. Varying marks an expression that reads a
// distributed array: PEs do not know its value without communication, so it
// cannot decide what all PEs do together. All others are single-valued: replicated
// scalars and arrays have the same bits on every PE. ir/mapping sets the mark.
//
// Raw marks a read that copies an argument or an element: what is copied may have no value
// yet, which is no error of the program.
type X struct {
	Pos     source.Pos
	Typ     Type
	Varying bool
	Raw     bool
}

func (x *X) Type() Type           { return x.Typ }
func (x *X) Position() source.Pos { return x.Pos }
func (x *X) IsVarying() bool      { return x.Varying }
func (x *X) MarkVarying(v bool)   { x.Varying = v }
func (x *X) IsRaw() bool          { return x.Raw }
func (x *X) expr()                {}

// Op is an operator.
type Op uint8

const (
	Add Op = iota
	Sub
	Mul
	Div
	Pow
	Concat
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	And
	Or
	Eqv
	Neqv
	Neg
	Not
	Group // parentheses, kept because they fix the order of evaluation
)

var opText = [...]string{"+", "-", "*", "/", "**", "//", "==", "/=", "<", "<=", ">", ">=", ".and.", ".or.", ".eqv.", ".neqv.", "-", ".not.", "()"}

func (o Op) String() string { return opText[o] }

type (
	// Const is a literal or folded constant: the field for its Type is set. A COMPLEX one
	// has its real part in Float and its imaginary part in Imag.
	Const struct {
		X
		Int   int
		Float float64
		Imag  float64
		Bool  bool
		Str   string
	}
	// Var is a scalar variable.
	Var struct {
		X
		Sym *Symbol
	}
	// Ref is an array element.
	Ref struct {
		X
		Sym  *Symbol
		Subs []Expr // of either INTEGER type
	}
	// Substr is Base(Lo:Hi) of a CHARACTER *Var, *Ref or *Const; bounds are never nil. What
	// is assigned to a part of a text is the call "setsub" of the text that was, the bounds
	// and the new part.
	Substr struct {
		X
		Base   Expr
		Lo, Hi Expr
	}
	// Bin has operands of equal type (Pow with an INTEGER exponent aside).
	Bin struct {
		X
		Op   Op
		L, R Expr
	}
	// Un is negation, .not. or parentheses.
	Un struct {
		X
		Op Op
		E  Expr
	}
	// Conv converts a numeric expression to Typ (truncating towards zero; from Long
	// to Integer the low 32 bits). Where one of the types is COMPLEX the other is too: the
	// calls "real", "aimag" and "cmplx" take it apart and make it.
	Conv struct {
		X
		E Expr
	}
	// Call is an intrinsic by its generic name ("sqrt", "max", ...), arguments
	// converted to a common type where the intrinsic wants that.
	Call struct {
		X
		Name     string
		Args     []Expr
		Resident *Resident // what a call of "resident" tests
	}
	// ImpliedDo occurs in Print, and among the arguments of the call "write", which is
	// the record that an internal WRITE makes: its format, or "" for list-directed
	// output, how long the record may be, and the items. In "trywrite", which keeps its errors
	// as Print with Catch does, the old value of the string stands in front of them; so it does in
	// "writerecords" and "trywriterecords", where the string is records of that length. The index is a symbol.
	ImpliedDo struct {
		X
		Items        []Expr
		Index        *Symbol
		Lo, Hi, Step Expr
	}
)
