package codegen

import (
	"slices"
	"strings"
)

// code is a line of Go without its comment, and with its string literals
// emptied.
func code(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			b.WriteString(`""`)
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(text[i:], "//"):
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end - 1
				continue
			}
			return b.String()
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// mentions reports whether Go text uses identifier name, not as a field.
func mentions(text, name string) bool {
	if !strings.Contains(text, name) {
		return false
	}
	text = code(text)
	isIdent := func(b byte) bool {
		return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
	}
	for i := 0; ; {
		k := strings.Index(text[i:], name)
		if k < 0 {
			return false
		}
		i += k
		end := i + len(name)
		if (i == 0 || !isIdent(text[i-1]) && text[i-1] != '.') && (end == len(text) || !isIdent(text[end])) {
			return true
		}
		i = end
	}
}

// mentionedIn reports whether one of the lines uses identifier name.
func mentionedIn(lines []line, name string) bool {
	return slices.ContainsFunc(lines, func(l line) bool { return mentions(l.text, name) })
}

// identifiers adds the words of lines to set, those of comments and literals
// aside.
func identifiers(set map[string]bool, lines []line) {
	for _, l := range lines {
		for _, w := range strings.FieldsFunc(code(l.text), func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			set[w] = true
		}
	}
}
