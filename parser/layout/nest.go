package layout

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/scan"
)

// block is one that is open.
type block struct {
	kind  scan.Kind // of the statement that begins it
	word  string    // of a construct outside the subset
	label int       // of the statement that ends a loop, 0 if END DO does
	flat  bool      // what is in it is not indented
}

// nest are the blocks that are open.
type nest struct {
	fixed bool
	open  []block
	saved [][]block // at each #if
}

func (n *nest) level() int { return depth(n.open) }

func depth(open []block) int {
	d := 0
	for _, b := range open {
		if !b.flat {
			d++
		}
	}
	return d
}

// begins are the blocks that statements end, by the statements.
var begins = map[scan.Kind][]scan.Kind{
	scan.EndDo:        {scan.Do, scan.DoWhile, scan.DoConcurrent},
	scan.EndIf:        {scan.IfThen},
	scan.EndSelect:    {scan.SelectCase, scan.Outside},
	scan.EndCritical:  {scan.Critical},
	scan.EndWhere:     {scan.Where},
	scan.EndForall:    {scan.Forall},
	scan.EndBlock:     {scan.Block},
	scan.EndAssociate: {scan.Associate},
	scan.EndInterface: {scan.Interface},
	scan.EndType:      {scan.TypeDef},
	scan.End:          units,
	scan.EndProgram:   units,
	scan.EndUnit:      units,
	scan.ElseIf:       {scan.IfThen},
	scan.Else:         {scan.IfThen},
	scan.Elsewhere:    {scan.Where},
	scan.Case:         {scan.SelectCase},
	scan.Contains:     append([]scan.Kind{scan.TypeDef}, units...),
}

var units = []scan.Kind{scan.Program, scan.Module, scan.Subroutine, scan.Function, scan.BlockData}

// between are the statements that stand between the parts of a block.
var between = []scan.Kind{scan.ElseIf, scan.Else, scan.Elsewhere, scan.Case, scan.Contains}

// foreign are the constructs outside the subset, by what begins and by what ends them.
var (
	foreign    = []string{"select type", "change team", "enum", "submodule"}
	foreignEnd = []string{"", "end team", "end enum", "end submodule"}
)

// take takes in a statement and returns its level.
func (n *nest) take(s scan.Stmt, label int) int {
	at := n.level()
	switch s.Kind {
	case scan.Program, scan.Module, scan.Subroutine, scan.Function, scan.BlockData:
		if len(n.open) > 0 && !slices.ContainsFunc(n.open, func(b block) bool {
			return b.kind == scan.Interface || b.word == "submodule" || slices.Contains(units, b.kind)
		}) {
			n.open = nil
		}
		at = n.level()
		n.push(block{kind: s.Kind, flat: n.fixed})
	case scan.Do, scan.DoWhile, scan.DoConcurrent:
		b := block{kind: s.Kind}
		if s.Toks[1].Type == scan.Int {
			b.label = number(s.Toks[1])
		}
		n.push(b)
	case scan.IfThen, scan.SelectCase, scan.Critical, scan.Where, scan.Forall, scan.Block, scan.Associate, scan.Interface, scan.TypeDef:
		n.push(block{kind: s.Kind})
	case scan.Outside:
		at = n.outside(s)
	default:
		kinds, ok := begins[s.Kind]
		if !ok {
			break
		}
		i := n.innermost(func(b block) bool {
			return slices.Contains(kinds, b.kind) && (b.kind != scan.Outside || b.word == "select type") && (s.Kind != scan.EndDo || b.label == 0 || b.label == label)
		})
		if i < 0 {
			break
		}
		at = depth(n.open[:i])
		if slices.Contains(between, s.Kind) {
			n.open = n.open[:i+1]
		} else if n.open[i].label == 0 {
			n.open = n.open[:i]
		}
	}
	if label != 0 {
		for k := len(n.open); k > 0 && n.open[k-1].label == label; k-- {
			n.open = n.open[:k-1]
			if s.Kind == scan.Continue || s.Kind == scan.EndDo {
				at = n.level()
			}
		}
	}
	return at
}

// outside takes in a statement outside the subset.
func (n *nest) outside(s scan.Stmt) int {
	at := n.level()
	if slices.Contains(foreign, s.Word) {
		n.push(block{kind: scan.Outside, word: s.Word, flat: s.Word == "submodule" && n.fixed})
		return at
	}
	end := slices.Index(foreignEnd, s.Word)
	i := n.innermost(func(b block) bool {
		return b.kind == scan.Outside && (end > 0 && b.word == foreign[end] || (s.Word == "type" || s.Word == "class") && b.word == "select type")
	})
	if i < 0 {
		return at
	}
	if at = depth(n.open[:i]); end > 0 {
		n.open = n.open[:i]
	}
	return at
}

func (n *nest) push(b block) { n.open = append(n.open[:len(n.open):len(n.open)], b) }

// innermost finds the innermost open block that is such a one, -1 for none. A block outside
// of a procedure is not seen from inside.
func (n *nest) innermost(such func(block) bool) int {
	for i := len(n.open) - 1; i >= 0; i-- {
		if such(n.open[i]) {
			return i
		}
		if slices.Contains(units, n.open[i].kind) {
			break
		}
	}
	return -1
}

// preprocessor takes in a line for the preprocessor: what stands in the branches of an #if
// begins at the same level.
func (n *nest) preprocessor(line string) {
	word, _, _ := strings.Cut(strings.TrimLeft(line[1:], " \t"), " ")
	last := len(n.saved) - 1
	switch {
	case word == "if" || word == "ifdef" || word == "ifndef":
		n.saved = append(n.saved, n.open)
	case last < 0:
	case strings.HasPrefix(word, "el"):
		n.open = n.saved[last]
	case strings.HasPrefix(word, "endif"):
		n.saved = n.saved[:last]
	}
}

func number(t lexer.Token) int {
	v := 0
	for _, c := range t.Value {
		if c < '0' || c > '9' || v > 1e6 {
			return 0
		}
		v = v*10 + int(c-'0')
	}
	return v
}
