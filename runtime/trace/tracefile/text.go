package tracefile

import (
	"fmt"
	"strings"
)

// Name is a region in words, with the procedures around it.
func (d *Definitions) Name(region int) string {
	g := d.Regions[region]
	text := strings.TrimSpace(g.Kind + " " + g.Name)
	for up := g.Parent; up >= 0; up = d.Regions[up].Parent {
		if d.Regions[up].Kind == "procedure" {
			text += " in " + d.Regions[up].Name
		}
	}
	return text
}

// Lines is the lines of a region, with its file if that is not the program's.
func (d *Definitions) Lines(region int) string {
	g := d.Regions[region]
	text := fmt.Sprint(g.Line)
	if g.Last > g.Line {
		text = fmt.Sprintf("%d-%d", g.Line, g.Last)
	}
	return text + d.of(g.File)
}

// SiteName is a communication in words; -1 stands for what belongs to none.
func (d *Definitions) SiteName(site int) string {
	if site < 0 {
		return "other"
	}
	return strings.TrimSpace(d.Sites[site].Kind + " " + d.Sites[site].Reference)
}

// ReadyElided names the ready messages that were left out.
const ReadyElided = "elided ready message"

// Elided is how many ready messages of a site were left out, on all PEs.
func (s *SiteDef) Elided() (n int64) {
	for _, c := range s.Counts {
		n += c.Elided
	}
	return n
}

// SiteLine is its line.
func (d *Definitions) SiteLine(site int) string {
	if site < 0 {
		return "-"
	}
	return fmt.Sprint(d.Sites[site].Line) + d.of(d.Sites[site].File)
}

func (d *Definitions) of(file string) string {
	if file == d.Regions[0].File {
		return ""
	}
	return " of " + file
}

// Text says it in words, and for each of so many iterations.
func (e *Energy) Text(iterations int64) string {
	if e.Unreadable != "" {
		return "energy: not readable here (" + e.Unreadable + ")"
	}
	var zones []string
	for _, z := range e.Zones {
		zones = append(zones, z.Name+" "+joules(z.Joules))
	}
	text := fmt.Sprintf("energy: %s (%s) of the whole machine", joules(e.Joules), strings.Join(zones, ", "))
	if iterations > 0 {
		text += fmt.Sprintf(", %s for each of %d iterations", joules(e.Joules/float64(iterations)), iterations)
	}
	return text
}

// Text says it in words, and what was sent for each of so many iterations.
func (n *Network) Text(iterations int64) string {
	if n.Unreadable != "" {
		return "network: not readable here (" + n.Unreadable + ")"
	}
	if len(n.Interfaces) == 0 {
		return "network: nothing was sent or received"
	}
	var list []string
	var sent int64
	for _, x := range n.Interfaces {
		sent += x.Sent
		list = append(list, fmt.Sprintf("%s sent %s and received %s", x.Name, size(float64(x.Sent)), size(float64(x.Received))))
	}
	text := "network: " + strings.Join(list, ", ") + ", of the whole machine"
	if iterations > 0 {
		text += fmt.Sprintf(", %s for each of %d iterations", size(float64(sent)/float64(iterations)), iterations)
	}
	return text
}

// size is a number of bytes in text.
func size(bytes float64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.5g GB", bytes/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.5g MB", bytes/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.5g kB", bytes/1e3)
	}
	return fmt.Sprintf("%.3g bytes", bytes)
}

func joules(j float64) string {
	if j >= 1 {
		return fmt.Sprintf("%.2f J", j)
	}
	return fmt.Sprintf("%.3f J", j)
}

// Duration is a time in seconds in text, of nine characters or fewer below 10000 s.
func Duration(s float64) string {
	switch {
	case s >= 10:
		return fmt.Sprintf("%.1f s", s)
	case s >= 1:
		return fmt.Sprintf("%.3f s", s)
	case s >= 1e-3:
		return fmt.Sprintf("%.2f ms", s*1e3)
	case s >= 1e-6:
		return fmt.Sprintf("%.2f us", s*1e6)
	}
	return fmt.Sprintf("%.0f ns", s*1e9)
}
