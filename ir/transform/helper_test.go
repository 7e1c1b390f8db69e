package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
)

// program is the typed program of text, with mappings.
func program(t testing.TB, text string) *ir.Program {
	t.Helper()
	p, diags := irtest.Lower(t, text)
	if !diags.HasErrors() {
		mapping.Resolve(p, diags)
	}
	if diags.HasErrors() {
		t.Fatalf("unexpected errors:\n%s\n%s", irtest.Report(diags), text)
	}
	return p
}

// apply is one transformation of one statement; nil, nil where the kind is not
// for such statements.
func apply(a *transform.Analysis, kind transform.Kind, s ir.Stmt) (*transform.Change, error) {
	switch s := s.(type) {
	case *ir.Do:
		switch kind {
		case transform.Distribute:
			return a.Distribute(s)
		case transform.Interchange:
			return a.Interchange(s)
		case transform.Expand:
			return a.Expand(s)
		case transform.Peel:
			return a.Peel(s)
		case transform.Split:
			return a.Split(s)
		case transform.Replicate:
			return a.Replicate(s)
		case transform.Redistribute:
			return a.Redistribute(s)
		case transform.Wrap:
			return a.Wrap(s)
		case transform.Hoist:
			return a.Hoist(s)
		case transform.Periodic:
			return a.Periodic(s)
		case transform.Guard:
			if transform.Picks(s) {
				return a.Stride(s)
			}
		case transform.Gather:
			if arrays := vectors(s); len(arrays) > 0 {
				return a.Gather(s, arrays, "a test wants it")
			}
		}
	case *ir.If:
		if kind == transform.Guard {
			return a.Unguard(s)
		}
	}
	return nil, nil
}

// vectors are the distributed arrays of one dimension in loop: it does not take long to
// copy them.
func vectors(loop *ir.Do) (list []*ir.Symbol) {
	ir.WalkExprs(loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && r.Sym.Distributed() && len(r.Subs) == 1 && !slices.Contains(list, r.Sym) {
			list = append(list, r.Sym)
		}
		return true
	})
	return list
}

// inside lists the statements of a program, inner ones first.
func inside(body []ir.Stmt) []ir.Stmt {
	var list []ir.Stmt
	for _, s := range body {
		for _, b := range ir.Bodies(s) {
			list = append(list, inside(b)...)
		}
		list = append(list, s)
	}
	return list
}

// substitute is p with the change made.
func substitute(p *ir.Program, c *transform.Change) *ir.Program {
	q := *p
	q.Body, _ = transform.Substitute(p.Body, c)
	q.Symbols = append(slices.Clip(p.Symbols), c.Symbols...)
	return &q
}

func analysis(p *ir.Program) *transform.Analysis { return transform.New(p, scalar.Analyze(p)) }

// statements is p without its head, as text.
func statements(t testing.TB, p *ir.Program) string {
	t.Helper()
	var b strings.Builder
	if err := ir.Fprint(&b, p); err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(b.String()) {
		if _, text, ok := strings.Cut(line, " | "); ok && strings.HasPrefix(text, "   ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
