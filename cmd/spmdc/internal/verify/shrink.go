package verify

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Shrink looks for a smaller program that still fails, until it finds none or the
// time is over. It takes out whole constructs first and single lines last, and puts
// the branches of an IF in its place; fails says how a program fails, nil if it does
// not, or is none. It returns the smallest found and how that one fails; with nil,
// source itself does not fail.
//
// It knows no more of the language than which lines begin and end a block, so that
// programs of all generators can be shrunk.
func Shrink(source string, fails func(source string) error, end time.Time) (string, error) {
	lines := slices.Collect(strings.Lines(source))
	how := fails(source)
	if how == nil {
		return source, nil
	}
	seen := map[string]bool{source: true}
	try := func(candidate []string) bool {
		text := strings.Join(candidate, "")
		if seen[text] || time.Now().After(end) {
			return false
		}
		seen[text] = true
		err := fails(text)
		if err != nil {
			lines, how = candidate, err
		}
		return err != nil
	}
	for smaller := true; smaller && time.Now().Before(end); {
		smaller = false
		spans := constructs(lines)
		slices.SortStableFunc(spans, func(a, b span) int { return b.len() - a.len() })
		for _, s := range spans {
			for _, candidate := range s.without(lines) {
				if try(candidate) {
					smaller = true
					break
				}
			}
			if smaller {
				break // the spans are others now
			}
		}
	}
	return strings.Join(lines, ""), how
}

// span is a construct: the lines from..to, both included.
type span struct {
	from, to int
	middle   int  // of its ELSE; -1: none
	branch   bool // IF
}

func (s span) len() int { return s.to - s.from + 1 }

// without lists what may stand for the program without the construct.
func (s span) without(lines []string) (out [][]string) {
	keep := func(from, to int) {
		out = append(out, slices.Concat(lines[:s.from], lines[from:to], lines[s.to+1:]))
	}
	keep(s.from, s.from)
	if s.branch {
		end := s.to
		if s.middle >= 0 {
			keep(s.middle+1, s.to)
			end = s.middle
		}
		keep(s.from+1, end)
	}
	return out
}

var (
	opens  = regexp.MustCompile(`(?i)^\s*((\w+\s*:\s*)?(do\b|if\s*\(.*\)\s*then\s*(!.*)?$|associate\s*\(|select\b|critical\b|change\s+team\b)|type\s*(,[^:]*)?::\s*\w+\s*$|interface\b|(\w+(\(\w+\))?\s+)?(subroutine|function)\s+\w+\s*\(|module\s+\w+\s*$)`)
	branch = regexp.MustCompile(`(?i)^\s*if\b`)
	middle = regexp.MustCompile(`(?i)^\s*else\s*(!.*)?$`)
	closes = regexp.MustCompile(`(?i)^\s*end\s*(do|if|subroutine|function|module|associate|select|critical|team|type|interface)\b`)
	frame  = regexp.MustCompile(`(?i)^\s*((end\s*)?program\b|implicit\b|else\b)`)
)

// constructs lists the blocks, modules, procedures and single lines of a program,
// continued lines as one.
func constructs(lines []string) (out []span) {
	var stack []span
	for i := 0; i < len(lines); i++ {
		first := i
		for i+1 < len(lines) && strings.HasSuffix(strings.TrimSpace(lines[i]), "&") {
			i++
		}
		line := lines[first]
		switch {
		case closes.MatchString(line):
			if len(stack) == 0 {
				return nil // no program
			}
			s := stack[len(stack)-1]
			s.to = i
			out, stack = append(out, s), stack[:len(stack)-1]
		case opens.MatchString(line):
			stack = append(stack, span{from: first, middle: -1, branch: branch.MatchString(line)})
		case middle.MatchString(line) && len(stack) > 0:
			stack[len(stack)-1].middle = first
		case frame.MatchString(line) || strings.TrimSpace(line) == "":
		default:
			out = append(out, span{from: first, to: i, middle: -1})
		}
	}
	return out
}
