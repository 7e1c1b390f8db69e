package scan

import "github.com/alecthomas/participle/v2/lexer"

// Kind is what a line of tokens is.
type Kind int

const (
	Unknown Kind = iota // nothing that the language knows
	Outside             // Fortran that is outside the subset
	Empty               // a directive line with nothing on it

	Program
	Subroutine
	Function
	Module
	Contains
	EndUnit // END SUBROUTINE, FUNCTION or MODULE
	Use
	Access // PUBLIC or PRIVATE
	ImplicitNone
	Implicit // with types for letters
	Data
	Save
	Common
	Equivalence
	BlockData
	TypeDecl
	TypeDef // TYPE name, the definition of a derived type
	EndType
	Intent
	External // or INTRINSIC
	Procedure
	Parameter
	Dimension
	Allocatable
	Attribute // OPTIONAL, VALUE, PROTECTED, and those without an effect, as TARGET
	Interface
	EndInterface
	ModuleProcedure // of an interface block
	Import
	Enum
	Enumerator
	EndEnum
	Submodule

	Assignment
	PointerAssign // p => x
	Nullify
	Do
	DoWhile
	IfThen
	IfStmt // IF with a statement on its line
	Where
	WhereStmt // with a statement on its line
	Elsewhere
	Forall
	ForallStmt // with a statement on its line
	DoConcurrent
	ElseIf
	Else
	Exit
	Cycle
	Print
	Write
	FileStmt // OPEN, CLOSE, INQUIRE, REWIND, BACKSPACE, ENDFILE, FLUSH
	Namelist
	Read      // READ fmt, items
	ReadParen // READ (control) items
	Call
	Entry
	Return
	Stop
	ErrorStop
	Continue
	Goto
	ArithmeticIf
	LabelAssign
	Pause
	SelectCase
	Case
	SelectType
	TypeGuard // TYPE IS, CLASS IS, CLASS DEFAULT
	EndSelect
	Sync
	Event
	Critical
	Team // FORM TEAM and FAIL IMAGE
	ChangeTeam
	Allocate // DEALLOCATE too
	Block
	Associate
	End // END alone
	EndProgram
	EndDo
	EndIf
	EndCritical
	EndTeam
	EndWhere
	EndForall
	EndBlock
	EndAssociate

	Processors
	Template
	Align
	Distribute
	Inherit
	Dynamic
	Redistribute
	Realign
	Independent
	Region
	EndRegion
	Shadow
	On
	EndOn
	Resident
	EndResident
	TaskRegion
	EndTaskRegion
	UnknownDirective
)

// Stmt is a classified line.
type Stmt struct {
	Kind Kind
	// Name is the construct name in front of the statement, "" when absent;
	// it and its colon are not in Toks.
	Name    string
	NameTok lexer.Token
	Toks    []lexer.Token // ends with EOF
	// Word is, for Outside, the key under which advice is found, such as
	// "select case"; for the unknown kinds the first word.
	Word string
	// Rest is, for IfStmt, WhereStmt and ForallStmt, the index in Toks of the statement behind the
	// closing parenthesis.
	Rest int
}

// Classify says what a statement is. Fortran has no reserved words: whatever
// has the form of an assignment is one, and only then do its words count.
func Classify(toks []lexer.Token) Stmt {
	s := Stmt{Toks: toks}
	if len(toks) > 2 && toks[0].Type == Ident && toks[1].Value == ":" && toks[2].Type == Ident {
		s.Name, s.NameTok = toks[0].Value, toks[0]
		s.Toks = toks[2:]
	}
	if len(s.Toks) == 0 || s.Toks[0].Type != Ident {
		return s
	}
	s.Word = s.Toks[0].Value
	if op := assignOp(s.Toks); op == "=" {
		s.Kind = Assignment
		return s
	} else if op == "=>" {
		s.Kind = PointerAssign
		return s
	}
	s.byWord()
	return s
}

// ClassifyDirective says what a directive is; the sentinel is not in toks.
func ClassifyDirective(toks []lexer.Token) Stmt {
	s := Stmt{Kind: UnknownDirective, Toks: toks}
	if len(toks) == 0 || toks[0].EOF() {
		s.Kind = Empty
		return s
	}
	s.Word = toks[0].Value
	if k, ok := directives[s.Word]; ok {
		s.Kind = k
	}
	word := s.Word
	if word == "end" {
		word += toks[1].Value
	}
	if k, ok := directiveEnds[word]; ok {
		s.Kind = k
	}
	return s
}

// directives maps the first word of a directive to its kind.
var directives = map[string]Kind{
	"processors":  Processors,
	"template":    Template,
	"align":       Align,
	"distribute":  Distribute,
	"inherit":     Inherit,
	"independent": Independent,
	"region":      Region,
	"shadow":      Shadow,
	"on":          On,
	"resident":    Resident,
	"task_region": TaskRegion,

	"dynamic":      Dynamic,
	"redistribute": Redistribute,
	"realign":      Realign,
}

// directiveEnds maps the words of a directive that ends a block, without the blank between, to its kind.
var directiveEnds = map[string]Kind{"endregion": EndRegion, "endon": EndOn, "endresident": EndResident, "endtask_region": EndTaskRegion}

// assignOp returns "=" or "=>" when toks have the form of an assignment: a
// name, parenthesised lists and components, and then that operator.
func assignOp(toks []lexer.Token) string {
	i := 1
	for {
		switch toks[i].Value {
		case "=", "=>":
			return toks[i].Value
		case "(", "[":
			j := Closing(toks, i)
			if j < 0 {
				return ""
			}
			i = j + 1
		case "%":
			if toks[i+1].Type != Ident {
				return ""
			}
			i += 2
		default:
			return ""
		}
	}
}

// Closing returns the index of the parenthesis or bracket that closes the one
// at toks[open], -1 when there is none.
func Closing(toks []lexer.Token, open int) int {
	depth := 0
	for i := open; i < len(toks); i++ {
		if toks[i].Type != Op {
			continue
		}
		switch toks[i].Value {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// simple maps the first word of a statement to its kind, where that word is
// enough.
var simple = map[string]Kind{
	"program":         Program,
	"subroutine":      Subroutine,
	"function":        Function,
	"contains":        Contains,
	"endsubroutine":   EndUnit,
	"endfunction":     EndUnit,
	"endmodule":       EndUnit,
	"endblockdata":    EndUnit,
	"use":             Use,
	"public":          Access,
	"private":         Access,
	"intent":          Intent,
	"external":        External,
	"intrinsic":       External,
	"call":            Call,
	"entry":           Entry,
	"return":          Return,
	"parameter":       Parameter,
	"dimension":       Dimension,
	"allocatable":     Allocatable,
	"codimension":     Allocatable,
	"pointer":         Allocatable,
	"allocate":        Allocate,
	"deallocate":      Allocate,
	"data":            Data,
	"save":            Save,
	"common":          Common,
	"equivalence":     Equivalence,
	"blockdata":       BlockData,
	"integer":         TypeDecl,
	"real":            TypeDecl,
	"logical":         TypeDecl,
	"character":       TypeDecl,
	"doubleprecision": TypeDecl,
	"doublecomplex":   TypeDecl,
	"byte":            TypeDecl,
	"complex":         TypeDecl,
	"elseif":          ElseIf,
	"exit":            Exit,
	"cycle":           Cycle,
	"print":           Print,
	"write":           Write,
	"open":            FileStmt,
	"close":           FileStmt,
	"inquire":         FileStmt,
	"rewind":          FileStmt,
	"backspace":       FileStmt,
	"endfile":         FileStmt,
	"flush":           FileStmt,
	"namelist":        Namelist,
	"stop":            Stop,
	"errorstop":       ErrorStop,
	"continue":        Continue,
	"goto":            Goto,
	"pause":           Pause,
	"selectcase":      SelectCase,
	"case":            Case,
	"endselect":       EndSelect,
	"sync":            Sync,
	"critical":        Critical,
	"endprogram":      EndProgram,
	"enddo":           EndDo,
	"endif":           EndIf,
	"endcritical":     EndCritical,
	"formteam":        Team,
	"failimage":       Team,
	"changeteam":      ChangeTeam,
	"endteam":         EndTeam,
	"elsewhere":       Elsewhere,
	"endwhere":        EndWhere,
	"endforall":       EndForall,
	"endblock":        EndBlock,
	"endassociate":    EndAssociate,
	"optional":        Attribute,
	"value":           Attribute,
	"protected":       Attribute,
	"target":          Attribute,
	"volatile":        Attribute,
	"asynchronous":    Attribute,
	"contiguous":      Attribute,
	"interface":       Interface,
	"endinterface":    EndInterface,
	"import":          Import,
	"associate":       Associate,
	"endtype":         EndType,
	"enum":            Enum,
	"enumerator":      Enumerator,
	"endenum":         EndEnum,
	"submodule":       Submodule,
	"endsubmodule":    EndUnit,
	"endprocedure":    EndUnit,
	"nullify":         Nullify,
	"selecttype":      SelectType,
}

func (s *Stmt) byWord() {
	t := s.Toks
	second := t[1].Value
	if k, ok := simple[s.Word]; ok {
		s.Kind = k
		if k == TypeDecl && isFunction(t) {
			s.Kind, s.Word = Function, "function"
		}
		return
	}
	switch s.Word {
	case "type", "class":
		switch is := second == "is" && t[2].Value == "("; {
		case is, s.Word == "class" && second == "default":
			s.Kind = TypeGuard
			return
		case second == "(":
			if s.Kind = TypeDecl; isFunction(t) {
				s.Kind, s.Word = Function, "function"
			}
			return
		case s.Word == "type" && (second == "," || second == "::" || t[1].Type == Ident):
			s.Kind = TypeDef
			return
		}
	case "module":
		if t[1].Type == Ident && t[2].EOF() {
			s.Kind = Module
			return
		}
		if second == "procedure" {
			s.Kind, s.Word = ModuleProcedure, "procedure"
			return
		}
		if s.prefixed() {
			return
		}
	case "procedure":
		if s.Kind = ModuleProcedure; second == "(" {
			s.Kind = Procedure
		}
		return
	case "abstract":
		if second == "interface" {
			s.Kind = Interface
			return
		}
	case "event":
		if second == "post" || second == "wait" {
			s.Kind = Event
			return
		}
	case "form", "change", "fail":
		kind, ok := map[string]Kind{"formteam": Team, "changeteam": ChangeTeam, "failimage": Team}[s.Word+second]
		if ok {
			s.Kind = kind
			return
		}
	case "lock", "unlock":
		if second == "(" {
			s.Kind = Event
			return
		}
	case "block":
		if t[1].EOF() {
			s.Kind = Block
			return
		}
		if second == "data" {
			s.Kind = BlockData
			return
		}
	case "pure", "elemental", "recursive", "impure", "extrinsic":
		if s.prefixed() {
			return
		}
	case "double":
		if second == "precision" || second == "complex" {
			s.Kind = TypeDecl
			if isFunction(t) {
				s.Kind, s.Word = Function, "function"
			}
			return
		}
	case "implicit":
		if second == "none" {
			s.Kind = ImplicitNone
			return
		}
		s.Kind = Implicit
		return
	case "do":
		s.classifyDo()
		return
	case "if":
		s.classifyIf()
		return
	case "where":
		s.headed(Where, WhereStmt)
		return
	case "forall":
		s.headed(Forall, ForallStmt)
		return
	case "else":
		switch second {
		case "if":
			s.Kind = ElseIf
			return
		case "where":
			s.Kind = Elsewhere
			return
		}
		s.Kind = Else
		return
	case "error":
		if second == "stop" {
			s.Kind = ErrorStop
			return
		}
	case "go":
		if second == "to" {
			s.Kind = Goto
			return
		}
	case "assign":
		if t[1].Type == Int && t[2].Value == "to" {
			s.Kind = LabelAssign
			return
		}
	case "select":
		switch second {
		case "case":
			s.Kind = SelectCase
			return
		case "type":
			s.Kind = SelectType
			return
		}
	case "read":
		if s.Kind = Read; second == "(" {
			s.Kind = ReadParen
		}
		return
	case "end":
		s.classifyEnd()
		return
	}
	s.outside()
}

// prefixed takes the first statement of a procedure that begins with PURE and its like.
func (s *Stmt) prefixed() bool {
	for _, t := range s.Toks {
		switch t.Value {
		case "function":
			s.Kind, s.Word = Function, t.Value
			return true
		case "subroutine":
			s.Kind, s.Word = Subroutine, t.Value
			return true
		}
	}
	return false
}

func (s *Stmt) classifyDo() {
	i := 1
	if s.Toks[i].Type == Int {
		i++
	}
	if s.Toks[i].Value == "," {
		i++
	}
	t := s.Toks[i:]
	switch {
	case len(t) > 1 && t[0].Value == "while" && t[1].Value == "(":
		s.Kind = DoWhile
	case t[0].Value == "concurrent" && t[1].Value != "=":
		s.Kind = DoConcurrent
	default:
		s.Kind = Do
	}
}

func (s *Stmt) classifyIf() {
	t := s.Toks
	last := t[max(len(t)-2, 0)] // in front of EOF
	if t[1].Value != "(" {
		if s.Kind = IfStmt; last.Value == "then" {
			s.Kind = IfThen
		}
		s.Rest = len(t) - 1
		return
	}
	end := Closing(t, 1)
	switch {
	case end < 0:
		if s.Kind = IfStmt; last.Value == "then" {
			s.Kind = IfThen
		}
		s.Rest = len(t) - 1
	case t[end+1].Value == "then" && assignOp(t[end+1:]) == "":
		s.Kind = IfThen
	case t[end+1].Type == Int:
		s.Kind = ArithmeticIf
	default:
		s.Kind, s.Rest = IfStmt, end+1
	}
}

// headed classifies what begins with a list in parentheses: it is a block where nothing
// follows on the line.
func (s *Stmt) headed(block, stmt Kind) {
	end := -1
	if s.Toks[1].Value == "(" {
		end = Closing(s.Toks, 1)
	}
	if s.Kind = block; end > 0 && !s.Toks[end+1].EOF() {
		s.Kind, s.Rest = stmt, end+1
	}
}

func (s *Stmt) classifyEnd() {
	switch second := s.Toks[1]; {
	case second.EOF():
		s.Kind = End
	case second.Value == "program":
		s.Kind = EndProgram
	case second.Value == "do":
		s.Kind = EndDo
	case second.Value == "if":
		s.Kind = EndIf
	case second.Value == "critical":
		s.Kind = EndCritical
	case second.Value == "team":
		s.Kind = EndTeam
	case second.Value == "where":
		s.Kind = EndWhere
	case second.Value == "forall":
		s.Kind = EndForall
	case second.Value == "block" && s.Toks[2].Value != "data":
		s.Kind = EndBlock
	case second.Value == "associate":
		s.Kind = EndAssociate
	case second.Value == "interface":
		s.Kind = EndInterface
	case second.Value == "type":
		s.Kind = EndType
	case second.Value == "enum":
		s.Kind = EndEnum
	case second.Value == "subroutine" || second.Value == "function" || second.Value == "module" || second.Value == "submodule" || second.Value == "procedure":
		s.Kind = EndUnit
	case second.Value == "select":
		s.Kind, s.Word = EndSelect, "end select"
	case second.Value == "file":
		s.Kind, s.Word = FileStmt, "endfile"
	case second.Value == "block" && s.Toks[2].Value == "data", second.Value == "blockdata":
		s.Kind = EndUnit
	case second.Type == Ident:
		s.Kind, s.Word = Outside, "end "+second.Value
	}
}

// isFunction reports whether a statement that begins like a type declaration
// is "real(8) function f(x)".
func isFunction(t []lexer.Token) bool {
	i := 1
	if t[0].Value == "double" {
		i++
	}
	if t[i].Value == "*" && !t[i+1].EOF() {
		if i++; t[i].Value != "(" {
			i++
		}
	}
	if t[i].Value == "(" {
		j := Closing(t, i)
		if j < 0 {
			return false
		}
		i = j + 1
	}
	for t[i].Value == "recursive" || t[i].Value == "pure" || t[i].Value == "elemental" || t[i].Value == "module" || t[i].Value == "extrinsic" {
		if i++; t[i-1].Value != "extrinsic" {
			continue
		}
		if i = Closing(t, i) + 1; i == 0 {
			return false
		}
	}
	return t[i].Value == "function" && t[i+1].Type == Ident && t[i+2].Value == "("
}
