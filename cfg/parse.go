package cfg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the text form. It checks all that Check checks; errors say the
// line of the text, from 1: "line 3: node 7 follows node 5".
func Parse(text string) (*Graph, error) {
	r := &reader{g: &Graph{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		words, err := split(line)
		if err == nil {
			r.words, r.line = words, n
			err = r.read()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if len(r.g.Nodes) == 0 {
		return nil, fmt.Errorf("line %d: the text has no nodes", n)
	}
	return r.link()
}

// reader collects loops and nodes; edges wait until all nodes are known.
type reader struct {
	g     *Graph
	words []word // rest of the current line
	line  int
	loops []int   // per loop, its line in the text
	lines []int   // per node, its line in the text
	succs [][]int // per node
}

// word is a bare word or a quoted text.
type word struct {
	text   string
	quoted bool
}

func (w word) String() string {
	if w.quoted {
		return strconv.Quote(w.text)
	}
	return w.text
}

// split cuts a line at blanks outside of quotes.
func split(line string) ([]word, error) {
	var words []word
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		if line[0] != '"' {
			end := strings.IndexAny(line, " \t\"")
			if end < 0 {
				end = len(line)
			}
			words = append(words, word{line[:end], false})
			line = line[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, fmt.Errorf("the quotes of %s do not end, or it has a bad escape", line)
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("bad quoted text %s", quoted)
		}
		words = append(words, word{text, true})
		line = line[len(quoted):]
	}
	return words, nil
}

func (r *reader) more() bool { return len(r.words) > 0 }

// next takes a word off the line; the word is empty at its end.
func (r *reader) next() word {
	if !r.more() {
		return word{}
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

// number takes a number >= least; what names it for the error.
func (r *reader) number(what string, least int) (int, error) {
	w := r.next()
	n, err := strconv.Atoi(w.text)
	if err != nil || w.quoted || n < least || strconv.Itoa(n) != w.text {
		return 0, fmt.Errorf("found %s, expected %s", w.orEnd(), what)
	}
	return n, nil
}

func (w word) orEnd() string {
	if w == (word{}) {
		return "the end of the line"
	}
	return w.String()
}

// quoted takes a quoted text that is not empty.
func (r *reader) quoted(what string) (string, error) {
	w := r.next()
	if !w.quoted || w.text == "" {
		return "", fmt.Errorf("found %s, expected %s in quotes", w.orEnd(), what)
	}
	return w.text, nil
}

// loopRef takes "L1", which must be known.
func (r *reader) loopRef() (*Loop, error) {
	w := r.next()
	digits, ok := strings.CutPrefix(w.text, "L")
	n, err := strconv.Atoi(digits)
	if !ok || w.quoted || err != nil {
		return nil, fmt.Errorf("found %s, expected a loop such as L1", w.orEnd())
	}
	if n < 1 || n > len(r.g.Loops) {
		return nil, fmt.Errorf("loop L%d is not declared before", n)
	}
	return r.g.Loops[n-1], nil
}

func (r *reader) read() error {
	if !r.words[0].quoted && r.words[0].text == "loop" {
		r.next()
		return r.readLoop()
	}
	return r.readNode()
}

func (r *reader) readLoop() error {
	if len(r.g.Nodes) > 0 {
		return fmt.Errorf("loops stand before nodes")
	}
	l := &Loop{ID: len(r.g.Loops) + 1}
	if w := r.next(); w.quoted || w.text != fmt.Sprintf("L%d", l.ID) {
		return fmt.Errorf("found %s, expected L%d, the next loop", w.orEnd(), l.ID)
	}
	seen := map[string]bool{}
	for r.more() {
		key := r.next()
		if key.quoted || seen[key.text] {
			return fmt.Errorf("unexpected %v", key)
		}
		seen[key.text] = true
		var err error
		switch key.text {
		case "in":
			l.Parent, err = r.loopRef()
		case "line":
			l.Line, err = r.number("a line number", 1)
		case "index":
			l.Index, err = r.quoted("an index")
		case "lo":
			l.Lo, err = r.quoted("a bound")
		case "hi":
			l.Hi, err = r.quoted("a bound")
		case "step":
			l.Step, err = r.quoted("a step")
		default:
			err = fmt.Errorf("found %v, expected one of in, line, index, lo, hi, step", key)
		}
		if err != nil {
			return err
		}
	}
	r.g.Loops = append(r.g.Loops, l)
	r.loops = append(r.loops, r.line)
	return nil
}

func (r *reader) readNode() error {
	id, err := r.number("a node number or \"loop\"", 0)
	if err != nil {
		return err
	}
	if id != len(r.g.Nodes) {
		return fmt.Errorf("node %d stands where node %d is expected", id, len(r.g.Nodes))
	}
	kind := slices.Index(kindNames[:], r.next().text)
	if kind < 0 {
		return fmt.Errorf("node %d has an unknown kind, expected one of %s", id, strings.Join(kindNames[:], ", "))
	}
	n := &Node{ID: id, Kind: Kind(kind)}
	var succs []int
	seen := map[string]bool{}
	for r.more() {
		key := r.next()
		slot := key.text
		switch {
		case key.quoted:
			slot = "text"
		case slot != "->" && !keywords[slot]:
			slot = "flavour"
		}
		if seen[slot] {
			return fmt.Errorf("node %d has a second %s, %v", id, slot, key)
		}
		seen[slot] = true
		switch {
		case slot == "text" && key.text != "":
			n.Text = key.text
		case slot == "->":
			succs, err = r.readSuccs()
		case slot == "line":
			n.Line, err = r.number("a line number", 1)
		case slot == "in":
			n.Loop, err = r.loopRef()
		case slot == "ref":
			n.Ref, err = r.number("a communication number", 1)
		case key.text == "flavour":
			n.Flavour, err = r.quoted("a flavour")
		case slot == "flavour" && isWord(key.text):
			n.Flavour = key.text
		default:
			err = fmt.Errorf("node %d: unexpected %v", id, key)
		}
		if err != nil {
			return err
		}
	}
	r.g.Nodes = append(r.g.Nodes, n)
	r.lines = append(r.lines, r.line)
	r.succs = append(r.succs, succs)
	return nil
}

// readSuccs takes the rest of the line.
func (r *reader) readSuccs() ([]int, error) {
	var succs []int
	for r.more() {
		s, err := r.number("a node number", 0)
		if err != nil {
			return nil, err
		}
		succs = append(succs, s)
	}
	if succs == nil {
		return nil, fmt.Errorf("no successor follows the arrow")
	}
	return succs, nil
}

// link puts in edges, loop heads and all that follows from these, and checks the
// graph.
func (r *reader) link() (*Graph, error) {
	g := r.g
	g.Entry, g.Exit = g.Nodes[0], g.Nodes[len(g.Nodes)-1]
	for i, n := range g.Nodes {
		for _, s := range r.succs[i] {
			if s >= len(g.Nodes) {
				return nil, fmt.Errorf("line %d: successor %d does not exist", r.lines[i], s)
			}
			n.Succs = append(n.Succs, g.Nodes[s])
		}
		if n.Kind == LoopHead && n.Loop != nil {
			if n.Loop.Head != nil {
				return nil, fmt.Errorf("line %d: loop L%d has a second head, node %d", r.lines[i], n.Loop.ID, n.ID)
			}
			n.Loop.Head = n
		}
	}
	for i, l := range g.Loops {
		if l.Head == nil {
			return nil, fmt.Errorf("line %d: loop L%d has no head", r.loops[i], l.ID)
		}
	}
	for i, n := range g.Nodes {
		if err := g.checkNode(n); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.lines[i], err)
		}
	}
	g.finish()
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.lines[len(r.lines)-1], err)
	}
	return g, nil
}
