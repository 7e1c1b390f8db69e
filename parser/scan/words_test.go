package scan_test

import (
	"strings"
	"testing"
)

// TestWords shows where the words of statements in fixed form end.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"DO10I=1,5", "do 10 i = 1 , 5"},
		{"DO10I=1.5", "do10i = 1.5"},
		{"DO 10 I = A(1,2)", "do10i = a ( 1 , 2 )"},
		{"DO 10 I = A(1,2), 3", "do 10 i = a ( 1 , 2 ) , 3"},
		{"DO10,I=1,5", "do 10 , i = 1 , 5"},
		{"DO10E5=1,5", "do 10 e5 = 1 , 5"},
		{"DOWHILE(I.LT.3)", "do while ( i .lt. 3 )"},
		{"DO10WHILE(I . LT . 3)", "do 10 while ( i .lt. 3 )"},
		{"DO WHILE(3) = 4", "dowhile ( 3 ) = 4"},
		{"OUTER:DOI=1,3", "outer : do i = 1 , 3"},
		{"DO CONCURRENT (I=1:3)", "do concurrent ( i = 1 : 3 )"},
		{"IF(X.EQ.1.E5)GOTO10", "if ( x .eq. 1.e5 ) goto 10"},
		{"IF(X)DO10I=3", "if ( x ) do10i = 3"},
		{"IF(X)IF(Y)CALLF(Z)", "if ( x ) if ( y ) call f ( z )"},
		{"IF(X)THEN", "if ( x ) then"},
		{"IF(X)THEN=3", "if ( x ) then = 3"},
		{"IF(3)=4", "if ( 3 ) = 4"},
		{"IF(X)10,20,30", "if ( x ) 10 , 20 , 30"},
		{"ELSEIF(X)THENOUTER", "elseif ( x ) then outer"},
		{"ELSEOUTER", "else outer"},
		{"ENDDOOUTER", "enddo outer"},
		{"END", "end"},
		{"ENDPROGRAMP", "endprogram p"},
		{"ENDFILE6", "endfile 6"},
		{"END BLOCK DATA X", "end block data x"},
		{"REAL*8E1,H", "real * 8 e1 , h"},
		{"REAL*8HASH", "real * 8 hash"},
		{"IMPLICITREAL*8(A-H,O-Z)", "implicit real * 8 ( a - h , o - z )"},
		{"IMPLICITNONE", "implicit none"},
		{"DOUBLE PRECISION X", "double precision x"},
		{"REALX(10)", "real x ( 10 )"},
		{"REAL=3", "real = 3"},
		{"CHARACTER*(*)C", "character * ( * ) c"},
		{"REALFUNCTIONF(X,Y)", "real function f ( x , y )"},
		{"REALFUNCTIONF(3)", "real functionf ( 3 )"},
		{"DOUBLE PRECISION FUNCTION F()", "doubleprecision function f ( )"},
		{"CHARACTER*8FUNCTIONF(X)", "character * 8 function f ( x )"},
		{"INTEGER(KIND=8)FUNCTIONF(X)RESULT(Y)", "integer ( kind = 8 ) function f ( x ) result ( y )"},
		{"PURERECURSIVEREALFUNCTIONF(X)", "pure recursive real function f ( x )"},
		{"RECURSIVESUBROUTINES", "recursive subroutine s"},
		{"SUBROUTINES(A,*)", "subroutine s ( a , * )"},
		{"FUNCTIONF(X)", "function f ( x )"},
		{"MODULEM", "module m"},
		{"USEM,ONLY:A=>B", "use m , only : a => b"},
		{"PRINT*,X", "print * , x"},
		{"PRINT10,X", "print 10 , x"},
		{"READ5,X", "read 5 , x"},
		{"WRITE(6,10)X", "write ( 6 , 10 ) x"},
		{"ASSIGN10TOI", "assign 10 to i"},
		{"ASSIGNTO=3", "assignto = 3"},
		{"STOP5", "stop 5"},
		{"ERRORSTOP'X'", "error stop 'X'"},
		{"SYNCALL", "sync all"},
		{"SYNCIMAGES(*)", "sync images ( * )"},
		{"DATAX,Y/3,4/", "data x , y / 3 , 4 /"},
		{"COMMON/BLK/X", "common / blk / x"},
		{"PARAMETER(N=3)", "parameter ( n = 3 )"},
		{"SELECTCASE(I)", "select case ( i )"},
		{"CASEDEFAULT", "case default"},
		{"FORMAT(5HIT 'S,I3)", "format ( 5HIT 'S , i3 )"},
		{"X='A B''C'//\"D\"", "x = 'A B''C' // \"D\""},
		{"X='A' 'B'", "x = 'A' 'B'"},
		{"X=1. E 5+1D0", "x = 1.e5 + 1d0"},
		{"A_VERY_LONG_NAME_INDEED_OF_MANY_LETTERS_THAT_END=3", "a_very_long_name_indeed_of_many_letters_that_end = 3"},
		{"CALLWORK", "call work"},
		{"RETURN", "return"},
		{"CONTINUE", "continue"},

		{"!PROCESSORSP(4)", "processors p ( 4 )"},
		{"!PROCESSORS, DIMENSION(4) :: P", "processors , dimension ( 4 ) :: p"},
		{"!DISTRIBUTEA(BLOCK)ONTOP", "distribute a ( block ) onto p"},
		{"!DISTRIBUTE(BLOCK,*)ONTOP::A,ONTOB", "distribute ( block , * ) onto p :: a , ontob"},
		{"!ALIGNA(I)WITHT(I)", "align a ( i ) with t ( i )"},
		{"!ALIGNWITHT(I)::A", "align with t ( i ) :: a"},
		{"!ALIGN WITHX(I) WITH T(I)", "align withx ( i ) with t ( i )"},
		{"!ALIGN WITHX WITH T", "align withx with t"},
		{"!ALIGNAWITHT", "align a with t"},
		{"!DISTRIBUTE D ONTO P1", "distribute d onto p1"},
		{"!DISTRIBUTE FRONTON", "distribute fronton"},
		{"!TEMPLATE,DISTRIBUTE(BLOCK)ONTOP::T(N)", "template , distribute ( block ) onto p :: t ( n )"},
		{"!DYNAMIC,ALIGNWITHT::A", "dynamic , align with t :: a"},
		{"!DYNAMIC,ALIGN(I)WITHT(I)::A", "dynamic , align ( i ) with t ( i ) :: a"},
		{"!ALIGN A, B WITH T", "align a , b with t"},
		{"!INDEPENDENT,NEW(X)", "independent , new ( x )"},
		{"!INHERITX", "inherit x"},
		{"!REDISTRIBUTEA(BLOCK)", "redistribute a ( block )"},
		{"!SCATTER A", "scatter a"},
	} {
		text, directive := strings.CutPrefix(tt.text, "!")
		line := "      " + text
		if directive {
			line = "CHPF$ " + text
		}
		if len(line) > 72 {
			t.Fatalf("%s is too long", line)
		}
		lines, diags := prescanAs("in.f", line)
		if len(lines) != 1 || diags.Len() > 0 {
			t.Errorf("%q: %d lines, %v", tt.text, len(lines), diags.Err())
			continue
		}
		toks, d := lines[0].Tokens(nil)
		var words []string
		for _, tok := range toks[:len(toks)-1] {
			words = append(words, tok.Value)
			if at := lines[0].Pos(tok.Pos.Offset); at.Line != tok.Pos.Line || at.Col != tok.Pos.Column || !strings.EqualFold(line[at.Col-1:at.Col], tok.Value[:1]) {
				t.Errorf("%q: %s is not at %v", tt.text, tok.Value, at)
			}
		}
		if got := strings.Join(words, " "); got != tt.want || d != nil {
			t.Errorf("%q:\n got %s\nwant %s (%v)", tt.text, got, tt.want, d)
		}
	}
}

// TestJoinedWords: in free form gfortran takes a few words without a blank between.
func TestJoinedWords(t *testing.T) {
	for text, want := range map[string]string{
		"syncall":           "name:sync name:all",
		"SyncImages(*)":     "name:sync name:images op:( op:* op:)",
		"syncmemory":        "name:sync name:memory",
		"syncall = 3":       "name:syncall op:= int:3",
		"syncimages(2) = 3": "name:syncimages op:( int:2 op:) op:= int:3",
		"syncallx":          "name:syncallx",
		"call syncall":      "name:call name:syncall",
	} {
		lines, _ := prescan(text)
		toks, d := lines[0].Tokens(nil)
		if got := spell(toks); got != want || d != nil {
			t.Errorf("%q: %s (%v), want %s", text, got, d, want)
		}
	}
}
