package choose

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
)

// fprint is p as text, from its first statement on.
func fprint(t testing.TB, p *ir.Program) string {
	t.Helper()
	var b bytes.Buffer
	if err := ir.Fprint(&b, p); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		if _, text, _ := strings.Cut(line, " | "); strings.HasPrefix(text, "   ") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestGolden: testdata/*.txtar hold programs, what is said of them, and what
// becomes of them.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		p := front.Must(t, front.Program, a.Files[0].Text)
		r := Choose(p, scalar.Analyze(p), Options{})
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		a.Compare(t, golden.File{Name: "explain", Text: r.Explain()}, golden.File{Name: "out", Text: fprint(t, r.IR)})
	})
}

// TestExamples: on every example the search leaves its input alone, gives a well
// formed program, and gives it twice. Without transformations it gives the input.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../../examples/*/*.hpf")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d examples: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".hpf"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p := front.Must(t, front.Program, string(text))
			before := fprint(t, p)
			first := Choose(p, scalar.Analyze(p), Options{})
			if d := cmp.Diff(before, fprint(t, p)); d != "" {
				t.Errorf("the program has changed (-before +after):\n%s", d)
			}
			if err := first.Check(); err != nil {
				t.Error(err)
			}
			second := Choose(p, scalar.Analyze(p), Options{})
			if first.Explain() != second.Explain() || fprint(t, first.IR) != fprint(t, second.IR) {
				t.Error("the search gives another program the second time")
			}
			none := Choose(p, scalar.Analyze(p), Options{Without: transform.Kinds})
			if len(none.Decisions) > 0 || fprint(t, none.IR) != before {
				t.Errorf("without transformations: %s", none.Explain())
			}
		})
	}
}

// stepped is a program of many loops that all PEs step through, in one unit.
func stepped(n int) string {
	return `program stepped
  integer :: z(9,9), d(9), i, it
!HPF$ DISTRIBUTE z(BLOCK,*)
!HPF$ ALIGN d(i) WITH z(i,*)
  do it = 1, 9
` + strings.Repeat(`    do i = 1, 9
      d(i) = z(9,i)
      z(9,i) = it
    end do
`, n) + `  end do
end program stepped
`
}

// TestBudget: a search that has no work left says what it did not try.
func TestBudget(t *testing.T) {
	count := func(r *Result, v Verdict) int {
		n := 0
		for _, d := range r.Decisions {
			if d.Verdict == v {
				n++
			}
		}
		return n
	}
	p := front.Must(t, front.Program, stepped(12))
	all := choose(p, scalar.Analyze(p), Options{}, leastWork)
	if n := count(all, Chosen); n != 12 {
		t.Errorf("%d loops are distributed, want 12\n%s", n, all.Explain())
	}
	some := choose(p, scalar.Analyze(p), Options{}, 60)
	if n, m := count(some, Chosen), count(some, Untried); n != 0 || m < 12 || fprint(t, some.IR) != fprint(t, p) {
		t.Errorf("with hardly any work %d are distributed and %d not tried\n%s", n, m, some.Explain())
	}
	if err := some.Check(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(some.Explain(), "not tried:") {
		t.Errorf("the text does not tell what was not tried:\n%s", some.Explain())
	}
}

// TestTogether: with too little work to try them one by one, loops are tried
// several at once, and all are distributed all the same. Where that does not pay,
// fewer are tried, down to one.
func TestTogether(t *testing.T) {
	p := front.Must(t, front.Program, stepped(60))
	r := choose(p, scalar.Analyze(p), Options{}, 10*work(size(p.Body)))
	together := 0
	for _, d := range r.Decisions {
		if d.Verdict == Chosen {
			together = max(together, d.Together)
		}
	}
	if n := strings.Count(fprint(t, r.IR), " do i = "); n != 120 || together < 10 {
		t.Errorf("%d loops, want 120; up to %d tried together, want 10 or more\n%s", n, together, r.Explain())
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}

	// Guards that had better stay: without them each loop sends a message for
	// every element instead of one in all.
	text := `program guards
  integer :: a(9,9), c(9), d(9), i, j, s, it
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN (i) WITH a(i,*) :: c, d
  do it = 1, 9
` + strings.Repeat(`    do j = 2, 5
      s = it
      if (j <= 5) then
        do i = j, 5
          s = s + a(i,j)
          c(i) = c(i) + a(i,j)
        end do
      end if
      d(j) = s
    end do
`, 7) + `  end do
end program guards
`
	p = front.Must(t, front.Program, text)
	o := Options{Without: []transform.Kind{transform.Distribute, transform.Peel}}
	r = choose(p, scalar.Analyze(p), o, 12*work(size(p.Body)))
	noGain := 0
	for _, d := range r.Decisions {
		if d.Verdict == NoGain {
			noGain++
		}
	}
	if noGain == 0 || fprint(t, r.IR) != fprint(t, p) {
		t.Errorf("%d guards were tried alone\n%s", noGain, r.Explain())
	}
}

// TestWithout: kinds can be left out one by one.
func TestWithout(t *testing.T) {
	misordered := `program p
  integer :: a(100,100), i, j
!HPF$ DISTRIBUTE a(*,BLOCK)
  do i = 1, 100
    do j = 1, 100
      a(i,j) = 0
    end do
  end do
end program p
`
	for file, kinds := range map[string][]transform.Kind{
		"../../../examples/tred2/tred2.hpf": {transform.Distribute, transform.Guard, transform.Expand, transform.Peel},
		"../../../benchmarks/floyd.hpf":     {transform.Split},
		"":                                  {transform.Interchange},
	} {
		text, err := os.ReadFile(file)
		if file == "" {
			text, err = []byte(misordered), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		p := front.Must(t, front.Program, string(text))
		for _, kind := range transform.Kinds {
			r := Choose(p, scalar.Analyze(p), Options{Without: []transform.Kind{kind}})
			chosen := map[transform.Kind]bool{}
			for _, d := range r.Decisions {
				chosen[d.Kind] = chosen[d.Kind] || d.Verdict == Chosen
			}
			for _, k := range kinds {
				if chosen[k] != (k != kind) {
					t.Errorf("%s: without %s, %s is chosen: %v", file, kind, k, chosen[k])
				}
			}
		}
	}
}

// TestCheck: programs that are not well formed are found out.
func TestCheck(t *testing.T) {
	result := func() *Result {
		p := front.Must(t, front.Program, `program p
  integer :: i, k
  do i = 1, 3
    if (k > i) exit
    k = k + 1
  end do
end program p
`)
		return Choose(p, scalar.Analyze(p), Options{})
	}
	for _, test := range []struct {
		name, want string
		spoil      func(loop *ir.Do)
	}{
		{"nothing", "", func(*ir.Do) {}},
		{"statement twice", "the statement occurs twice", func(d *ir.Do) { d.Body = append(d.Body, d.Body[1]) }},
		{"expression twice", "the expression i occurs twice", func(d *ir.Do) {
			b := d.Body[0].(*ir.If).Cond.(*ir.Bin)
			d.Body[1].(*ir.Assign).RHS = b.R
		}},
		{"jump elsewhere", "its loop is not around it", func(d *ir.Do) {
			other := *d
			d.Body[0].(*ir.If).Then[0].(*ir.Exit).Loop = &other
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := result()
			test.spoil(r.IR.Body[0].(*ir.Do))
			err := r.Check()
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestCost: the estimate orders programs as their messages do.
func TestCost(t *testing.T) {
	head := `program p
  double precision :: z(40,40), d(40), e(40), s
  integer :: i, j, k, n
!HPF$ DISTRIBUTE z(BLOCK,*)
!HPF$ ALIGN (i) WITH z(i,*) :: d, e
  read *, n
`
	for _, test := range []struct{ name, cheap, dear string }{
		{"one message for all iterations", `
  do i = 1, n
    d(i) = z(n,i)
  end do
  do i = 1, n
    z(n,i) = 0
  end do`, `
  do i = 1, n
    d(i) = z(n,i)
    z(n,i) = 0
  end do`},
		{"a divided loop", `
  do i = 1, n
    d(i) = i
  end do
  do i = 1, n
    z(3,i) = i
  end do`, `
  do i = 1, n
    d(i) = i
    z(3,i) = i
  end do`},
		{"a loop over fewer elements", `
  do i = 1, 9
    d(i) = z(n,i)
    z(n,i) = 0
  end do`, `
  do i = 1, 30
    d(i) = z(n,i)
    z(n,i) = 0
  end do`},
		{"a reduction on every path", `
  do j = 2, n
    s = d(j-1)
    do k = 1, n
      s = s + z(k,j)
      z(k,j) = j
    end do
    d(j) = s
  end do`, `
  do j = 2, n
    s = d(j-1)
    if (j < n) then
      do k = 1, n
        s = s + z(k,j)
        z(k,j) = j
      end do
    end if
    d(j) = s
  end do`},
		{"a condition on data excludes messages", `
  do j = 1, n
    if (s > 0) then
      d(j) = z(n,j)
      z(n,j) = 0
    end if
  end do`, `
  do j = 1, n
    if (j /= 3) then
      d(j) = z(n,j)
      z(n,j) = 0
    end if
  end do`},
	} {
		t.Run(test.name, func(t *testing.T) {
			estimate := func(body string) float64 {
				p := front.Must(t, front.Program, head+body+"\nend program p\n")
				total, _ := cost(comm.Analyze(p, scalar.Analyze(p)))
				return total
			}
			if a, b := estimate(test.cheap), estimate(test.dear); a >= b {
				t.Errorf("cost %.2f, want less than %.2f", a, b)
			}
		})
	}
}

// TestGather: a loop in which no PE has a part of the work for itself is executed on
// gathered arrays where the messages of its iterations cost more; the outermost such loop.
// Where some of its work is divided it has to save much. It is not possible where control
// leaves it.
func TestGather(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       []string // the loops that are, as the text names them
		refused    bool
	}{
		{"a list says which elements", `
  do k = 1, 20
    do i = 1, n
      x(l(i)) = x(l(i)) + x(l(n-i+1))
    end do
  end do`, []string{"line 7, do k: x"}, false},
		{"beside work that is divided", `
  do k = 1, 20
    do i = 1, n
      y(i) = y(i) + k
    end do
    do j = 1, 9
      do i = 1, n
        x(l(i)) = x(l(i)) + j
      end do
    end do
  end do`, []string{"line 11, do j: x"}, false},
		{"all of it divided", `
  do k = 1, 20
    do i = 2, n
      y(i) = x(i-1)
    end do
  end do`, nil, false},
		{"beside work that is divided, often", `
  do k = 1, 5000
    x(l(mod(k,n)+1)) = x(l(mod(k,7)+1)) + 1
    do i = 1, n
      y(i) = y(i) + x(l(mod(k,n)+1))
    end do
  end do`, []string{"line 7, do k: x"}, false},
		{"with a sum in parts", `
  do i = 1, n
    do j = 1, n
      x(i) = x(i) + y(j)*i
      x(j) = x(j) - y(i)*j
    end do
  end do`, []string{"line 7, do i: x"}, false},
		{"it prints", `
  do k = 1, 20
    do i = 1, n
      x(l(i)) = x(l(i)) + k
    end do
    print *, k
  end do`, []string{"line 7, do k: x"}, false},
		{"left", `
outer: do j = 1, 20
  do i = 1, n
    x(l(i)) = x(l(n-i+1)) + j
    if (x(l(i)) > 5) exit outer
  end do
  end do outer`, []string{"line 7, do j: x"}, true},
	} {
		p := front.Must(t, front.Program, `program gathers
  integer, parameter :: n = 1000
  integer :: x(n), y(n), l(n), i, j, k
!HPF$ DISTRIBUTE x(BLOCK)
!HPF$ ALIGN y(i) WITH x(i)
  l(1) = 1`+x.body+`
  print *, x(1), y(1)
end program
`)
		r := Choose(p, scalar.Analyze(p), Options{})
		var got []string
		refused := false
		for _, d := range r.Decisions {
			if d.Kind != transform.Gather {
				continue
			}
			if d.Verdict == Chosen {
				_, arrays, _ := strings.Cut(d.What, "copies of ")
				_, loop, _ := strings.Cut(d.Head, "do ")
				got = append(got, fmt.Sprintf("line %d, do %s: %s", d.Line, loop[:1], arrays))
			}
			refused = refused || d.Verdict == Impossible
		}
		if !slices.Equal(got, x.want) || refused != x.refused {
			t.Errorf("%s: gathered %q, refused %v, want %q, %v\n%s", x.name, got, refused, x.want, x.refused, r.Explain())
		}
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}
