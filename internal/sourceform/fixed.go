package sourceform

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
)

// Fixed prints a program without errors of free form in fixed form.
func Fixed(text string, choose Source) string {
	p := &fixed{printer: printer{choose: choose}}
	for _, line := range lines(text) {
		p.line(&line)
	}
	p.flush()
	return p.out.String()
}

type fixed struct {
	printer
	line1  []byte // the line in hand, columns 1 to 72 at most
	open   bool   // the line in hand has a statement that a semicolon may follow
	fresh  bool   // nothing of the statement in hand is printed yet
	prefix string // the first five columns of its continuation lines
}

// line prints one statement or directive.
func (p *fixed) line(l *scan.Line) {
	if p.open && !l.Directive && l.Label == 0 && p.one(5) && len(p.line1) < 60 {
		p.put(';')

	} else {
		p.begin(l)
	}
	p.open, p.fresh = !l.Directive, true
	quote := byte(0)
	for i := 0; i < len(l.Text); i++ {
		c := l.Text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			p.put(c)
			continue
		case c == ' ' || c == '\t':
			// A blank between two strings keeps them apart.
			if i > 0 && i+1 < len(l.Text) && l.Text[i-1] == l.Text[i+1] && strings.IndexByte(`'"`, l.Text[i-1]) >= 0 {
				p.put(' ')
			}
			continue
		case c == '\'' || c == '"':
			quote = c
		}
		if !p.fresh && (i == 0 || l.Text[i-1] != quote) { // a doubled quote stays together
			p.hostile()
		}
		p.fresh = false
		if 'a' <= c && c <= 'z' && p.one(3) {
			c -= 'a' - 'A'
		}
		p.put(c)
	}
}

// begin begins the line of a statement or directive.
func (p *fixed) begin(l *scan.Line) {
	p.flush()
	p.comments()
	p.prefix = "     "
	if l.Directive {
		p.prefix = p.pick("CHPF$", "chpf$", "!HPF$", "!hpf$", "*HPF$", "cHpF$")
		p.line1 = []byte(p.prefix + p.pick(" ", "0"))
		return
	}
	label := ""
	if l.Label != 0 {
		label = fmt.Sprint(l.Label)
	}
	field := []byte("     ")
	at := p.choose.IntN(len(field) - len(label) + 1)
	for room := len(field) - len(label) - at; label != ""; at++ {
		if room > 0 && p.one(3) {
			room--
			continue
		}
		field[at], label = label[0], label[1:]
	}
	p.line1 = append(field, p.pick(" ", " ", "0")...)
	if l.Label == 0 && p.one(10) {
		p.line1 = []byte("\t")
	}
}

// put prints one byte of a statement, in a further line where the line is full.
func (p *fixed) put(c byte) {
	limit := 72
	if p.line1[0] == '\t' {
		limit -= 6 - 1
	}
	if len(p.line1) == limit {
		p.next()
	}
	p.line1 = append(p.line1, c)
}

// hostile prints something that means nothing in front of a byte outside strings.
func (p *fixed) hostile() {
	switch p.choose.IntN(60) {
	case 0, 1, 2, 3:
		for range p.choose.IntN(4) + 1 {
			p.put(' ')
		}
	case 4:
		if p.line1[0] != '\t' || len(p.line1) > 1 {
			p.next()
		}
	case 5:
		if p.one(2) {
			p.line1 = append(p.line1, "! 'a comment"...)
			p.next()
		}
	}
}

// next begins a continuation line.
func (p *fixed) next() {
	p.flush()
	if p.one(4) {
		p.comments()
	}
	p.line1 = []byte(p.prefix + p.pick("&", "1", "x", "*", "$", "+", "!", "C"))
}

// comments prints lines that mean nothing.
func (p *fixed) comments() {
	if p.one(6) {
		p.out.WriteString(p.pick("", "C a comment's text", "c", "* another", "! CHPF$ INDEPENDENT", "CDIR$ IVDEP", "!$OMP PARALLEL DO",
			"   ! x = 3", "                                                                        x = 3", "      ", "\t ! then") + "\n")
	}
}

// flush ends the line in hand.
func (p *fixed) flush() {
	if p.line1 == nil {
		return
	}
	p.out.Write(p.line1)
	if len(p.line1) <= 72 && p.line1[0] != '\t' && p.one(8) {
		p.out.WriteString(strings.Repeat(" ", 72-len(p.line1)) + p.pick("00010", "'", "! junk", "&"))
	}
	p.out.WriteString(p.pick("\n", "\n", "\n", "\r\n"))
	p.line1, p.open = nil, false
}
