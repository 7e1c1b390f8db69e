package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/parser/source"
)

// evaluation evaluates the condition of an #if: the expressions of C over whole
// numbers, in which a name that is no macro is 0.
type evaluation struct {
	macros *macros
	file   *source.File
	ph     source.Physical
	text   string

	at      int
	depth   int
	problem string // the first that is wrong, "" for nothing
	bad     int    // where it is
}

// levels are the binary operators of C by binding strength, the weakest first.
var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

func (e *evaluation) evaluate() int64 {
	v := e.choice(true)
	if e.blank(); e.problem == "" && e.at < len(e.text) {
		e.wrong("unexpected " + strconv.Quote(e.text[e.at:]))
	}
	return v
}

func (e *evaluation) wrong(what string) {
	if e.problem == "" {
		e.problem, e.bad = what, e.at
	}
	e.at = len(e.text)
}

func (e *evaluation) blank() {
	for e.at < len(e.text) && isBlank(e.text[e.at]) {
		e.at++
	}
}

// take takes the operator op, if it is next.
func (e *evaluation) take(op string) bool {
	e.blank()
	if !strings.HasPrefix(e.text[e.at:], op) {
		return false
	}
	// One of these may be the beginning of another.
	if next := e.text[e.at+len(op):]; next != "" && len(op) == 1 && strings.ContainsAny(op, "|&<>=!") && (next[0] == op[0] || next[0] == '=') {
		return false
	}
	e.at += len(op)
	return true
}

// choice evaluates a conditional expression; needed says whether its value is,
// for nothing divides by zero in what && and || leave out.
func (e *evaluation) choice(needed bool) int64 {
	if e.depth++; e.depth > 100 {
		e.wrong("too deep a nesting")
	}
	defer func() { e.depth-- }()
	v := e.binary(0, needed)
	if !e.take("?") {
		return v
	}
	x := e.choice(needed && v != 0)
	if !e.take(":") {
		e.wrong("a missing :")
	}
	y := e.choice(needed && v == 0)
	if v != 0 {
		return x
	}
	return y
}

// binary evaluates operators of at least this level.
func (e *evaluation) binary(level int, needed bool) int64 {
	if level == len(levels) {
		return e.unary(needed)
	}
	x := e.binary(level+1, needed)
	for {
		op := ""
		for _, o := range levels[level] {
			if e.take(o) {
				op = o
				break
			}
		}
		if op == "" {
			return x
		}
		need := needed && (op != "&&" || x != 0) && (op != "||" || x == 0)
		y := e.binary(level+1, need)
		if (op == "/" || op == "%") && y == 0 {
			if needed {
				e.wrong("a division by zero")
			}
			y = 1
		}
		x = apply(op, x, y)
	}
}

func apply(op string, x, y int64) int64 {
	truth := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	switch op {
	case "||":
		return truth(x != 0 || y != 0)
	case "&&":
		return truth(x != 0 && y != 0)
	case "|":
		return x | y
	case "^":
		return x ^ y
	case "&":
		return x & y
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	case "<=":
		return truth(x <= y)
	case ">=":
		return truth(x >= y)
	case "<":
		return truth(x < y)
	case ">":
		return truth(x > y)
	case "<<":
		return x << uint64(y&63)
	case ">>":
		return x >> uint64(y&63)
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	}
	return x % y
}

// unary evaluates an operand with the signs in front of it.
func (e *evaluation) unary(needed bool) int64 {
	if e.depth++; e.depth > 100 {
		e.wrong("too deep a nesting")
	}
	defer func() { e.depth-- }()
	switch {
	case e.take("!"):
		if e.unary(needed) == 0 {
			return 1
		}
		return 0
	case e.take("-"):
		return -e.unary(needed)
	case e.take("+"):
		return e.unary(needed)
	case e.take("~"):
		return ^e.unary(needed)
	case e.take("("):
		v := e.choice(needed)
		if !e.take(")") {
			e.wrong("a missing )")
		}
		return v
	}
	n := nameLen(e.text[e.at:])
	if n == 0 {
		e.wrong("a missing operand")
		return 0
	}
	word := e.text[e.at : e.at+n]
	if isDigit(word[0]) {
		v, err := strconv.ParseInt(strings.TrimRight(word, "uUlL"), 0, 64)
		if err != nil {
			e.wrong(fmt.Sprintf("%q, which is no whole number,", word))
			return 0
		}
		e.at += n
		return v
	}
	e.at += n
	if word == "defined" {
		return e.defined()
	}
	return e.macro(word)
}

// defined evaluates what stands behind defined: NAME or (NAME).
func (e *evaluation) defined() int64 {
	paren := e.take("(")
	e.blank()
	n := nameLen(e.text[e.at:])
	if n == 0 {
		e.wrong("a missing name behind defined")
		return 0
	}
	name := e.text[e.at : e.at+n]
	e.at += n
	if paren && !e.take(")") {
		e.wrong("a missing )")
	}
	if e.macros.defined(name) {
		return 1
	}
	return 0
}

// macro evaluates a name: that of a macro has the value of its text.
func (e *evaluation) macro(word string) int64 {
	text, ok := e.macros.value(e.file, e.ph, word, nil)
	if !ok {
		return 0
	}
	inner := &evaluation{macros: &macros{}, file: e.file, ph: e.ph, text: text, depth: e.depth}
	v := inner.evaluate()
	if inner.problem != "" {
		e.at -= len(word)
		e.wrong(inner.problem + " in the value of " + word)
	}
	return v
}
