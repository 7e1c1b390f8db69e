package scan

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// In fixed form words run together: DO10I=1,5 is a loop over I. This file finds
// where the keywords of a statement end, as offsets at which its text is cut
// into tokens. As for Classify, what has the form of an assignment is one:
// DO10I=1.5 assigns to a variable, and nothing is cut.
//
// All functions here take tokens of text that was not cut, the last of which is
// of type lexer.EOF.

// cuts collects the offsets at which the text of a line is cut.
type cuts struct {
	line *Line
	text string // of the line, with letters in lower case
	at   []int
}

// cutsOf finds the cuts of a line of fixed form with these tokens.
func cutsOf(l *Line, toks []lexer.Token) []int {
	c := &cuts{line: l, text: strings.ToLower(l.Text)}
	if l.Directive {
		c.directive(toks)
	} else {
		c.statement(toks)
	}
	slices.Sort(c.at)
	return slices.Compact(c.at)
}

// cut cuts behind each of some words that stand side by side from offset off on.
func (c *cuts) cut(off int, lengths ...int) {
	for _, n := range lengths {
		off += n
		c.at = append(c.at, off)
	}
}

// statement finds the cuts of a statement.
func (c *cuts) statement(t []lexer.Token) {
	if len(t) > 2 && t[0].Type == Ident && t[1].Value == ":" && t[2].Type == Ident {
		t = t[2:]
	}
	if t[0].Type != Ident || c.do(t) || assignOp(t) != "" {
		return
	}
	word, off := t[0].Value, t[0].Pos.Offset
	switch {
	case word == "if" || word == "elseif" || word == "where" || word == "forall":
		c.behindCondition(t)
	case c.procedure(off):
	case strings.HasPrefix(word, "assign"):
		n := digits(word[len("assign"):])
		if strings.HasPrefix(word[len("assign")+n:], "to") {
			c.cut(off, len("assign"), n, len("to"))
		}
	default:
		c.keyword(t)
	}
}

// do finds the cuts of a DO statement, and reports whether t is one.
func (c *cuts) do(t []lexer.Token) bool {
	rest, ok := strings.CutPrefix(t[0].Value, "do")
	if !ok {
		return false
	}
	n := digits(rest)
	off, index := t[0].Pos.Offset, rest[n:]
	switch {
	case t[1].Value == "=" && index != "" && isLetter(index[0]):
		if !hasComma(t[2:]) {
			return false
		}
	case t[1].Value == "(" && (index == "while" || index == "concurrent"):
		if assignOp(t) != "" {
			return false
		}
	case index == "" && (t[1].Value == "," || t[1].EOF()):
	default:
		return false
	}
	c.cut(off, len("do"), n)
	return true
}

// hasComma reports whether t has a comma outside parentheses.
func hasComma(t []lexer.Token) bool {
	for i := 0; i < len(t); i++ {
		switch t[i].Value {
		case "(", "[":
			if i = Closing(t, i); i < 0 {
				return false
			}
		case ",":
			return true
		}
	}
	return false
}

// behindCondition finds the cuts behind IF (...).
func (c *cuts) behindCondition(t []lexer.Token) {
	if t[1].Value != "(" {
		c.keyword(t)
		return
	}
	end := Closing(t, 1)
	if end < 0 {
		return
	}
	switch rest := t[end+1:]; {
	case t[0].Value == "elseif":
		if strings.HasPrefix(rest[0].Value, "then") {
			c.cut(rest[0].Pos.Offset, len("then"))
		}
	case rest[0].Value != "then" || assignOp(rest) != "":
		c.statement(rest)
	}
}

// Both may stand in front of FUNCTION, procedureWords in front of SUBROUTINE too.
var (
	procedureWords = []string{"recursive", "elemental", "impure", "pure", "module"}
	typeWords      = []string{"doubleprecision", "doublecomplex", "character", "integer", "logical", "complex", "real", "byte"}
)

// typeWord reports whether word is a type that may have a size behind it.
func typeWord(word string) bool {
	return slices.Contains(typeWords, strings.TrimPrefix(word, "implicit"))
}

// prefixOf returns the first of words with which s begins, or "".
func prefixOf(s string, words []string) string {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return w
		}
	}
	return ""
}

// procedure finds the cuts of a FUNCTION or SUBROUTINE statement with words in
// front of it, such as REAL*8 FUNCTION F(X), and reports whether one is at off.
func (c *cuts) procedure(off int) bool {
	var lengths []int
	at := off
	word := func(n int) {
		lengths = append(lengths, n)
		at += n
	}
	for typed := false; ; {
		s := c.text[at:]
		if w := prefixOf(s, procedureWords); w != "" {
			word(len(w))
			continue
		}
		if w := prefixOf(s, typeWords); w != "" && !typed {
			typed = true
			word(len(w))
			if n := sizeLen(c.text[at:]); n > 0 {
				word(n)
			}
			continue
		}
		if w := prefixOf(s, []string{"type", "class"}); w != "" && !typed && sizeLen(s[len(w):]) > 0 {
			typed = true
			word(len(w))
			word(sizeLen(s[len(w):]))
			continue
		}
		if w := "extrinsic"; strings.HasPrefix(s, w+"(") && sizeLen(s[len(w):]) > 0 {
			word(len(w))
			word(sizeLen(s[len(w):]))
			continue
		}
		if strings.HasPrefix(s, "function") && dummiesFollow(s[len("function"):]) {
			word(len("function"))
			break
		}
		if strings.HasPrefix(s, "subroutine") && !typed {
			word(len("subroutine"))
			break
		}
		return false
	}
	c.cut(off, lengths...)
	return true
}

// sizeLen is the length of the size of a type: *8, *(*), (8), (len=n).
func sizeLen(s string) int {
	n := 0
	if strings.HasPrefix(s, "*") {
		if d := digits(s[1:]); d > 0 {
			return 1 + d
		}
		n = 1
	}
	if !strings.HasPrefix(s[n:], "(") {
		return 0
	}
	if end := ClosingText(s[n:]); end > 0 {
		return n + end
	}
	return 0
}

// ClosingText is where s goes on behind the parenthesis that closes its first one, 0 if none does.
func ClosingText(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// dummiesFollow reports whether s is a name and dummy arguments: REALFUNCTIONF(3)
// declares an array.
func dummiesFollow(s string) bool {
	n := nameLen(s)
	if n == 0 || !isLetter(s[0]) || n == len(s) || s[n] != '(' {
		return false
	}
	list, _, closed := strings.Cut(s[n+1:], ")")
	for arg := range strings.SplitSeq(list, ",") {
		if arg != "" && arg != "*" && (!isLetter(arg[0]) || nameLen(arg) < len(arg)) {
			return false
		}
	}
	return closed
}

// phrases are the statements of several words that nothing needs to separate,
// beside those that begin with one word of the tables of Classify.
var phrases = []string{
	"else where", "implicit none", "implicit", "block data", "case default", "module procedure", "double precision", "double complex",
	"sync all", "sync images", "sync memory", "form team", "change team", "end team", "event post",
	"event wait", "fail image", "lock", "unlock", "end block data", "read", "do", "else", "end",
	"select case", "select type", "error stop", "double",
}

// keywords are all statements by their first words, the longest first.
var keywords = sync.OnceValue(func() [][]string {
	all := slices.AppendSeq(slices.Clone(phrases), maps.Keys(simple))
	return byLength(slices.AppendSeq(all, maps.Keys(outsideWords)))
})

// Joint is the length of the first of two words that may stand without a blank between, as
// those of ENDDO, 0 where word is one.
func Joint(word string) int {
	if word == "onhome" {
		return len("on")
	}
	first := prefixOf(word, []string{"end", "else", "block", "double", "select", "error", "go"})
	if _, known := simple[word]; !known && !outsideWords[word] || first == word {
		return 0
	}
	return len(first)
}

// byLength splits phrases into their words, and puts the longest first.
func byLength(phrases []string) [][]string {
	var out [][]string
	for _, p := range phrases {
		out = append(out, strings.Fields(p))
	}
	slices.SortFunc(out, func(a, b []string) int {
		x, y := strings.Join(a, ""), strings.Join(b, "")
		if len(x) != len(y) {
			return len(y) - len(x)
		}
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(x, y)
	})
	return out
}

// syncLen is the length of the first word of the statements on images.
const syncLen = len("sync")

// joinedWords are the cuts of a statement in free form. There words may stand
// without a blank between only in a few statements, most of which begin with one
// word for Classify: ENDDO, ELSEIF, GOTO. gfortran takes SYNCALL as well.
func joinedWords(text string) []int {
	if len(text) <= syncLen || text[0]|0x20 != 's' || !isLetter(text[syncLen]) {
		return nil
	}
	switch word := fold(text[:nameLen(text)]); word {
	case "syncall", "syncmemory", "syncimages":
		// A variable may have such a name.
		line := Line{Text: text}
		if toks, _ := line.lex(nil, nil); assignOp(toks) == "" {
			return []int{syncLen}
		}
	}
	return nil
}

// phraseAt finds the phrase with which s begins and returns the lengths of its
// words.
func phraseAt(s string, phrases [][]string) []int {
	for _, words := range phrases {
		var lengths []int
		rest, ok := s, true
		for _, w := range words {
			if rest, ok = strings.CutPrefix(rest, w); !ok {
				break
			}
			lengths = append(lengths, len(w))
		}
		if ok {
			return lengths
		}
	}
	return nil
}

// keyword finds the cuts behind the first words of a statement.
func (c *cuts) keyword(t []lexer.Token) {
	off := t[0].Pos.Offset
	lengths := phraseAt(t[0].Value, keywords())
	c.cut(off, lengths...)
	// REAL*8E1 declares E1.
	if typeWord(t[0].Value) && t[1].Value == "*" && !t[2].EOF() && isDigit(t[2].Value[0]) {
		c.cut(t[2].Pos.Offset, digits(t[2].Value))
	}
}

// IgnoredDirectives are directives of HPF 2.0 that are not compiled. They only
// advise on mapping and never change what a program computes.
var IgnoredDirectives = map[string]bool{
	"sequence": true, "nosequence": true, "no": true,
	"range": true, "asynchronous": true, "end": true, "indirect": true,
	"subset": true, "reuse": true,
}

var directiveWords = sync.OnceValue(func() [][]string {
	return byLength(append(slices.AppendSeq(slices.Collect(maps.Keys(directives)), maps.Keys(IgnoredDirectives)), "end region", "end on", "end resident", "end task_region"))
})

// directive finds the cuts of a directive.
func (c *cuts) directive(t []lexer.Token) {
	if t[0].Type != Ident {
		return
	}
	off := t[0].Pos.Offset
	lengths := phraseAt(t[0].Value, directiveWords())
	if lengths == nil {
		// Unknown: the message shows the word as it was written.
		lengths = []int{c.line.unbroken(off)}
	}
	c.cut(off, lengths...)
	word := t[0].Value[:lengths[0]]
	first := t[0]
	first.Value = first.Value[lengths[0]:]
	first.Pos.Offset += lengths[0]
	c.attributes(t)
	if last := slices.IndexFunc(t[1:], lexer.Token.EOF); word == "on" && last > 0 && t[last].Value == "residentbegin" {
		c.cut(t[last].Pos.Offset, len("resident"))
	}
	switch onto := c.behindList(t, "onto"); {
	case (word == "distribute" || word == "redistribute") && !onto:
		c.around(append([]lexer.Token{first}, t[1:]...), "onto")
	case (word == "align" || word == "realign") && !c.behindList(t, "with"):
		c.around(append([]lexer.Token{first}, t[1:]...), "with")
	case word != "align" && word != "realign":
		c.behindList(t, "with")
	}
}

// attributes cuts inside of the attributes behind the first one in a combined directive:
// TEMPLATE, ALIGN WITH t :: a.
func (c *cuts) attributes(t []lexer.Token) {
	for i := 1; i < len(t) && t[i].Value != "::"; i++ {
		if t[i-1].Value != "," {
			continue
		}
		for _, words := range [][2]string{{"align", "with"}, {"distribute", "onto"}, {"on", "home"}} {
			if strings.HasPrefix(t[i].Value, words[0]+words[1]) {
				c.cut(t[i].Pos.Offset, len(words[0]), len(words[1]))
			}
		}
	}
}

// behindList cuts behind word where it stands behind a parenthesis, and reports
// whether it does: the WITH of ALIGN a(i) WITH t(i).
func (c *cuts) behindList(t []lexer.Token, word string) bool {
	depth := 0
	for i := range t {
		switch t[i].Value {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 && strings.HasPrefix(t[i+1].Value, word) {
				c.cut(t[i+1].Pos.Offset, len(word))
				return true
			}
		}
	}
	return false
}

// around cuts around the WITH of ALIGN a WITH t and of ALIGN WITH t :: a, and the ONTO
// of DISTRIBUTE a ONTO p. Of several ways to read it that with blanks around the word counts;
// ONTO, which need not be there, has them.
func (c *cuts) around(t []lexer.Token, word string) {
	colons := slices.ContainsFunc(t, func(t lexer.Token) bool { return t.Value == "::" })
	best := -1
	for i := range t {
		if t[i].Type != Ident {
			continue
		}
		for k := 0; ; k++ {
			n := strings.Index(t[i].Value[k:], word)
			if n < 0 {
				break
			}
			k += n
			at := t[i].Pos.Offset + k
			if k+len(word) == len(t[i].Value) || k == 0 && (i > 0 || !colons) {
				continue
			}
			if best < 0 && word == "with" || c.line.gap(at) && c.line.gap(at+len(word)) {
				best = at
			}
			if k == 0 {
				best = at
			}
		}
	}
	if best >= 0 {
		c.cut(best, 0, len(word))
	}
}

// gap reports whether Text[off] does not stand right behind the byte before.
func (l *Line) gap(off int) bool {
	if off == 0 {
		return true
	}
	p, q := l.Pos(off-1), l.Pos(off)
	return p.Line != q.Line || q.Col != p.Col+1
}

// unbroken is the length of the name at Text[off] up to the first blank in it.
func (l *Line) unbroken(off int) int {
	n := nameLen(l.Text[off:])
	for k := 1; k < n; k++ {
		if l.gap(off + k) {
			return k
		}
	}
	return n
}
