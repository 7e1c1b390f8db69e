package scan

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/source"
)

// The kinds of token. Values are as in the source, but with letters folded to
// lower case outside strings; a string keeps its quotes. So a token that is
// not cut by a continuation is as long as its value.
const (
	Ident     lexer.TokenType = iota + 1
	Int                       // 42, 42_8
	Real                      // 1.0, 1e3, 1d0, 1.0_dp
	String                    // 'it''s', with its quotes
	Logical                   // .true., .false.
	DotOp                     // .and., and any other word between points
	Op                        // everything else: + ** :: (
	Hollerith                 // 5HABC D
)

// maxName is the length of a name in gfortran (Fortran 2003).
const maxName = 63

// Definition is the lexer of the statement grammar, for participle: it lexes
// the text of one logical line.
type Definition struct{}

// Symbols implements lexer.Definition.
func (Definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Ident": Ident, "Int": Int, "Real": Real,
		"String": String, "Logical": Logical, "DotOp": DotOp, "Op": Op,
		"Hollerith": Hollerith,
	}
}

// Lex implements lexer.Definition.
func (d Definition) Lex(filename string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(filename, string(text))
}

// LexString implements lexer.StringDefinition.
func (Definition) LexString(_ string, text string) (lexer.Lexer, error) {
	line := Line{Text: text, first: source.Pos{Line: 1, Col: 1}}
	toks, d := line.Tokens(nil)
	if d != nil {
		return nil, d
	}
	return NewReader(toks), nil
}

// Reader hands out tokens one by one; it is a lexer.Lexer.
type Reader struct{ toks []lexer.Token }

// NewReader reads toks, the last of which must be of type lexer.EOF.
func NewReader(toks []lexer.Token) *Reader { return &Reader{toks} }

// Next implements lexer.Lexer; it never fails.
func (r *Reader) Next() (lexer.Token, error) {
	t := r.toks[0]
	if len(r.toks) > 1 {
		r.toks = r.toks[1:]
	}
	return t, nil
}

// Tokens lexes the line into buf[:0]. The last token is of type lexer.EOF and
// stands just behind the text. At something that is no token it stops and
// returns, with the tokens up to there, what is wrong.
func (l *Line) Tokens(buf []lexer.Token) ([]lexer.Token, *source.Diag) {
	var cuts []int
	switch {
	case l.Dense:
		whole, _ := l.lex(nil, nil)
		cuts = cutsOf(l, whole)
	case !l.Directive:
		cuts = joinedWords(l.Text)
	}
	toks, d := l.lex(buf, cuts)
	if d == nil {
		d = l.longName(toks)
	}
	return toks, d
}

// longName complains of the first name that is longer than names may be.
func (l *Line) longName(toks []lexer.Token) *source.Diag {
	for i := range toks {
		if t := &toks[i]; t.Type == Ident && len(t.Value) > maxName {
			d := &source.Diag{Code: source.Syntax, Pos: l.Pos(t.Pos.Offset), Msg: "the name is too long"}
			return d.WithEnd(l.Pos(t.Pos.Offset+len(t.Value))).WithHelp("a name has at most %d characters", maxName)
		}
	}
	return nil
}

// lex lexes the line into buf[:0]; no token goes beyond one of the offsets cuts.
func (l *Line) lex(buf []lexer.Token, cuts []int) ([]lexer.Token, *source.Diag) {
	toks := buf[:0]
	s := l.Text
	for i := 0; i < len(s); {
		if isBlank(s[i]) {
			i++
			continue
		}
		for len(cuts) > 0 && cuts[0] <= i {
			cuts = cuts[1:]
		}
		end := len(s)
		if len(cuts) > 0 {
			end = cuts[0]
		}
		typ, n := next(s[i:end])
		if typ == Int && i+n < end && s[i+n]|0x20 == 'h' {
			if k := hollerithLen(s[:i+n]); k > 0 && i+n+1+k <= len(s) {
				typ, n = Hollerith, n+1+k
			}
		}
		if n == 0 {
			return append(toks, l.token(lexer.EOF, i, "")), l.noToken(i)
		}
		value := s[i : i+n]
		if typ != String && typ != Hollerith {
			value = fold(value)
		}
		toks = append(toks, l.token(typ, i, value))
		i += n
	}
	return append(toks, l.token(lexer.EOF, len(s), "")), nil
}

func (l *Line) token(typ lexer.TokenType, off int, value string) lexer.Token {
	pos := l.Pos(off)
	return lexer.Token{Type: typ, Value: value,
		Pos: lexer.Position{Offset: off, Line: pos.Line, Column: pos.Col}}
}

// noToken says what is wrong at Text[i], where a character stands that Fortran
// does not have.
func (l *Line) noToken(i int) *source.Diag {
	d := &source.Diag{Code: source.Syntax, Pos: l.Pos(i)}
	c, size := utf8.DecodeRuneInString(l.Text[i:])
	d.WithEnd(l.Pos(i + size))
	switch {
	case c == utf8.RuneError && size == 1:
		d.Msg = "a byte that is not UTF-8 text stands outside a string"
	case c < ' ' || c == 0x7f:
		d.Msg = "a control character stands outside a string"
	case c == '\'' || c == '"':
		d.Code, d.Msg = source.UnterminatedString, "the string that begins here does not end"
	default:
		d.Msg = "the character " + string(c) + " is not used in Fortran outside strings"
	}
	return d
}

// fold turns ASCII letters to lower case; it allocates only when there is one
// to turn.
func fold(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// next returns type and length of the token at the beginning of s, which is
// not empty and does not begin with a blank; length 0 when there is none.
func next(s string) (lexer.TokenType, int) {
	c := s[0]
	if n := textKindLen(s); n > 0 {
		if text := stringLen(s[n:]); text > 0 {
			return String, n + text
		}
	}
	switch {
	case isLetter(c):
		return Ident, nameLen(s)
	case isDigit(c), c == '.' && len(s) > 1 && isDigit(s[1]):
		return number(s)
	case c == '\'' || c == '"':
		return String, stringLen(s)
	case c == '.':
		n := 1 + wordLen(s[1:])
		if n == 1 || n == len(s) || s[n] != '.' {
			return Op, 1
		}
		n++
		if w := fold(s[:n]); w == ".true." || w == ".false." {
			return Logical, n + kindLen(s[n:])
		}
		return DotOp, n
	}
	if len(s) > 1 {
		switch s[:2] {
		case "**", "//", "==", "/=", "<=", ">=", "::", "=>":
			return Op, 2
		}
	}
	if strings.IndexByte("+-*/=<>(),:%[]", c) >= 0 {
		return Op, 1
	}
	return 0, 0
}

// number lexes an integer or real constant. In "1.eq.2" the point belongs to
// the operator: letters behind a point that end in a point make one.
func number(s string) (lexer.TokenType, int) {
	typ, n := Int, digits(s)
	if n < len(s) && s[n] == '.' {
		if w := wordLen(s[n+1:]); w == 0 || n+1+w >= len(s) || s[n+1+w] != '.' {
			typ = Real
			n++
			n += digits(s[n:])
		}
	}
	if n < len(s) && (s[n]|0x20 == 'e' || s[n]|0x20 == 'd') {
		k := n + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if d := digits(s[k:]); d > 0 {
			typ = Real
			n = k + d
		}
	}
	return typ, n + kindLen(s[n:])
}

// kindLen is the length of the kind of a constant at the beginning of s, as in 1_i8, 0 where there is none.
func kindLen(s string) int {
	if len(s) > 1 && s[0] == '_' && (isLetter(s[1]) || isDigit(s[1])) {
		return 1 + nameLen(s[1:])
	}
	return 0
}

// textKindLen is the length of the kind in front of a text at the beginning of s, as in
// c_char_'abc' and 1_'abc', 0 where there is none.
func textKindLen(s string) int {
	n := nameLen(s)
	if isDigit(s[0]) {
		if n = digits(s); n < len(s) && s[n] == '_' {
			n++
		}
	}
	if n > 1 && n < len(s) && s[n-1] == '_' && (s[n] == '\'' || s[n] == '"') {
		return n
	}
	return 0
}

// stringLen returns the length of the string constant at the beginning of s,
// both quotes included; 0 when it does not end.
func stringLen(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if i+1 < len(s) && s[i+1] == s[0] {
			i++ // a doubled quote stands for one
			continue
		}
		return i + 1
	}
	return 0
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func wordLen(s string) int {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	return n
}

func nameLen(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '_') {
		n++
	}
	return n
}
