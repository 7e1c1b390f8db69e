package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

func prescan(text string) ([]scan.Line, *source.List) { return prescanAs("in.hpf", text) }

func prescanAs(name, text string) ([]scan.Line, *source.List) {
	file := source.NewFile(name, []byte(text))
	diags := source.NewList(file)
	return scan.FormOf(name).Lines(file.Physical(), diags), diags
}

// TestPrescan shows logical lines, each with the place of its first and last
// byte, and what is wrong with the source.
func TestPrescan(t *testing.T) {
	showLines(t, "testdata/*.txtar", "in.hpf")
	showLines(t, "testdata/fixed/*.txtar", "in.f")
}

func showLines(t *testing.T, archives, name string) {
	golden.Pairs(t, archives, func(t *testing.T, _, text string) string {
		// In the archives, ⏎ is a carriage return and ⇥ a tab.
		text = strings.NewReplacer("⏎", "\r", "⇥", "\t").Replace(text)
		lines, diags := prescanAs(name, text)
		var b strings.Builder
		for i := range lines {
			l := &lines[i]
			first, last := l.Pos(0), l.Pos(len(l.Text)-1)
			fmt.Fprintf(&b, "%d:%d-%d:%d", first.Line, first.Col, last.Line, last.Col)
			if l.Label != 0 {
				fmt.Fprintf(&b, " [%d at %d:%d]", l.Label, l.LabelPos.Line, l.LabelPos.Col)
			}
			if l.Directive {
				b.WriteString(" directive")
			}
			if l.Broken {
				b.WriteString(" broken")
			}
			fmt.Fprintf(&b, " %q\n", l.Text)
		}
		if err := diags.Render(&b, nil, false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

// sourceText draws text of the pieces that matter to the prescan.
var sourceText = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
		"\n", "\r\n", "&", " ", "\t", ";", "'", `"`, "!", "!HPF$", "!hpf$ ", "#",
		"x", "=", "10 ", "if", "(", ")", "1.5", ".and.", "ö", "\x00", "\n      ", "\n     &", "\nC", "\nCHPF$ ", "\n!hpf$1",
		"3h", "      ", "                                                            ",
	})).Draw(t, "pieces"), "")
})

// checkProvenance reports a byte of a logical line that is not the byte of the
// file that it says it is. A continuation without a leading & puts a blank
// between two parts, which stands for the line break.
func checkProvenance(t interface{ Fatalf(string, ...any) }, name, text string) {
	lines, diags := prescanAs(name, text)
	file := diags.File
	for i := range lines {
		l := &lines[i]
		if l.Text == "" && !l.Broken {
			t.Fatalf("line %d is empty", i)
		}
		for off := range len(l.Text) {
			pos := l.Pos(off)
			line := file.Line(pos.Line)
			if l.Text[off] == ' ' {
				continue
			}
			if pos.Col > len(line) || line[pos.Col-1] != l.Text[off] {
				t.Fatalf("byte %d of %q is not at %v", off, l.Text, pos)
			}
			if off > 0 && pos.Before(l.Pos(off-1)) {
				t.Fatalf("byte %d of %q stands in front of the one before", off, l.Text)
			}
		}
	}
}

func TestProvenance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkProvenance(t, "in.hpf", sourceText.Draw(t, "text")) })
	rapid.Check(t, func(t *rapid.T) { checkProvenance(t, "in.f", sourceText.Draw(t, "text")) })
}

// FuzzScan: whatever the text, the scanner ends, provenance holds, and tokens
// are made of the bytes that the line has.
func FuzzScan(f *testing.F) {
	f.Add("program p\n10 x = a + & ! c\n  &b; y = 'it''s&\n  & so'\n!HPF$ ALIGN a & \n!HPF$ & WITH b\nend")
	f.Add("x = 'a\n!hpf$\n&\n&&\n;;\n# x\n99999999999 continue")
	f.Add("      PROGRAM P\n10    DO20I=1,5\n     & ;X='IT''S\n     1'\nCHPF$ ALIGNAWITHB\nCHPF$1(I)\n20    FORMAT(5H A'B!)\n\tREAL*8E1\n\t1,H\n     E N D")
	f.Add("      IF(X)ELSEIF(Y)THENZ\n      REAL*8FUNCTIONF(X)\n      ASSIGN10TOI\nCHPF$ ALIGNWITHWITHWITHT(I)::A\n      X:DO10WHILE(X)\n      IF(A)IF(B)IF(")
	f.Fuzz(func(t *testing.T, text string) {
		checkTokens(t, "in.hpf", text)
		checkTokens(t, "in.f", text)
	})
}

func checkTokens(t *testing.T, name, text string) {
	checkProvenance(t, name, text)
	lines, _ := prescanAs(name, text)
	for i := range lines {
		toks, _ := lines[i].Tokens(nil)
		last := -1
		for _, tok := range toks {
			if tok.Pos.Offset < last || tok.Pos.Offset+len(tok.Value) > len(lines[i].Text) {
				t.Fatalf("token %v lies outside %q", tok, lines[i].Text)
			}
			if !strings.EqualFold(lines[i].Text[tok.Pos.Offset:][:len(tok.Value)], tok.Value) {
				t.Fatalf("token %v is not in %q", tok, lines[i].Text)
			}
			last = tok.Pos.Offset
		}
		if !toks[len(toks)-1].EOF() {
			t.Fatalf("the tokens of %q do not end", lines[i].Text)
		}
		scan.Classify(toks)
		scan.ClassifyDirective(toks)
	}
}

var kindLetters = map[lexer.TokenType]string{
	scan.Ident: "name", scan.Int: "int", scan.Real: "real", scan.String: "string",
	scan.Logical: "logical", scan.DotOp: "dotop", scan.Op: "op", lexer.EOF: "end",
}

// spell writes tokens as "name:x op:= int:3".
func spell(toks []lexer.Token) string {
	var out []string
	for _, tok := range toks {
		if !tok.EOF() {
			out = append(out, kindLetters[tok.Type]+":"+tok.Value)
		}
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Abc_1 = 3", "name:abc_1 op:= int:3"},
		{"1.eq.2", "int:1 dotop:.eq. int:2"},
		{"1..eq.2.", "real:1. dotop:.eq. real:2."},
		{"1.5.lt..5", "real:1.5 dotop:.lt. real:.5"},
		{"1e5 1.e5 1.E+5 1D0 1.d-3 2.5e", "real:1e5 real:1.e5 real:1.e+5 real:1d0 real:1.d-3 real:2.5 name:e"},
		{"1.e5.gt.x", "real:1.e5 dotop:.gt. name:x"},
		{"42_8 1.0_dp 1_", "int:42_8 real:1.0_dp int:1"},
		{"'it''s' \"A\"\"b\" ''", "string:'it''s' string:\"A\"\"b\" string:''"},
		{"'Case' // Name", "string:'Case' op:// name:name"},
		{".TRUE. .False. .Not.", "logical:.true. logical:.false. dotop:.not."},
		{"a**b*c//d/=e==f<=g>=h<i>j=>k", "name:a op:** name:b op:* name:c op:// name:d op:/= name:e op:== name:f op:<= name:g op:>= name:h op:< name:i op:> name:j op:=> name:k"},
		{"x::y(1:2)%z[3],", "name:x op::: name:y op:( int:1 op:: int:2 op:) op:% name:z op:[ int:3 op:] op:,"},
		{"a.b", "name:a op:. name:b"},
		{"2x", "int:2 name:x"},
	} {
		// Digits at the beginning of a line would be a label. "1_" ends with a
		// character that is no token.
		lines, _ := prescan("= " + tt.text)
		toks, d := lines[0].Tokens(nil)
		if got := spell(toks[1:]); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
		if (d != nil) != strings.HasSuffix(tt.text, "1_") {
			t.Errorf("%q: diagnostic %v", tt.text, d)
		}
	}
}

func TestNoToken(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, tt := range []struct{ text, want string }{
		{"x = @", "1:5: the character @ is not used in Fortran outside strings [syntax]"},
		{"x = ö", "1:5: the character ö is not used in Fortran outside strings [syntax]"},
		{"x = \xff", "1:5: a byte that is not UTF-8 text stands outside a string [syntax]"},
		{"x = \x01", "1:5: a control character stands outside a string [syntax]"},
		{"x = \x7f", "1:5: a control character stands outside a string [syntax]"},
		{"x = " + long, ""},
		{"x = " + long + "b", "1:5: the name is too long [syntax]"},
		{"x = 'ö\x01'", ""},
	} {
		lines, _ := prescan(tt.text)
		got := ""
		if _, d := lines[0].Tokens(nil); d != nil {
			got = d.Error()
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestDefinition runs the lexer by participle's interface.
func TestDefinition(t *testing.T) {
	lex, err := scan.Definition{}.Lex("", strings.NewReader("X = 1.5"))
	if err != nil {
		t.Fatal(err)
	}
	toks, err := lexer.ConsumeAll(lex)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spell(toks), "name:x op:= real:1.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := toks[2].Pos; p.Line != 1 || p.Column != 5 || p.Offset != 4 {
		t.Errorf("the third token is at %v", p)
	}
	if _, err := (scan.Definition{}).LexString("", "x = ?"); err == nil {
		t.Error("no error for a character that Fortran does not have")
	}
}

func TestFormOf(t *testing.T) {
	for name, free := range map[string]bool{
		"a.hpf": true, "a.f90": true, "a": true, "dir.f/a.hpf": true, "a.F08": true,
		"a.f": false, "a.F": false, "x/a.for": false, "a.ftn": false, "a.FOR": false,
	} {
		if got := scan.FormOf(name) == (scan.FreeForm{}); got != free {
			t.Errorf("%s: free form %v, want %v", name, got, free)
		}
	}
}
