package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
)

// rule is the grammar of one kind of statement.
type rule struct {
	name    string // as messages call it: "DO statement"
	form    string // how it is written
	grammar func() *participle.Parser[production]
}

// production is what a grammar has parsed. build makes the statement of it; it
// reports to p what the grammar cannot see, and returns nil when there is
// nothing to keep. A production that stands for several statements returns a
// *sequence.
type production interface {
	build(p *parser, base ast.Base) ast.Stmt
}

// newRule is the rule with the grammar T, which is built at first use: most programs have
// few kinds of statements. To participle it is the only form of a production, so that one
// parser type serves all grammars: the Go compiler would compile participle for each T.
func newRule[T any, P interface {
	*T
	production
}](name, form string) *rule {
	return &rule{name, form, sync.OnceValue(func() *participle.Parser[production] { return build(P(nil)) })}
}

// build builds the parser for the grammar whose production has the type of p.
func build(p production) *participle.Parser[production] {
	// Lookahead 0 is participle's word for deciding by the next token alone:
	// an optional part that has begun must go on, and so the error is
	// reported where it is, not where the part begins.
	return participle.MustBuild[production](
		participle.Lexer(scan.Definition{}),
		participle.UseLookahead(0),
		participle.Union(p),
	)
}

// rules holds the grammar of each kind of statement.
var rules = sync.OnceValue(func() map[scan.Kind]*rule {
	return map[scan.Kind]*rule{
		scan.Program:      newRule[programStmt]("PROGRAM statement", "program name"),
		scan.Subroutine:   newRule[subroutineStmt]("SUBROUTINE statement", "subroutine name [(dummy arguments)]"),
		scan.Function:     newRule[functionStmt]("FUNCTION statement", "[type] function name(dummy arguments) [result(name)]"),
		scan.Module:       newRule[moduleStmt]("MODULE statement", "module name"),
		scan.Contains:     newRule[containsStmt]("CONTAINS statement", "contains"),
		scan.Use:          newRule[useStmt]("USE statement", "use module [, only: names]  or  use, intrinsic :: module"),
		scan.Access:       newRule[accessStmt]("PUBLIC or PRIVATE statement", "private  or  private :: names  or  public :: names"),
		scan.Intent:       newRule[intentStmt]("INTENT statement", "intent(in) :: names  or  intent(out)  or  intent(inout)"),
		scan.External:     newRule[externalStmt]("EXTERNAL or INTRINSIC statement", "external names  or  intrinsic names"),
		scan.Procedure:    newRule[procedureStmt]("PROCEDURE statement", "procedure(interface) [, optional] :: names"),
		scan.ImplicitNone: newRule[implicitStmt]("IMPLICIT NONE statement", "implicit none"),
		scan.Implicit:     newRule[implicitTypes]("IMPLICIT statement", "implicit type (letters), ...  or  implicit none"),
		scan.Data:         newRule[dataStmt]("DATA statement", "data variables / values /, ..."),
		scan.Save:         newRule[saveStmt]("SAVE statement", "save [names]"),
		scan.Common:       newRule[commonStmt]("COMMON statement", "common [/block/] names, ..."),
		scan.Equivalence:  newRule[equivalenceStmt]("EQUIVALENCE statement", "equivalence (names), ..."),
		scan.BlockData:    newRule[blockDataStmt]("BLOCK DATA statement", "block data [name]"),
		scan.TypeDecl:     newRule[typeDecl]("declaration", "type [, attributes ::] name[(extents)] [= value], ..."),
		scan.TypeDef:      newRule[typeDefStmt]("TYPE statement", "type [, extends(base)] :: name"),
		scan.Parameter:    newRule[parameterStmt]("PARAMETER statement", "parameter (name = constant, ...)"),
		scan.Dimension:    newRule[dimensionStmt]("DIMENSION statement", "dimension name(extents), ..."),

		scan.Allocatable:     newRule[allocatableStmt]("ALLOCATABLE statement", "allocatable [::] name[(:, ...)], ..."),
		scan.Attribute:       newRule[attributeStmt]("attribute statement", "optional :: names  or  value :: names  or  protected :: names"),
		scan.Interface:       newRule[interfaceStmt]("INTERFACE statement", "[abstract] interface [name]"),
		scan.EndInterface:    newRule[endInterfaceStmt]("END INTERFACE statement", "end interface [name]"),
		scan.ModuleProcedure: newRule[moduleProcedureStmt]("MODULE PROCEDURE statement", "module procedure names"),
		scan.Import:          newRule[importStmt]("IMPORT statement", "import [:: names]"),

		scan.Assignment:    newRule[assignStmt]("assignment", "variable = expression"),
		scan.Do:            newRule[doStmt]("DO statement", "[name:] do [variable = first, last [, step]]"),
		scan.DoWhile:       newRule[doWhileStmt]("DO WHILE statement", "[name:] do while (condition)"),
		scan.IfThen:        newRule[ifThenStmt]("IF statement", "if (condition) then"),
		scan.IfStmt:        newRule[ifHead]("IF statement", "if (condition) statement"),
		scan.Where:         newRule[whereStmt]("WHERE statement", "[name:] where (mask)"),
		scan.WhereStmt:     newRule[whereStmt]("WHERE statement", "where (mask) array = expression"),
		scan.Elsewhere:     newRule[elsewhereStmt]("ELSEWHERE statement", "elsewhere [(mask)]"),
		scan.Forall:        newRule[forallStmt]("FORALL statement", "[name:] forall (i = first:last, ... [, mask])"),
		scan.ForallStmt:    newRule[forallStmt]("FORALL statement", "forall (i = first:last, ... [, mask]) assignment"),
		scan.DoConcurrent:  newRule[concurrentStmt]("DO CONCURRENT statement", "[name:] do concurrent (i = first:last, ... [, mask])"),
		scan.EndWhere:      newRule[endStmt]("END WHERE statement", "end where [name]"),
		scan.EndForall:     newRule[endStmt]("END FORALL statement", "end forall [name]"),
		scan.ElseIf:        newRule[elseIfStmt]("ELSE IF statement", "else if (condition) then"),
		scan.Else:          newRule[elseStmt]("ELSE statement", "else"),
		scan.Exit:          newRule[exitStmt]("EXIT statement", "exit [loop name]"),
		scan.Cycle:         newRule[cycleStmt]("CYCLE statement", "cycle [loop name]"),
		scan.Print:         newRule[printStmt]("PRINT statement", "print *, items  or  print format, items"),
		scan.Write:         newRule[writeStmt]("WRITE statement", "write(unit, format) items"),
		scan.Read:          newRule[readStmt]("READ statement", "read *, variables  or  read format, variables"),
		scan.ReadParen:     newRule[readParenStmt]("READ statement", "read(unit, format [, iostat=variable] [, end=label] [, err=label]) variables"),
		scan.FileStmt:      newRule[fileStmt]("statement on files", "open(unit, file='name', ...)  or  rewind unit"),
		scan.Namelist:      newRule[namelistStmt]("NAMELIST statement", "namelist /group/ variables"),
		scan.Call:          newRule[callStmt]("CALL statement", "call name [(arguments)]"),
		scan.Return:        newRule[returnStmt]("RETURN statement", "return  or  return number"),
		scan.Entry:         newRule[entryStmt]("ENTRY statement", "entry name [(dummy arguments)]"),
		scan.Stop:          newRule[stopStmt]("STOP statement", "stop [code]"),
		scan.ErrorStop:     newRule[errorStopStmt]("ERROR STOP statement", "error stop [code]"),
		scan.Sync:          newRule[syncStmt]("SYNC statement", "sync all  or  sync memory  or  sync images (images)  or  sync team (team)"),
		scan.Team:          newRule[teamStmt]("FORM TEAM or FAIL IMAGE statement", "form team (number, team [, new_index=index])  or  fail image"),
		scan.ChangeTeam:    newRule[changeTeamStmt]("CHANGE TEAM statement", "[name:] change team (team [, name[codimensions] => coarray] ...)"),
		scan.Event:         newRule[eventStmt]("EVENT, LOCK or UNLOCK statement", "event post (event)  or  event wait (event [, until_count=number])  or  lock (variable)  or  unlock (variable)"),
		scan.Critical:      newRule[criticalStmt]("CRITICAL statement", "[name:] critical"),
		scan.Allocate:      newRule[allocateStmt]("ALLOCATE or DEALLOCATE statement", "allocate (array(extents), ... [, stat=variable])"),
		scan.Block:         newRule[blockStmt]("BLOCK statement", "[name:] block"),
		scan.Associate:     newRule[associateStmt]("ASSOCIATE statement", "[name:] associate (name => variable or expression, ...)"),
		scan.EndBlock:      newRule[endStmt]("END BLOCK statement", "end block [name]"),
		scan.EndAssociate:  newRule[endStmt]("END ASSOCIATE statement", "end associate [name]"),
		scan.Continue:      newRule[continueStmt]("CONTINUE statement", "continue"),
		scan.Goto:          newRule[gotoStmt]("GO TO statement", "go to label  or  go to (labels), expression  or  go to variable [, (labels)]"),
		scan.ArithmeticIf:  newRule[arithmeticIfStmt]("arithmetic IF statement", "if (expression) label, label, label"),
		scan.LabelAssign:   newRule[labelAssignStmt]("ASSIGN statement", "assign label to variable"),
		scan.Pause:         newRule[pauseStmt]("PAUSE statement", "pause [code]"),
		scan.SelectType:    newRule[selectTypeStmt]("SELECT TYPE statement", "[name:] select type ([name =>] object)"),
		scan.TypeGuard:     newRule[typeGuard]("TYPE IS or CLASS IS statement", "type is (name)  or  class is (name)  or  class default"),
		scan.PointerAssign: newRule[pointerStmt]("pointer assignment", "pointer => target  or  pointer => null()"),
		scan.Nullify:       newRule[nullifyStmt]("NULLIFY statement", "nullify (pointers)"),
		scan.Enum:          newRule[enumStmt]("ENUM statement", "enum, bind(c)"),
		scan.Enumerator:    newRule[enumeratorStmt]("ENUMERATOR statement", "enumerator [::] name [= value], ..."),
		scan.EndEnum:       newRule[endEnumStmt]("END ENUM statement", "end enum"),
		scan.Submodule:     newRule[submoduleStmt]("SUBMODULE statement", "submodule (module) name"),
		scan.SelectCase:    newRule[selectStmt]("SELECT CASE statement", "[name:] select case (expression)"),
		scan.Case:          newRule[caseStmt]("CASE statement", "case (values and ranges) [name]  or  case default [name]"),
		scan.EndSelect:     newRule[endStmt]("END SELECT statement", "end select [name]"),
		scan.End:           newRule[endStmt]("END statement", "end program [name]"),
		scan.EndProgram:    newRule[endStmt]("END PROGRAM statement", "end program [name]"),
		scan.EndUnit:       newRule[endStmt]("END statement", "end subroutine [name]  or  end function  or  end module"),
		scan.EndDo:         newRule[endStmt]("END DO statement", "end do [name]"),
		scan.EndIf:         newRule[endStmt]("END IF statement", "end if [name]"),
		scan.EndTeam:       newRule[endTeamStmt]("END TEAM statement", "end team [(stat=variable)] [name]"),
		scan.EndCritical:   newRule[endStmt]("END CRITICAL statement", "end critical [name]"),

		scan.Processors:  newRule[processorsDir]("PROCESSORS directive", "!HPF$ PROCESSORS name(extents), ..."),
		scan.Template:    newRule[templateDir]("TEMPLATE directive", "!HPF$ TEMPLATE name(extents), ..."),
		scan.Align:       newRule[alignDir]("ALIGN directive", "!HPF$ ALIGN a(i,j) WITH t(i,j)  or  !HPF$ ALIGN (i,j) WITH t(i,j) :: a, b"),
		scan.Distribute:  newRule[distributeDir]("DISTRIBUTE directive", "!HPF$ DISTRIBUTE a(BLOCK,*) [ONTO p]  or  !HPF$ DISTRIBUTE (BLOCK,*) [ONTO p] :: a, b"),
		scan.Inherit:     newRule[inheritDir]("INHERIT directive", "!HPF$ INHERIT names"),
		scan.Dynamic:     newRule[dynamicDir]("DYNAMIC directive", "!HPF$ DYNAMIC names"),
		scan.Region:      newRule[regionDir]("REGION directive", "!SPMD$ REGION name"),
		scan.EndRegion:   newRule[endBlockDir]("END REGION directive", "!SPMD$ END REGION"),
		scan.Independent: newRule[independentDir]("INDEPENDENT directive", "!HPF$ INDEPENDENT [(loop variables)] [, NEW(names)] [, REDUCTION(names)] [, ON HOME(variable)]"),

		scan.Shadow:        newRule[shadowDir]("SHADOW directive", "!HPF$ SHADOW a(low:high, width, ...)  or  !HPF$ SHADOW (width, ...) :: a, b"),
		scan.On:            newRule[onDir]("ON directive", "!HPF$ ON HOME(variable) [, RESIDENT[(variables)]] [, NEW(names)] [BEGIN]"),
		scan.EndOn:         newRule[endBlockDir]("END ON directive", "!HPF$ END ON"),
		scan.Resident:      newRule[residentDir]("RESIDENT directive", "!HPF$ RESIDENT [(variables)] [BEGIN]"),
		scan.EndResident:   newRule[endBlockDir]("END RESIDENT directive", "!HPF$ END RESIDENT"),
		scan.TaskRegion:    newRule[taskRegionDir]("TASK_REGION directive", "!HPF$ TASK_REGION"),
		scan.EndTaskRegion: newRule[endBlockDir]("END TASK_REGION directive", "!HPF$ END TASK_REGION"),
	}
})

// run parses toks, which end with EOF, by r.
func (r *rule) run(toks []lexer.Token) (production, error) {
	lex, err := lexer.Upgrade(scan.NewReader(toks))
	if err != nil {
		return nil, err
	}
	p, err := r.grammar().ParseFromLexer(lex)
	if err != nil {
		return nil, err
	}
	return *p, nil
}
