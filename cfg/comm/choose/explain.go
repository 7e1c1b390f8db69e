package choose

import (
	"fmt"
	"strings"
)

// Explain is the text of stage transform: what was chosen, what did not pay, and
// what would change the meaning of the program.
func (r *Result) Explain() string {
	var b strings.Builder
	section := func(title string, v Verdict, text func(d Decision)) {
		first := true
		for _, d := range r.Decisions {
			if d.Verdict != v {
				continue
			}
			if first {
				if b.Len() > 0 {
					b.WriteString("\n")
				}
				b.WriteString(title + "\n")
			}
			first = false
			fmt.Fprintf(&b, "  line %d, %s: %s", d.Line, d.Head, d.Kind)
			text(d)
		}
	}
	costs := func(d Decision) {
		fmt.Fprintf(&b, ": %s\n      estimated cost %.2f, was %.2f", d.What, d.After, d.Before)
		if d.Together > 1 {
			fmt.Fprintf(&b, ", for %d tried together", d.Together)
		}
		if d.Verdict == NoGain && d.After < d.Before {
			b.WriteString(", which is too little for what it takes")
		}
		b.WriteString("\n")
	}
	why := func(d Decision) { fmt.Fprintf(&b, ": %s\n", d.Why) }
	section("chosen; costs are of the outermost statement around, in messages:", Chosen, costs)
	section("would not pay:", NoGain, costs)
	section("not possible:", Impossible, why)
	section("not tried:", Untried, why)
	if b.Len() == 0 {
		b.WriteString("nothing to transform\n")
	}
	return b.String()
}
