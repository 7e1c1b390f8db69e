package sourceform

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
)

// Free prints a program without errors of free form in that form.
func Free(text string, choose Source) string {
	p := &free{printer: printer{choose: choose}}
	for _, line := range lines(text) {
		p.line(&line)
	}
	p.end()
	return p.out.String()
}

const (
	mostColumns = 120 // of the 132 that a line may have: what is put at once fits in
	mostLines   = 200 // of the 255 continuation lines that gfortran takes
)

type free struct {
	printer
	text      []byte // the line in hand
	open      bool   // it has a statement that a semicolon may follow
	directive bool
	count     int // of continuation lines of the statement in hand
}

// line prints one statement or directive.
func (p *free) line(l *scan.Line) {
	if p.open && !l.Directive && l.Label == 0 && p.one(5) && len(p.text) < mostColumns/2 {
		p.put(p.pick(";", " ; ", ";;"))
	} else {
		p.end()
		p.between()
		p.text = append(p.text, p.blanks(0)...)
	}
	p.open, p.directive, p.count = !l.Directive, l.Directive, 0
	switch {
	case l.Directive:
		p.put(p.pick("!HPF$", "!hpf$", "!hPf$") + p.blanks(1))
	case l.Label != 0:
		label := fmt.Sprint(l.Label)
		if len(label) < 5 && p.one(4) {
			label = "0" + label
		}
		p.put(label + p.blanks(1))
	}
	toks, _ := l.Tokens(nil)
	if toks[len(toks)-1].Pos.Offset < len(l.Text) { // not all are tokens, as in some formats
		p.word(l.Text, true)
		return
	}
	before := 0 // where the token before ends
	for i, t := range toks[:len(toks)-1] {
		if i > 0 {
			p.gap(l.Text, before, t.Pos.Offset)
		}
		before = t.Pos.Offset + len(t.Value)
		p.word(l.Text[t.Pos.Offset:before], t.Type == scan.String)
	}
}

// gap prints what may stand between the tokens that end and begin at these places of text.
func (p *free) gap(text string, end, begin int) {
	left, right := text[end-1], text[begin]
	least := 0
	if isWord(left) == isWord(right) && left != ',' && left != ')' {
		if begin == end { // as (/ and :: and, in formats, 1x
			return
		}
		least = 1 // words, or operators that might be another together
	}
	if !p.one(12) || p.count >= mostLines {
		p.put(p.blanks(least))
		return
	}
	p.put(p.blanks(least) + "&")
	if p.one(3) {
		p.put(p.blanks(0) + p.pick("! a comment", "!'", "! &", `! "`))
	}
	p.next()
	p.put(p.pick("", "&") + p.blanks(0))
}

// word prints a token, as it stands in the source, or what is to stay as it is like a string.
func (p *free) word(text string, quoted bool) {
	if len(p.text)+len(text) > mostColumns && !quoted {
		p.split(quoted)
	}
	for i := range len(text) {
		c := text[i]
		doubled := quoted && i > 1 && c == text[0] && text[i-1] == c
		if i > 0 && !doubled && (len(p.text) > mostColumns || p.one(120) && p.count < mostLines) {
			p.split(quoted)
		}
		if !quoted && 'a' <= c && c <= 'z' && p.one(3) {
			c -= 'a' - 'A'
		}
		p.text = append(p.text, c)
	}
}

func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_.'\"", c) >= 0
}

// blanks are some blanks, at least so many.
func (p *free) blanks(least int) string {
	text := ""
	for range least + p.choose.IntN(3)*p.choose.IntN(2) {
		text += p.pick(" ", " ", " ", "\t")
	}
	return text
}

// split goes on in a further line in the midst of a token, perhaps a string.
func (p *free) split(quoted bool) {
	p.put("&")
	if !quoted && p.one(3) {
		p.put(p.pick("! a comment", "  !'"))
	}
	p.next()
	p.put("&")
}

// next ends the line in hand in the midst of a statement, and begins a continuation line.
func (p *free) next() {
	p.count++
	p.flush()
	p.between()
	p.put(p.blanks(0))
	if p.directive {
		p.put(p.pick("!HPF$", "!hpf$"))
		p.put(p.blanks(0))
	}
}

func (p *free) put(text string) { p.text = append(p.text, text...) }

// between prints lines that mean nothing.
func (p *free) between() {
	for p.one(8) {
		p.out.WriteString(p.pick("", "! a comment's text", "  !", "\t", "!DIR$ IVDEP", "!$OMP PARALLEL DO", "   ! x = 3 &", "!HPF a word short") + "\n")
	}
}

// end ends the statement in hand and its line.
func (p *free) end() {
	if p.text == nil {
		return
	}
	if p.one(8) {
		p.put(p.blanks(0) + p.pick("! junk", "!", "! 'a", "! &"))
	}
	p.flush()
	p.open = false
}

// flush ends the line in hand.
func (p *free) flush() {
	p.out.Write(p.text)
	p.out.WriteString(p.pick("\n", "\n", "\n", "\r\n"))
	p.text = nil
}
