package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// printedReal is a real number as list-directed output writes it.
var printedReal = regexp.MustCompile(`-?[0-9]+\.[0-9]*(E[-+][0-9]+)?`)

// SortLines puts the lines of an output into an order that does not depend on
// which of several images was first, nor on roundoff.
func SortLines(output string) string {
	if output == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	keys := make(map[string]string, len(lines))
	for i, l := range lines {
		l = strings.Join(strings.Fields(l), " ")
		lines[i] = l
		keys[l] = printedReal.ReplaceAllStringFunc(l, func(s string) string {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return s
			}
			return fmt.Sprintf("%.5e", x)
		})
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(keys[a], keys[b]) })
	return strings.Join(lines, "\n") + "\n"
}

// Lines is Outputs for programs that print on several images: the same lines, in
// any order.
func Lines(want, got string, tol Tolerance) error {
	return Outputs(SortLines(want), SortLines(got), tol)
}
