package ast

import (
	"strconv"

	"github.com/spmdc/spmdc/parser/source"
)

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
	// Hollerith constant 3Habc, and 'b', 'o' or 'z' for the digits of a constant like z'ff'.
	StringLit struct {
		XBase
		Value string
		Quote byte
		Kind  string // of c_char_'abc', as of IntLit
	}
	// LogicalLit is .true. or .false.
	LogicalLit struct {
		XBase
		Value bool
		Kind  string // as of IntLit
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
	// or *Substring; Images has one expression for each codimension, then TEAM=,
	// TEAM_NUMBER= and STAT=, as *Keyword.
	CoIndex struct {
		XBase
		Base   Expr
		Images []Expr
	}
	// Component is base%name, or with List base%name(args).
	Component struct {
		XBase
		Base    Expr // *Ident, *Index, *CoIndex or *Component
		Name    string
		NamePos source.Pos
		List    bool
		Args    []Expr
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
	// Elements is an argument of an elemental procedure that is an array for each element: the first
	// dimensions of X, whose extents are Own. Value says that X gets the shape of the reference, to hold
	// its value. It is not in the source.
	Elements struct {
		XBase
		X     Expr
		Own   []Expr
		Value bool
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

// Association is "a => x" of ASSOCIATE, or "a[2,*] => x" of CHANGE TEAM with codimensions. Lows
// are not in the source: the lower bounds of an array where they are not those of X. Nor are At and
// Extents: a is then an array of these extents, in the elements of X from X(At) on.
type Association struct {
	Name
	Codims  []Expr
	X       Expr
	Lows    []Expr
	At      Expr
	Extents []Expr
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

// Bits is the value of a constant of bits; ok is false of other strings, and where the digits
// are no number of 64 bits.
func (s *StringLit) Bits() (value uint64, ok bool) {
	base := map[byte]int{'b': 2, 'o': 8, 'z': 16}[s.Quote]
	if base == 0 {
		return 0, false
	}
	value, err := strconv.ParseUint(s.Value, base, 64)
	return value, err == nil
}

// SectionOfAll is the section of all elements of the array called name, name(:, :).
func SectionOfAll(name string, rank int, at XBase) Expr {
	if rank == 1 { // as the parser has it, which does not know arrays from texts
		return &Substring{XBase: at, Base: &Ident{XBase: at, Name: name}}
	}
	out := &Index{XBase: at, Name: name, NamePos: at.Pos}
	for range rank {
		out.Args = append(out.Args, &Triplet{XBase: at})
	}
	return out
}
