package ast

import "github.com/spmdc/spmdc/parser/source"

type (
	// Assign is "lhs = rhs". Part is not in the source: it copies a component where a whole
	// variable of a derived type is copied, of which not all need have a value. Anew is not
	// either: an allocatable component gets the bounds of its value, whatever it had before.
	Assign struct {
		Base
		Part     bool
		Anew     bool
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
		OfType  bool // not in the source: it was SELECT TYPE
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
	// brackets, or with neither "*". Status has STAT= and ERRMSG=, as *Keyword.
	// It is also "event post(e)", "event wait(e)", "lock(l)" and "unlock(l)", which What
	// says: then Images has the variable, and Status UNTIL_COUNT= and ACQUIRED_LOCK= too. And it
	// is "form team(number, t)" and "sync team(t)", whose What is "team": Images has the number
	// and the team, Status NEW_INDEX= too; and "fail image".
	Sync struct {
		Base
		What   string
		Images []Expr
		List   bool
		Status []Expr
	}
	// Allocate is "allocate (a(n), b(0:m), stat=ios)", with Free "deallocate (a, b)". The
	// arguments are arrays with their bounds, then keywords. Keep is not in the source: the array
	// gets more elements in its last dimension, and those that it has keep their values.
	Allocate struct {
		Base
		Free bool
		Keep bool
		Of   Name // of "allocate (t :: a)": the derived type
		Args []Expr
	}
	// Critical is "name: critical ... end critical". Status has STAT= and ERRMSG=.
	Critical struct {
		Base
		Name   string
		Status []Expr
		Body   []Stmt
		EndPos source.Pos
	}
	// ChangeTeam is "name: change team (team, x[2,*] => a) ... end team". Status has STAT= and
	// ERRMSG=, EndStatus those of END TEAM.
	ChangeTeam struct {
		Base
		Name      string
		Team      Expr
		Names     []Association
		Status    []Expr
		Body      []Stmt
		EndStatus []Expr
		EndPos    source.Pos
	}
	// Block is "name: block", with declarations of its own.
	Block struct {
		Base
		Name   string
		Spec   []Stmt
		Body   []Stmt
		EndPos source.Pos
		Region string // of a REGION directive, whose name this is; "": it is BLOCK
		On     On     // what a directive ON or RESIDENT says of Body, which it is around; the zero value: it is none
		Tasks  bool   // TASK_REGION is around Body
	}
	// On is what the directives ON and RESIDENT say: "ON HOME(a(i)), RESIDENT(b), NEW(x)".
	On struct {
		Home     Expr   // an element or section of an array, a template or an arrangement; nil: RESIDENT alone
		Bare     bool   // Home stands in "ON (p(i))"
		New      []Name // of ON; INDEPENDENT has names of its own
		Resident bool
		Objects  []Expr // of RESIDENT; none: everything
		One      bool   // without BEGIN, about the next statement
	}
	// Associate is "name: associate (a => x, b => y)".
	Associate struct {
		Base
		Name   string
		Names  []Association
		Body   []Stmt
		EndPos source.Pos
	}
	// PointerAssign is "p => x", or "nullify (p, q)" where X is null().
	PointerAssign struct {
		Base
		To []Expr
		X  Expr
	}
	// Call is "call s(args)". An argument may be a *Keyword or an *AltReturn. Status is the
	// variable that is set to the number of the alternate return, "" in a tree that is parsed.
	// Of is x in "call x%s(args)", else nil.
	Call struct {
		Base
		Of     Expr
		Proc   Name
		Args   []Expr
		Status string

		Defines bool // it is an assignment
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
	// Select is "name: select case (x)", or with OfType "name: select type (as => x)", where the
	// Name of As may be "".
	Select struct {
		Base
		Name   string
		X      Expr
		OfType bool
		As     Name
		Cases  []Case
		EndPos source.Pos
	}
)

// OfVariable reports whether s is about an event or a lock.
func (s *Sync) OfVariable() bool {
	switch s.What {
	case "event post", "event wait", "lock", "unlock":
		return true
	}
	return false
}

// isSync reports whether s begins with the word SYNC.
func (s *Sync) isSync() bool {
	return s.What != "form team" && s.What != "fail image" && !s.OfVariable()
}

// Target is a label that a statement refers to.
type Target struct {
	Pos   source.Pos
	Label int
}

// Case is "case (1, 3:5)", or "case default" where it has no values.
type Case struct {
	Pos    source.Pos
	Values []CaseValue
	Guard  *TypeGuard // of SELECT TYPE
	Body   []Stmt
}

// TypeGuard is "type is (t)", with Class "class is (t)", or "class default" where the Name of Of is "".
// Type is that of a guard with an intrinsic type, the name of which Of is.
type TypeGuard struct {
	Class bool
	Of    Name
	Type  *TypeSpec
}

// CaseValue is one value, Lo, or with Range lo:hi, either of which may be nil.
type CaseValue struct {
	Lo, Hi Expr
	Range  bool
}
