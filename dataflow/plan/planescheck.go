package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spmdc/spmdc/cfg"
)

// This file checks that successive executions of a communication fill different
// planes. It knows the graph alone, in the texts of which it finds the assignments;
// what it cannot read as one may have set each scalar that it names.

// integer is what the check knows of a value: an even number and an odd one are told
// apart, and constants from each other. The zero value is no number at all.
type integer struct {
	kind byte // 'e' even, 'o' odd, 'c' constant
	c    int
}

func parity(c int) integer { return integer{kind: "eo"[c&1]} }

// parity of any number.
func (x integer) parity() integer {
	if x.kind == 'c' {
		return parity(x.c)
	}
	return x
}

// planeCheck is one check.
type planeCheck struct {
	graph *cfg.Graph
	comm  int
	sub   string
	small bool // no constants
	names []string
	sets  map[int]assignment // by node
	any   map[int][]string   // by node: what it may have set to anything
}

type assignment struct{ name, value string }

// planeAt is what holds in front of a node on some way: values of names, then that of
// the subscript in the last execution.
type planeAt struct {
	node   int
	values string
}

// checkPlanes holds what the slot's plane is said to be against what the communication
// brings.
func (s *Slot) checkPlanes() error {
	c, p := s.Comm, s.Planes
	switch {
	case p == nil || s.Staged || s.Count != 2:
		return fmt.Errorf("#%d has %d slots in an overlap, which are not planes by turns", c.ID, s.Count)
	case !c.Overlap || c.Subs != nil || p.Comm != c.ID || p.Dim < 1 || p.Dim > len(c.Axes):
		return fmt.Errorf("#%d fills no planes of an overlap", c.ID)
	}
	ax := c.Axes[p.Dim-1]
	if c.Array.Mapping.Map.Axes[p.Dim-1].Grid >= 0 || ax.All || len(ax.Terms) > 0 || !ax.Off.Equal(p.Sub) {
		return fmt.Errorf("what #%d brings does not have subscript %v in dimension %d", c.ID, p.Sub, p.Dim)
	}
	return nil
}

// checkPlanes checks a claim.
func checkPlanes(g *cfg.Graph, p *Planes) error {
	return checkPlanesText(g, p.Comm, p.Sub.String())
}

func checkPlanesText(g *cfg.Graph, id int, sub string) error {
	c := newPlaneCheck(g, id, sub)
	if err := c.read(); err != nil {
		return err
	}
	err := c.walk()
	if err != nil {
		c.small = true
		err = c.walk()
	}
	return err
}

func newPlaneCheck(g *cfg.Graph, id int, sub string) *planeCheck {
	return &planeCheck{graph: g, comm: id, sub: sub, sets: map[int]assignment{}, any: map[int][]string{}}
}

// integers wants the scalars that a claim rests on to be INTEGER, which the texts of
// the graph do not tell.
func (p *Plan) integers(planes *Planes) error {
	c := newPlaneCheck(p.Graph, planes.Comm, planes.Sub.String())
	if err := c.read(); err != nil {
		return err
	}
	for _, s := range p.Program.IR.Symbols {
		if slices.Contains(c.names, s.Name) && (s.IsArray() || !s.Type.IsInteger()) {
			return fmt.Errorf("the planes of #%d depend on %s, which is not an INTEGER scalar", planes.Comm, s.Name)
		}
	}
	return nil
}

// words are the names in a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}

// plain reports whether text is a name.
func plain(text string) bool {
	w := words(text)
	return len(w) == 1 && w[0] == text && (unicode.IsLetter(rune(text[0])))
}

// read finds the assignments.
func (c *planeCheck) read() error {
	all := map[int]assignment{}
	for _, n := range c.graph.Nodes {
		if n.Kind == cfg.Stmt {
			if name, value, ok := strings.Cut(n.Text, " = "); ok && plain(name) {
				all[n.ID] = assignment{name, value}
			}
		}
	}
	follow := func(text string) {
		for _, w := range words(text) {
			if plain(w) && w != "mod" && !slices.Contains(c.names, w) {
				c.names = append(c.names, w)
			}
		}
	}
	follow(c.sub)
	for k := 0; k < len(c.names) && k <= mostScalars; k++ {
		for _, n := range c.graph.Nodes {
			if a, ok := all[n.ID]; ok && a.name == c.names[k] {
				follow(a.value)
				c.sets[n.ID] = a
			}
			if n.Kind == cfg.LoopHead && n.Loop.Index == c.names[k] {
				follow(n.Loop.Lo)
			}
		}
	}
	if len(c.names) > mostScalars {
		return fmt.Errorf("%q depends on more than %d scalars", c.sub, mostScalars)
	}
	for _, n := range c.graph.Nodes {
		if _, ok := all[n.ID]; ok {
			continue
		}
		text, _, element := strings.Cut(n.Text, ") = ")
		switch {
		case n.Kind == cfg.Reduce:
		case n.Kind != cfg.Stmt:
			continue
		case strings.HasPrefix(n.Text, "print ") || element && !strings.Contains(text, "'") && !strings.Contains(text, "[") && plain(strings.SplitN(text, "(", 2)[0]):
			continue
		}
		for _, w := range words(n.Text) {
			if slices.Contains(c.names, w) {
				c.any[n.ID] = append(c.any[n.ID], w)
			}
		}
	}
	return nil
}

// walk goes through all states.
func (c *planeCheck) walk() error {
	seen := map[planeAt]bool{}
	var work []planeAt
	visit := func(n *cfg.Node, values []integer) {
		key := make([]byte, 0, 4*len(values))
		for _, v := range values {
			key = append(key, v.kind)
			key = strconv.AppendInt(key, int64(v.c), 10)
			key = append(key, ' ')
		}
		at := planeAt{n.ID, string(key)}
		if !seen[at] {
			seen[at] = true
			work = append(work, at)
		}
	}
	states := [][]integer{make([]integer, len(c.names)+1)}
	for i := range c.names {
		states = split(states, i)
	}
	for _, v := range states {
		visit(c.graph.Entry, v)
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if len(seen) > mostStates {
			return fmt.Errorf("the scalars behind %q have too many values", c.sub)
		}
		values := make([]integer, 0, len(c.names)+1)
		for _, w := range strings.Fields(at.values) {
			v, _ := strconv.Atoi(w[1:])
			values = append(values, integer{w[0], v})
		}
		n := c.graph.Nodes[at.node]
		states, err := c.pass(n, values)
		if err != nil {
			return err
		}
		for _, m := range n.Succs {
			if m == nil {
				continue
			}
			next := states
			if i := slices.Index(c.names, headIndex(m)); i >= 0 {
				next = nil
				for _, v := range states {
					first := c.value(m.Loop.Lo, v)
					if m.Loop.Contains(n.Loop) {
						first = integer{}
						if step, err := strconv.Atoi(m.Loop.Step); err == nil {
							first = parity(step + one(v[i]))
						}
					}
					next = append(next, assign(v, i, first.parity())...)
				}
			}
			for _, v := range next {
				visit(m, v)
			}
		}
	}
	return nil
}

// one is 1 for odd values.
func one(x integer) int {
	if x.parity().kind == 'o' {
		return 1
	}
	return 0
}

// headIndex is the index of the loop of which n is the head.
func headIndex(n *cfg.Node) string {
	if n.Kind == cfg.LoopHead && n.Loop != nil {
		return n.Loop.Index
	}
	return ""
}

// split lets value i be anything.
func split(states [][]integer, i int) (out [][]integer) {
	for _, v := range states {
		out = append(out, assign(v, i, integer{kind: 'e'})...)
		out = append(out, assign(v, i, integer{kind: 'o'})...)
	}
	return out
}

// assign gives value i a new value; no number is any.
func assign(values []integer, i int, x integer) [][]integer {
	if x.kind == 0 {
		return split([][]integer{values}, i)
	}
	out := slices.Clone(values)
	out[i] = x
	return [][]integer{out}
}

// pass is the states behind n.
func (c *planeCheck) pass(n *cfg.Node, values []integer) ([][]integer, error) {
	states := [][]integer{values}
	if a, ok := c.sets[n.ID]; ok {
		if i := slices.Index(c.names, a.name); i >= 0 {
			return assign(values, i, c.value(a.value, values)), nil
		}
	}
	for _, name := range c.any[n.ID] {
		states = split(states, slices.Index(c.names, name))
	}
	if n.Kind != cfg.Comm || n.Ref != c.comm {
		return states, nil
	}
	last := len(values) - 1
	now, was := c.value(c.sub, values), values[last]
	switch {
	case now.kind == 0:
		return nil, fmt.Errorf("%q has no value that is known where C_%d puts", c.sub, c.comm)
	case was.kind == 0:
	case was.kind == 'c' && now.kind == 'c' && was.c == now.c, (was.kind != 'c' || now.kind != 'c') && was.parity() == now.parity():
		return nil, fmt.Errorf("%q may be the same in two successive executions of C_%d", c.sub, c.comm)
	}
	return assign(values, last, now), nil
}

// value evaluates an expression; no number if that is not known.
func (c *planeCheck) value(text string, values []integer) integer {
	r := &reader{rest: strings.ReplaceAll(text, " ", ""), of: func(name string) integer {
		if i := slices.Index(c.names, name); i >= 0 {
			return values[i]
		}
		return integer{}
	}}
	x := r.sum()
	if r.bad || r.rest != "" || x.kind == 0 {
		return integer{}
	}
	if x.kind == 'c' && (c.small || x.c > largest || x.c < -largest) {
		return x.parity()
	}
	return x
}

// reader reads an expression of whole numbers, names, + - * / and mod. Of anything
// else it is bad.
type reader struct {
	rest string
	of   func(name string) integer
	bad  bool
}

func (r *reader) next(ops string) byte {
	if r.rest == "" || !strings.Contains(ops, r.rest[:1]) || strings.HasPrefix(r.rest, "**") || strings.HasPrefix(r.rest, "//") {
		return 0
	}
	op := r.rest[0]
	r.rest = r.rest[1:]
	return op
}

func (r *reader) sum() integer {
	var x integer
	if op := r.next("+-"); op == '-' {
		x = combine('-', integer{kind: 'c'}, r.term())
	} else {
		x = r.term()
	}
	for {
		op := r.next("+-")
		if op == 0 {
			return x
		}
		x = combine(op, x, r.term())
	}
}

func (r *reader) term() integer {
	x := r.factor()
	for {
		op := r.next("*/")
		if op == 0 {
			return x
		}
		x = combine(op, x, r.factor())
	}
}

func (r *reader) factor() integer {
	if r.next("(") != 0 {
		x := r.sum()
		r.bad = r.bad || r.next(")") == 0
		return x
	}
	end := strings.IndexFunc(r.rest, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' })
	if end < 0 {
		end = len(r.rest)
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	if n, err := strconv.Atoi(word); err == nil {
		return integer{'c', n}
	}
	switch {
	case word == "" || !unicode.IsLetter(rune(word[0])):
		r.bad = true
		return integer{}
	case r.next("(") == 0:
		return r.of(word)
	case word != "mod":
		r.bad = true
		return integer{}
	}
	x := r.sum()
	r.bad = r.bad || r.next(",") == 0
	y := r.sum()
	r.bad = r.bad || r.next(")") == 0
	return combine('%', x, y)
}

// combine is x op y.
func combine(op byte, x, y integer) integer {
	if x.kind == 'c' && y.kind == 'c' && max(x.c, -x.c, y.c, -y.c) <= largest {
		keep := func(c int) integer {
			if max(c, -c) > largest {
				return integer{'c', c}.parity() // which an INTEGER that wraps has too
			}
			return integer{'c', c}
		}
		switch {
		case op == '+':
			return keep(x.c + y.c)
		case op == '-':
			return keep(x.c - y.c)
		case op == '*':
			return keep(x.c * y.c)
		case y.c == 0:
			return integer{}
		case op == '/':
			return integer{'c', x.c / y.c}
		}
		return integer{'c', x.c % y.c}
	}
	a, b := x.parity(), y.parity()
	known := a.kind != 0 && b.kind != 0
	switch {
	case op == '*' && (a.kind == 'e' || b.kind == 'e'):
		return integer{kind: 'e'}
	case op == '*' && known:
		return integer{kind: 'o'}
	case (op == '+' || op == '-') && known && a == b:
		return integer{kind: 'e'}
	case (op == '+' || op == '-') && known:
		return integer{kind: 'o'}
	case op == '%' && known && y.kind == 'c' && y.c != 0 && b.kind == 'e':
		return a
	}
	return integer{}
}
