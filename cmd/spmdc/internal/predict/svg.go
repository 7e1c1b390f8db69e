package predict

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/dataflow/plan"
)

// The size of the picture and of its margins, in pixels.
const (
	width, height            = 720, 440
	left, right, top, bottom = 70, 130, 30, 50
)

// colours and dashes of the plans, in the order of plan.Kinds: of lines that coincide each is
// seen.
var (
	colours = []string{"#0072b2", "#009e73", "#d55e00", "#cc79a7"}
	dashes  = []string{"none", "9 5", "2 4", "12 4 2 4"}
)

// SVGBegins is how a picture begins.
const SVGBegins = `<svg xmlns="http://www.w3.org/2000/svg" data-by="spmdc simulate"`

// SVG writes a picture of time against the number of PEs, both on logarithmic scales, with a line for each plan.
func (r *Report) SVG(w io.Writer) error {
	var pes []int
	least, most := math.Inf(1), 0.0
	for _, row := range r.Rows {
		if !slices.Contains(pes, row.PEs) {
			pes = append(pes, row.PEs)
		}
		if row.Seconds > 0 {
			least, most = min(least, row.Seconds), max(most, row.Seconds)
		}
	}
	slices.Sort(pes)
	if most == 0 {
		least, most = 0.1, 1
	}
	from, upto := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most)+1e-9)
	scale := func(v, lo, hi float64) float64 {
		if hi <= lo {
			return 0.5
		}
		return (v - lo) / (hi - lo)
	}
	x := func(n int) float64 {
		return left + (width-left-right)*scale(math.Log2(float64(n)), math.Log2(float64(pes[0])), math.Log2(float64(pes[len(pes)-1])))
	}
	y := func(s float64) float64 {
		return height - bottom - (height-top-bottom)*scale(math.Log10(s), from, upto)
	}
	var b strings.Builder
	fmt.Fprintf(&b, SVGBegins+` viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, sans-serif" font-size="12" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s: predicted time against the number of PEs</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", escaped(r.File))
	for e := from; e <= upto; e++ {
		at := y(math.Pow(10, e))
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g s</text>`+"\n", left, width-right, at, at, left-6, at+4, math.Pow(10, e))
	}
	for _, n := range pes {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(n), x(n), top, height-bottom, x(n), height-bottom+18, n)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">PEs</text>`+"\n", (left+width-right)/2, height-10)
	for k, kind := range plan.Kinds {
		var points []string
		for _, n := range pes {
			for _, row := range r.Rows {
				if row.PEs == n && row.Plan == kind && row.Seconds > 0 {
					points = append(points, fmt.Sprintf("%.1f,%.1f", x(n), y(row.Seconds)))
				}
			}
		}
		if len(points) == 0 {
			continue
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`, strings.Join(points, " "), colours[k], dashes[k])
		for _, p := range points {
			cx, cy, _ := strings.Cut(p, ",")
			fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="3" fill="%s"/>`, cx, cy, colours[k])
		}
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`, width-right+12, width-right+38, top+20+18*k, top+20+18*k, colours[k], dashes[k])
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", width-right+44, top+24+18*k, kind)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
