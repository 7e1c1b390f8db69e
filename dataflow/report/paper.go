package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// paperLine is a comment in which a program carries the counts of the paper's section 5
// for it: "! paper: 19 communications, 10 NoSync, 2 once, 7 Sync".
var paperLine = regexp.MustCompile(`(?mi)^[!cC*]\s*paper:\s*(\d+) communications, (\d+) NoSync, (\d+) once, (\d+) Sync\s*$`)

// Paper is the table of the paper's section 5, reference by reference: what the printed
// analysis, its sound form and plan elide say of each communication, and the counts,
// beside those of the paper where the source carries them.
func (r *Report) Paper(source string) string {
	t := &text{r: r}
	rows := [][]string{{"", "", "", "literal", "popl96", "elide"}}
	for i := range r.Communications {
		c := &r.Communications[i]
		rows = append(rows, []string{fmt.Sprintf("#%d", c.ID), strings.Join(c.References, ", "), fmt.Sprintf("line %d", c.Line), c.Literal.Verdict, c.PopL96, c.Elide.Verdict})
	}
	for i := range r.Collectives {
		c := &r.Collectives[i]
		rows = append(rows, []string{"", bare(c.Name), fmt.Sprintf("line %d", c.Line), "all PEs", "all PEs", "all PEs"})
	}
	for _, l := range columns(rows) {
		t.line("%s", l)
	}
	t.line("")
	paper := []int{}
	if m := paperLine.FindStringSubmatch(source); m != nil {
		for _, digits := range m[1:] {
			n, err := strconv.Atoi(digits)
			if err != nil {
				break // more digits than a count has
			}
			paper = append(paper, n)
		}
	}
	head := []string{""}
	if len(paper) == 4 {
		head = append(head, fmt.Sprintf("%7s", "paper"))
	}
	for _, f := range r.Table {
		head = append(head, fmt.Sprintf("%7s", f.Form))
	}
	rows = [][]string{head}
	for i, row := range []struct {
		name string
		of   func(Total) int
	}{
		{"communications", func(f Total) int { return f.Communications }},
		{"NoSync", func(f Total) int { return f.NoSync }},
		{"once", func(f Total) int { return f.Once }},
		{"Sync", func(f Total) int { return f.Sync }},
	} {
		cells := []string{row.name}
		if len(paper) == 4 {
			cells = append(cells, fmt.Sprintf("%7d", paper[i]))
		}
		for _, f := range r.Table {
			cells = append(cells, fmt.Sprintf("%7d", row.of(f)))
		}
		rows = append(rows, cells)
	}
	for _, l := range columns(rows) {
		t.line("%s", l)
	}
	if len(paper) == 0 {
		t.line("")
		t.wrap("", "The source does not say what the paper counts for it: a comment \"! paper: 19 communications, 10 NoSync, 2 once, 7 Sync\" would.")
	}
	return t.b.String()
}
