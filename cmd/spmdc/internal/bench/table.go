package bench

import (
	"fmt"
	"io"
	"strings"
)

// Write writes the report as a table: rows have the ratios of their times to those of
// other rows.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%s", r.File)
	if len(r.Set) > 0 {
		fmt.Fprintf(w, ", %s", strings.Join(r.Set, ", "))
	}
	fmt.Fprintf(w, ": medians of %d runs in random order\n\n", r.Runs)
	width := 0
	for _, c := range r.Contenders {
		width = max(width, len(c.Name))
	}
	fmt.Fprintf(w, "   %-*s  PEs     time  spread     best", width, "")
	for k := range r.Contenders {
		fmt.Fprintf(w, " %7s", fmt.Sprintf("of %d", k+1))
	}
	fmt.Fprintln(w)
	own := false
	for i, c := range r.Contenders {
		pes := ""
		if c.PEs > 0 {
			pes = fmt.Sprint(c.PEs)
		}
		mark := " "
		if c.Own {
			mark, own = "*", true
		}
		fmt.Fprintf(w, "%2d %-*s %4s %8s%s %5.1f %% %8s", i+1, width, c.Name, pes, short(c.Median), mark, 100*c.Spread/c.Median, short(c.Best))
		for k := range r.Contenders {
			if k == i {
				fmt.Fprintf(w, " %7s", "")
			} else {
				fmt.Fprintf(w, " %7.2f", r.Ratios[i][k])
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	if own {
		fmt.Fprintln(w, "* as the program says, without its start")
	}
	for _, m := range r.Measuring {
		fmt.Fprintf(w, "measuring %s takes %.3f of the time without, +- %.3f; a region or an activity begins every %s\n", m.Name, m.Ratio, m.Error, short(m.Lasts))
	}
	if r.OneWay[0] > 0 {
		fmt.Fprintf(w, "one way between two processors: %s (%s to %s)\n", short(r.OneWay[0]), short(r.OneWay[1]), short(r.OneWay[2]))
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

// short is a time with three digits.
func short(s float64) string {
	for _, u := range []struct {
		unit  string
		scale float64
	}{{"s", 1}, {"ms", 1e3}, {"us", 1e6}} {
		if x := s * u.scale; x >= 0.9995 {
			switch {
			case x < 9.995:
				return fmt.Sprintf("%.2f %s", x, u.unit)
			case x < 99.95:
				return fmt.Sprintf("%.1f %s", x, u.unit)
			}
			return fmt.Sprintf("%.0f %s", x, u.unit)
		}
	}
	return fmt.Sprintf("%.0f ns", s*1e9)
}
