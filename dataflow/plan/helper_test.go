package plan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// makePlan plans the program text.
func makePlan(t testing.TB, text string, k plan.Kind) *plan.Plan {
	t.Helper()
	tree, diags := parser.Parse("in.hpf", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	p := lower.Lower(tree, diags)
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	return plan.Make(comm.Analyze(p, scalar.Analyze(p)), k)
}

// programs are those of the neighbours' tests and the examples, by name.
func programs(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../../examples/*/*.hpf", "../../cfg/comm/testdata/want/*.hpf", "../../cfg/comm/testdata/*.txtar", "testdata/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no programs: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(path)] = string(text)
			if filepath.Ext(path) == ".txtar" {
				_, sections := readArchive(string(text))
				all[filepath.ToSlash(path)] = sections[0].data
			}
		}
	}
	return all
}

// section is one file of a txtar archive.
type section struct{ name, data string }

// readArchive splits a txtar archive; what stands before the first file is the
// comment.
func readArchive(text string) (comment string, sections []section) {
	a := txtar.Parse([]byte(text))
	for _, f := range a.Files {
		sections = append(sections, section{name: f.Name, data: string(f.Data)})
	}
	return string(a.Comment), sections
}

func writeArchive(comment string, sections []section) string {
	a := txtar.Archive{Comment: []byte(comment)}
	for _, s := range sections {
		a.Files = append(a.Files, txtar.File{Name: s.name, Data: []byte(s.data)})
	}
	return string(txtar.Format(&a))
}

// sketch is the text of a plan, taken apart so that a test can spoil it.
type sketch struct {
	head  []string // the plan line, slots, loops
	nodes []sketchNode
}

type sketchNode struct {
	text  string // without number and successors
	succs []int
}

func takeApart(t testing.TB, text string) *sketch {
	t.Helper()
	s := &sketch{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		number, rest, _ := strings.Cut(line, " ")
		if strings.Trim(number, "0123456789") != "" {
			s.head = append(s.head, line)
			continue
		}
		n := sketchNode{text: rest}
		if at := strings.LastIndex(rest, " ->"); at >= 0 {
			n.text = rest[:at]
			for _, f := range strings.Fields(rest[at+3:]) {
				var succ int
				if _, err := fmt.Sscan(f, &succ); err != nil {
					t.Fatal(err)
				}
				n.succs = append(n.succs, succ)
			}
		}
		s.nodes = append(s.nodes, n)
	}
	return s
}

// String puts the text together again, with nodes numbered as they stand.
func (s *sketch) String() string {
	var b strings.Builder
	for _, h := range s.head {
		b.WriteString(h + "\n")
	}
	for i, n := range s.nodes {
		fmt.Fprintf(&b, "%d %s", i, n.text)
		if len(n.succs) > 0 {
			b.WriteString(" ->")
		}
		for _, x := range n.succs {
			fmt.Fprintf(&b, " %d", x)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// clone copies s.
func (s *sketch) clone() *sketch {
	c := &sketch{head: append([]string(nil), s.head...)}
	for _, n := range s.nodes {
		c.nodes = append(c.nodes, sketchNode{n.text, append([]int(nil), n.succs...)})
	}
	return c
}

// drop takes out node i, which has one successor.
func (s *sketch) drop(i int) {
	to := s.nodes[i].succs[0]
	for k := range s.nodes {
		for j, x := range s.nodes[k].succs {
			if x == i {
				x = to
			}
			if x > i {
				x--
			}
			s.nodes[k].succs[j] = x
		}
	}
	s.nodes = append(s.nodes[:i], s.nodes[i+1:]...)
}

// insert puts a node with one successor on all edges to node i.
func (s *sketch) insert(i int, text string) {
	for k := range s.nodes {
		for j, x := range s.nodes[k].succs {
			if x > i {
				s.nodes[k].succs[j]++
			}
		}
	}
	s.nodes = append(s.nodes[:i], append([]sketchNode{{text, []int{i + 1}}}, s.nodes[i:]...)...)
}

// find lists the nodes whose text starts with a prefix.
func (s *sketch) find(prefix string) []int {
	var out []int
	for i, n := range s.nodes {
		if strings.HasPrefix(n.text, prefix+" ") || n.text == prefix {
			out = append(out, i)
		}
	}
	return out
}
