package source

import "strings"

// Code names a kind of diagnostic, as shown in brackets behind its message.
// Each is documented, with an example, in Codes.
type Code string

// The codes. The first group comes from the parser, the second from the
// phases behind it.
const (
	Syntax              Code = "syntax"
	UnterminatedString  Code = "unterminated-string"
	BadContinuation     Code = "bad-continuation"
	UnknownStatement    Code = "unknown-statement"
	BadDirective        Code = "bad-directive"
	UnknownDistribution Code = "unknown-distribution"
	UnbalancedBlock     Code = "unbalanced-block"
	OutsideSubset       Code = "outside-subset"
	BadLabel            Code = "bad-label"
	TooDeep             Code = "too-deep"
	BadInclude          Code = "bad-include"
	Preprocessor        Code = "preprocessor"

	UndeclaredName     Code = "undeclared-name"
	DuplicateName      Code = "duplicate-name"
	TypeMismatch       Code = "type-mismatch"
	NotConstant        Code = "not-constant"
	RankMismatch       Code = "rank-mismatch"
	BadAlign           Code = "bad-align"
	UndeclaredTemplate Code = "undeclared-template"
	DoubleDistribution Code = "double-distribution"
	BadProcessors      Code = "bad-processors"
	BadIntrinsic       Code = "bad-intrinsic"
	BadLoop            Code = "bad-loop"
	BadIO              Code = "bad-io"
	BadCall            Code = "bad-call"
	OutOfBounds        Code = "out-of-bounds"
	BadConstant        Code = "bad-constant"
	TooLarge           Code = "too-large"
	NotHonoured        Code = "not-honoured"
	Slow               Code = "slow"
)

// CodeInfo documents a code.
type CodeInfo struct {
	Code Code
	// Parser tells the codes that the parser gives from those of the later
	// phases, whose examples are free of syntax errors.
	Parser bool
	Doc    string // one line
	// Example is a whole program that gives this code and no other error.
	Example string
}

// Lookup returns the documentation of code.
func Lookup(code Code) (CodeInfo, bool) {
	for _, c := range Codes {
		if c.Code == code {
			return c, true
		}
	}
	return CodeInfo{}, false
}

// Codes documents every code.
var Codes = []CodeInfo{
	{Syntax, true, "a statement or directive that is not put together as it must be",
		`program p
  integer i
  i = 3 +
end program p
`},
	{UnterminatedString, true, "a string whose closing quote is missing on its line",
		`program p
  print *, 'no end
end program p
`},
	{BadContinuation, true, "a line that is continued with & and not by the line behind it",
		`program p
  real a(10)
!HPF$ DISTRIBUTE a(BLOCK) &
  a(1) = 0.0
end program p
`},
	{UnknownStatement, true, "a line that begins like no statement of Fortran",
		`program p
  prnt *, 3
end program p
`},
	{BadDirective, true, "an HPF directive that is unknown, or stands where it has no effect, and is ignored (a warning)",
		`program p
!HPF$ SCATTER a
  print *, 1
end program p
`},
	{UnknownDistribution, true, "a distribution format other than BLOCK, CYCLIC and *",
		`program p
  real a(100)
!HPF$ DISTRIBUTE a(BLOK)
  a(1) = 0.0
end program p
`},
	{UnbalancedBlock, true, "a DO, IF or PROGRAM without its END, or an END, ELSE or label of none",
		`program p
  integer i
  do i = 1, 3
    print *, i
end program p
`},
	{OutsideSubset, true, "Fortran, or HPF, that this compiler does not take",
		`program p
  wait (6)
end program p
`},
	{BadLabel, true, "a statement label that is malformed, missing or used wrongly",
		`program p
  integer i
  do 10 i = 1, 3
10 stop
end program p
`},
	{TooDeep, true, "blocks, branches or parentheses that are nested deeper than is handled",
		"program p\n  integer i\n  i = " + strings.Repeat("&\n"+strings.Repeat("(", 100), 5) + "1" + strings.Repeat("&\n"+strings.Repeat(")", 100), 5) + "\nend program p\n"},
	{BadInclude, true, "an INCLUDE line, or #include, whose file is not there or includes itself",
		`program p
  include 'nowhere.inc'
  print *, 1
end program p
`},
	{Preprocessor, true, "a preprocessor line that is wrong, or that is there in a file that is not preprocessed",
		`program p
#define N 3
  print *, 1
end program p
`},
	{UndeclaredName, false, "a name that no declaration declares",
		`program p
  implicit none
  i = 3
end program p
`},
	{DuplicateName, false, "a name that is declared twice",
		`program p
  integer i
  real i
  print *, 1
end program p
`},
	{TypeMismatch, false, "an operation on types for which it does not exist",
		`program p
  integer i
  i = 'text'
end program p
`},
	{NotConstant, false, "an expression that must be a constant and is none",
		`program p
  integer n
  real a(n)
  a(1) = 0.0
end program p
`},
	{RankMismatch, false, "a number of subscripts, or formats, that differs from the rank",
		`program p
  real a(10, 10)
  a(3) = 0.0
end program p
`},
	{BadAlign, false, "an ALIGN that ties an array to its target in a way that has no meaning",
		`program p
  real a(10)
!HPF$ TEMPLATE t(10, 10)
!HPF$ ALIGN a(i) WITH t(i, i)
  a(1) = 0.0
end program p
`},
	{UndeclaredTemplate, false, "an ALIGN with a template or array that is not declared",
		`program p
  real a(10)
!HPF$ ALIGN a(i) WITH t(i)
  a(1) = 0.0
end program p
`},
	{DoubleDistribution, false, "two distributions or alignments for one array",
		`program p
  real a(10)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ DISTRIBUTE a(CYCLIC)
  a(1) = 0.0
end program p
`},
	{BadProcessors, false, "a processors arrangement that is not declared, or does not fit",
		`program p
  real a(10)
!HPF$ DISTRIBUTE a(BLOCK) ONTO q
  a(1) = 0.0
end program p
`},
	{BadIntrinsic, false, "an intrinsic function with arguments that it does not take",
		`program p
  real x
  x = sqrt(1.0, 2.0)
end program p
`},
	{BadLoop, false, "an EXIT or CYCLE without its loop, or a loop variable that is none",
		`program p
  exit
end program p
`},
	{BadIO, false, "an input or output statement with a format or item that it cannot have",
		`program p
  print '(q5)', 3
end program p
`},
	{BadCall, false, "a CALL or function reference, or a USE, that does not fit what it names",
		`program p
  call work(3)
contains
  subroutine work(x)
    real x
    print *, x
  end subroutine work
end program p
`},
	{OutOfBounds, false, "a constant subscript, substring bound or template position out of its range",
		`program p
  real a(10)
  a(11) = 0.0
end program p
`},
	{BadConstant, false, "constant arithmetic that divides by zero or leaves the range of its type",
		`program p
  integer, parameter :: n = 1 / 0
  print *, n
end program p
`},
	{TooLarge, false, "an array, template, alignment or CHARACTER value beyond the sizes that are handled",
		`program p
  real a(10)
!HPF$ TEMPLATE t(4611686018427387904_8)
!HPF$ ALIGN a(i) WITH t(i)
!HPF$ DISTRIBUTE t(BLOCK)
  a(1) = 0.0
end program p
`},
	{NotHonoured, false, "a directive that the program makes no use of (a warning)",
		`program p
  real a(10)
!HPF$ INDEPENDENT
  do i = 1, 10
    a(i) = i
  end do
  print *, a(3)
end program p
`},
	{Slow, false, "a loop or a message that makes more PEs slower than one (a warning)",
		`program p
  integer i
  real a(100), b(100)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ DISTRIBUTE b(CYCLIC)
  do i = 1, 99
    a(i) = i
    b(i) = a(i+1)
    a(i+1) = b(i)
  end do
  print *, a(3)
end program p
`},
}
