package elide

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Path is a calling context, or the inner end of one, by the labels of its
// sites from the outermost call to the barrier. In a suffix the first element
// may be Start: then it begins where the program does, and is a whole context.
type Path []string

// Start stands for the beginning of the program at the head of a suffix.
const Start = "^"

// String is the form in files and reports: "main.f90:3 > ga.f90:7". Labels that
// would be misread are quoted as in Go.
func (p Path) String() string {
	var b strings.Builder
	for i, label := range p {
		if i > 0 {
			b.WriteString(" > ")
		}
		if i == 0 && label == Start {
			b.WriteString(Start)
		} else {
			b.WriteString(quoteLabel(label))
		}
	}
	return b.String()
}

func quoteLabel(label string) string {
	plain := label != "" && label != Start
	for i := 0; plain && i < len(label); i++ {
		c := label[i]
		if c >= utf8.RuneSelf { // the rest is rare, and slower
			plain = strings.IndexFunc(label[i:], special) < 0
			break
		}
		plain = !special(rune(c))
	}
	if plain {
		return label
	}
	return strconv.Quote(label)
}

// special reports whether a label with r must be quoted.
func special(r rune) bool {
	return r <= ' ' || r == '"' || r == '>' || r == '#' || r == 0x7f || r >= utf8.RuneSelf && !strconv.IsPrint(r)
}

// ParsePath reads what String writes and returns the rest of s, from a '#' on.
func ParsePath(s string) (p Path, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t")
		var label string
		switch {
		case s == "" || s[0] == '#' || s[0] == '>':
			return nil, "", errors.New("a call is missing: write a path as a > b > c, from the outer call to the barrier")
		case s[0] == '"':
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, "", errors.New("a quoted name has no end: close it with \"")
			}
			if label, err = strconv.Unquote(q); err != nil {
				return nil, "", fmt.Errorf("%s is no quoted name: quote it as in Go", q)
			}
			if len(p) == 0 && label == Start {
				return nil, "", errors.New("a call cannot be named \"^\": without quotes it is the start of the program")
			}
			s = s[len(q):]
		default:
			end := strings.IndexAny(s, " \t#>\"")
			if end < 0 {
				end = len(s)
			}
			label, s = s[:end], s[end:]
			if label == Start && len(p) > 0 {
				return nil, "", errors.New("^ is the start of the program: it can only be the first of a path")
			}
		}
		p = append(p, label)
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] == '#' {
			if len(p) == 1 && p[0] == Start {
				return nil, "", errors.New("the path has no barrier: write the calls after ^ >")
			}
			return p, s, nil
		}
		if s[0] != '>' {
			return nil, "", fmt.Errorf("unexpected %q after %s: put > between calls, and quotes around names with spaces", s, label)
		}
		s = s[1:]
	}
}

// Whole is the suffix that only the context p has.
func (p Path) Whole() Path { return append(Path{Start}, p...) }
