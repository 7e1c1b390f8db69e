package comm_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir"
)

// A comment !WANT "text" "more" in testdata/want/*.hpf says what the analysis
// must find out about its line. Each text must be part of one of the line's
// verdicts, and each verdict that costs something must contain a text: a
// communication that nobody wants fails the test like one that is missing.
//
// The verdicts of a line are
//
//	shift u(i-1,j): what moves; C 7, CO 7, UO 11, hoisted   a communication of one of its references
//	sum s, by the owner of a(i)                             a reduction
//	together: why                                           a loop that all PEs follow together
//	gathered: why                                           a fallback
//	divided: i by the owner of a(i)                         a region that starts there (costs nothing)
//	ends #1                                                 a jump that ends communications (costs nothing)
//	at home: a(i)                                           a distributed element that does not move (costs nothing)

// verdict is what the analysis decided about a line.
type verdict struct {
	text  string
	costs bool
}

// verdicts lists them by line.
func verdicts(p *comm.Program) map[int][]verdict {
	v := map[int][]verdict{}
	add := func(line int, costs bool, format string, args ...any) {
		v[line] = append(v[line], verdict{fmt.Sprintf(format, args...), costs})
	}
	for _, c := range p.Comms {
		seen := map[string]bool{}
		for _, r := range c.Refs {
			text := fmt.Sprintf("%d %s", r.Pos.Line, ir.ExprString(r))
			if seen[text] {
				continue
			}
			seen[text] = true
			hoisted := ""
			if c.Region != nil && len(c.Region.Stmts) > 0 && c.CLine != c.Region.Stmts[0].Position().Line {
				hoisted = ", hoisted"
			}
			add(r.Pos.Line, true, "%s %s: %s; C %d, CO %d, UO %d%s", c.Kind, ir.ExprString(r), c.Moves(), c.CLine, c.COLine, c.UOLine, hoisted)
		}
	}
	for _, r := range p.Reduces {
		lead := ""
		if len(r.Lead) > 0 {
			lead = ", one of its copies counts"
		}
		add(r.Line, true, "%s %s, by the owner of %s%s", r.Name, r.Sym.Name, ir.ExprString(r.By), lead)
	}
	ir.WalkExprs(p.IR.Body, func(s ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && r.Sym.Distributed() {
			if a := p.Access[r]; a != nil && a.Comm == nil {
				add(r.Pos.Line, false, "at home: %s", ir.ExprString(r))
			}
		}
		return true
	})
	var visit func(list []comm.Node)
	visit = func(list []comm.Node) {
		for i, n := range list {
			switch n := n.(type) {
			case *comm.Region:
				line := n.Stmts[0].Position().Line
				if n.Fallback {
					add(line, true, "gathered: %s", n.Why)
					continue
				}
				text := form(&comm.Program{IR: &ir.Program{}, Body: []comm.Node{n}})
				if n.Loops() || len(n.Guard) > 0 {
					_, text, _ = strings.Cut(strings.TrimSpace(strings.Split(text, "\n")[0]), strconv.Itoa(line))
					add(line, false, "divided%s", strings.TrimLeft(text, "-0123456789"))
				}
			case *comm.Done:
				if i+1 < len(list) {
					if j, ok := list[i+1].(*comm.Simple); ok {
						add(j.Stmt.Position().Line, false, "ends%s", ids(n.Comms))
					}
				}
			case *comm.Loop:
				if why := p.Notes[n.Do]; why != "" {
					add(n.Do.Pos.Line, true, "together: %s", why)
				}
				visit(n.Body)
			case *comm.WhileLoop:
				visit(n.Pre)
				visit(n.Body)
			case *comm.Branch:
				visit(n.Then)
				visit(n.Else)
			}
		}
	}
	visit(p.Body)
	return v
}

// unmet lists where source and verdicts differ.
func unmet(source string, v map[int][]verdict) []string {
	var out []string
	for i, line := range strings.Split(source, "\n") {
		n := i + 1
		texts, err := golden.Wanted(line)
		if err != nil {
			out = append(out, fmt.Sprintf("%d: %v", n, err))
			continue
		}
		var all strings.Builder
		for _, x := range v[n] {
			all.WriteString("\n\t" + x.text)
		}
		for _, t := range texts {
			found := false
			for _, x := range v[n] {
				found = found || strings.Contains(x.text, t)
			}
			if !found {
				out = append(out, fmt.Sprintf("%d: want %q, have%s", n, t, all.String()))
			}
		}
		for _, x := range v[n] {
			ok := !x.costs
			for _, t := range texts {
				ok = ok || strings.Contains(x.text, t)
			}
			if !ok {
				out = append(out, fmt.Sprintf("%d: unwanted: %s", n, x.text))
			}
		}
	}
	return out
}

func TestWant(t *testing.T) {
	files, err := filepath.Glob("testdata/want/*.hpf")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d programs with wants: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".hpf"), func(t *testing.T) {
			text := readFile(t, file)
			for _, u := range unmet(text, verdicts(analyze(t, text))) {
				t.Errorf("%s:%s", file, u)
			}
			for _, np := range []int{1, 3, 4} {
				if d := compare(text, np); d != "" {
					t.Errorf("on %d PEs: %s", np, d)
				}
			}
		})
	}
}

// TestWantNotices: what TestWant is there to notice.
func TestWantNotices(t *testing.T) {
	const program = `program p
  implicit none
  integer :: a(8), b(8), i
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
  do i = 1, 8
    a(i) = i
  end do
  do i = 2, 8
    b(i) = a(i-1) + a(i)   %s
  end do
end program
`
	for _, c := range []struct{ comment, unmet string }{
		{`!WANT "shift a(i-1)"`, ""},
		{`!WANT "shift a(i-1): a(i - 1) of the neighbours" "UO 11" "at home: a(i)"`, ""},
		{``, `10: unwanted: shift a(i-1): `},
		{`!WANT "at home: a(i)"`, `10: unwanted: shift a(i-1): `},
		{`!WANT "remap"`, `10: want "remap", have`},
		{`!WANT "shift" "hoisted"`, `10: want "hoisted", have`},
		{`!WANT shift`, `10: after !WANT: found "shift", expected quoted texts`},
		{`!WANT "shift`, `10: after !WANT: found "\"shift", expected quoted texts`},
	} {
		text := fmt.Sprintf(program, c.comment)
		got := strings.Join(unmet(text, verdicts(analyze(t, text))), "\n")
		if c.unmet == "" && got != "" || !strings.HasPrefix(got, c.unmet) {
			t.Errorf("%s: %q, want %q", c.comment, got, c.unmet)
		}
	}
}
