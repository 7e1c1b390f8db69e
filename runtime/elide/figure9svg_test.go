package elide_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var svgFile = flag.String("figure9", "", "with -bench Figure9: write the curves to `FILE`, an SVG")

// curve is the points of one way to learn of contexts, by redundancy.
type curve struct {
	name, colour string
	points       []point
}

// plot draws, over the share of redundant barriers, the time with the engine
// relative to plain barriers: the ratio of the fastest tenths of 500 pairs.
func plot(curves []curve) string {
	const (
		width, height      = 640, 400
		left, right        = 60.0, 170.0
		top, bottom        = 30.0, 50.0
		plotWidth          = width - left - right
		plotHeight         = height - top - bottom
		greatest, gridStep = 1.6, 0.2
	)
	x := func(redundant int) float64 { return left + plotWidth*float64(redundant)/100 }
	y := func(ratio float64) float64 { return top + plotHeight*(1-min(ratio, greatest)/greatest) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for i := 0; float64(i)*gridStep <= greatest+1e-9; i++ {
		r := float64(i) * gridStep
		colour := "#e3e7eb"
		if i == 5 {
			colour = "#7a8794" // a plain barrier
		}
		fmt.Fprintf(&b, `<path d="M%.1f %.1fH%.1f" stroke="%s"/><text x="%.1f" y="%.1f" text-anchor="end" fill="#444">%.1f</text>`+"\n", left, y(r), left+plotWidth, colour, left-8, y(r)+4, r)
	}
	for redundant := 0; redundant <= 100; redundant += 10 {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#444">%d</text>`+"\n", x(redundant), top+plotHeight+18, redundant)
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#222">redundant barriers, %%</text>`+"\n", left+plotWidth/2, height-10)
	fmt.Fprintf(&b, `<text x="16" y="%.1f" text-anchor="middle" fill="#222" transform="rotate(-90 16 %.1f)">time / time of plain barriers</text>`+"\n", top+plotHeight/2, top+plotHeight/2)
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" fill="#444">plain barrier</text>`+"\n", left+plotWidth+8, y(1)+4)
	for i, c := range curves {
		var path []string
		for _, p := range c.points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(p.redundant), y(p.quiet)))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%d %%: %.2f (%.1f ns of %.1f ns)</title></circle>`+"\n", x(p.redundant), y(p.quiet), c.colour, p.redundant, p.quiet, p.with, p.plain)
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), c.colour)
		fmt.Fprintf(&b, `<path d="M%.1f %.1fh18" stroke="%s" stroke-width="2"/><text x="%.1f" y="%.1f" fill="#222">%s</text>`+"\n",
			left+plotWidth+8, top+10+20*float64(i), c.colour, left+plotWidth+32, top+14+20*float64(i), c.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// write writes the curves where -figure9 says, and the table of the README.
func write(b *testing.B, curves []curve) {
	if *svgFile == "" {
		return
	}
	if err := os.WriteFile(*svgFile, []byte(plot(curves)), 0o666); err != nil {
		b.Fatal(err)
	}
	for _, c := range curves {
		head, ratios, times := "| redundant |", "| "+c.name+" |", "| ns per barrier, plain |"
		for _, p := range c.points {
			head += fmt.Sprintf(" %d %% |", p.redundant)
			ratios += fmt.Sprintf(" %.2f |", p.quiet)
			times += fmt.Sprintf(" %.0f, %.0f |", p.with, p.plain)
		}
		fmt.Printf("%s\n%s\n%s\n", head, ratios, times)
	}
}
