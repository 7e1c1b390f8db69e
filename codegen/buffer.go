package codegen

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
)

// buffer collects lines of Go, each with the source line it stands for, and
// renders them with //line directives only where the count goes wrong.
type buffer struct {
	lines []line
	at    int // source line of what is written now, 0 for none
}

type line struct {
	text  string
	at    int
	fails bool // as mayFail
	phase bool // begins or ends a phase
}

func (b *buffer) p(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	for _, t := range strings.Split(text, "\n") {
		b.lines = append(b.lines, line{text: t, at: b.at})
	}
}

// fallible is p of a line that can panic by the fault of the user's program, which does not
// show.
func (b *buffer) fallible(format string, args ...any) {
	b.p(format, args...)
	b.lines[len(b.lines)-1].fails = true
}

// mayFail reports whether a line of Go can panic by the fault of the user's
// program, so that its position must be exact. Behind a directive the count
// drifts by a line for each further line of the same statement; for the others
// that does no harm.
func mayFail(text string) bool {
	if strings.Contains(text, "func(q") {
		return false
	}
	for _, s := range []string{".Data[", ".Every(", ".Spaced(", "At + ", "At]", "/", "%", "spmd.", "pe.Box(", "pe.Idx(", ".Load(", ".Store(", "pe.Sync", "pe.Lock(", "Go(&", ".Place(", ".Follow(", ".Resize("} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// bytes renders the lines. place gives the file and line that //line directives name; own is
// the name of the Go file, for what has no source line.
func (b *buffer) bytes(place func(line int) (string, int), own string) ([]byte, error) {
	var out bytes.Buffer
	mapped := 0     // source line that the compiler believes the next line to be, 0: own
	said := 0       // source line that the last lines with an exact position stand for
	n := 0          // lines written
	behind := false // a comment, which a directive must not follow: gofmt would make them one
	directive := func(file string, line int) {
		if behind {
			out.WriteByte('\n')
			n++
			if mapped > 0 {
				mapped++
			}
		}
		n++
		if line == 0 {
			line = n + 1
		}
		fmt.Fprintf(&out, "//line %s:%d\n", file, line)
	}
	for _, l := range b.lines {
		text := strings.TrimSpace(l.text)
		comment := strings.HasPrefix(text, "//")
		code := text != "" && text != "}" && text != ")" && text != "})" && !comment
		switch {
		case code && l.at > 0 && mapped != l.at && (said != l.at || l.fails || mayFail(text)):
			directive(place(l.at))
			mapped, said = l.at, l.at
		case code && l.at == 0 && said != 0:
			directive(own, 0)
			mapped, said = 0, 0
		case code && mapped == l.at:
			said = l.at
		}
		behind = comment
		out.WriteString(l.text)
		out.WriteByte('\n')
		n++
		if mapped > 0 {
			mapped++
		}
	}
	text, err := format.Source(out.Bytes())
	if err != nil {
		return out.Bytes(), fmt.Errorf("emitted program does not parse: %w", err)
	}
	return text, nil
}
