package parser_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/load"
)

// TestPrograms: what several files are together; the modules come in an order in
// which each precedes those that use it.
func TestPrograms(t *testing.T) {
	text := map[string]string{
		"main.f90":  "program p\nuse a\nend\n",
		"other.f":   "      PROGRAM Q\n      END\n",
		"nameless":  "i = 3\nend\n",
		"a.f90":     "module a\nuse b\ncontains\nsubroutine s\nuse c\nend subroutine\nend module\nmodule d\nend module\n",
		"b.f":       "      MODULE B\n      USEC\n      END\n",
		"c.f90":     "module c\nend module\nsubroutine sub\nend\n",
		"cycle.f90": "module c\nuse a\nend module\n",
		"open.f90":  "subroutine s\ndo i = 1, 3\n",
		"empty.f90": "! nothing\n",
	}
	for _, tt := range []struct{ files, want string }{
		{"main.f90 a.f90 b.f c.f90", "c b a d | p | sub"},
		{"a.f90 c.f90 main.f90 b.f", "c b a d | p | sub"},
		{"c.f90 empty.f90 nameless b.f", "c b | main | sub"},
		{"b.f c.f90", "c.f90:4:4: there is no main program [unbalanced-block]"},
		{"main.f90 b.f other.f", "other.f:1:7: a second program [outside-subset]"},
		{"open.f90 nameless", "open.f90:2:12: END DO is missing [unbalanced-block] (and 1 more)"},
		{"nameless a.f90 cycle.f90 b.f", "c b a d | main | "},
	} {
		var files []load.Text
		for name := range strings.FieldsSeq(tt.files) {
			files = append(files, load.Text{Name: name, Text: []byte(text[name])})
		}
		tree, diags := parser.ParseProgram(load.Read(files, load.Options{}))
		var got strings.Builder
		if err := diags.Err(); err != nil {
			got.WriteString(err.Error())
		} else {
			for _, m := range tree.Modules {
				got.WriteString(m.Name + " ")
			}
			got.WriteString("| " + tree.Program.Name + " | ")
			for _, s := range tree.Procedures {
				got.WriteString(s.Name)
			}
		}
		if got.String() != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.files, got.String(), tt.want)
		}
	}
}
