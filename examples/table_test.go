package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// tablePEs is how many PEs the messages are counted for.
const tablePEs = "4"

// verdicts counts the communications of a program, or of a part of it, by what an
// analysis says of them; those with a ready message on demand are counted as sync too.
type verdicts struct{ noSync, once, sync, onDemand int }

func (v verdicts) all() int { return v.noSync + v.once + v.sync }

// elided is how the forms of plan elide are counted: proved, on demand, always.
func (v verdicts) elided() string {
	return fmt.Sprintf("%d + %d + %d", v.noSync+v.once, v.onDemand, v.sync-v.onDemand)
}

func (v verdicts) String() string { return fmt.Sprintf("%d + %d + %d", v.noSync, v.once, v.sync) }

// eliminated is the share that needs no ready message.
func (v verdicts) eliminated() string {
	if v.all() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(v.noSync+v.once)/float64(v.all()))
}

// analyse asks for the verdicts of a plan on the communications whose reference
// stands in the lines from..to.
func analyse(t *testing.T, source, plan string, from, to int, flags ...string) verdicts {
	t.Helper()
	var view struct {
		Data struct {
			Slots []struct {
				Line     int
				Ready    bool
				OnDemand bool `json:"on_demand"`
				Verdict  string
			}
		}
	}
	args := append([]string{"explain", source, "plan", "--format=json", "--sync=" + plan}, flags...)
	if err := json.Unmarshal(spmdc(t, args...), &view); err != nil {
		t.Fatal(err)
	}
	var v verdicts
	for _, s := range view.Data.Slots {
		if s.Line < from || s.Line > to {
			continue
		}
		switch s.Verdict {
		case "NoSync":
			v.noSync++
		case "Once":
			v.once++
		case "Sync":
			v.sync++
			if s.OnDemand {
				v.onDemand++
			}
		default:
			t.Fatalf("%s, %s: line %d has the verdict %q", source, plan, s.Line, s.Verdict)
		}
		if s.Ready != (s.Verdict == "Sync") {
			t.Errorf("%s, %s: line %d has the verdict %s and ready message: %t", source, plan, s.Line, s.Verdict, s.Ready)
		}
	}
	return v
}

var total = regexp.MustCompile(`(?m)^ *\d+ +(\d+) +(\d+) [ \d]+ total, `)

// messages counts the data and ready messages that a run sends.
func messages(t *testing.T, e example, plan string) (data, ready int) {
	t.Helper()
	cmd := build(t, e.source, plan).Command("-n", tablePEs, "-stats")
	if e.input != "" {
		in, err := os.Open(e.input)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", e.name, err, stderr.Bytes())
	}
	m := total.FindSubmatch(stderr.Bytes())
	if m == nil {
		t.Fatalf("%s: no total in\n%s", e.name, stderr.Bytes())
	}
	data, _ = strconv.Atoi(string(m[1]))
	ready, _ = strconv.Atoi(string(m[2]))
	return data, ready
}

func ratio(ready, data int) string {
	if data == 0 {
		return "0 / 0"
	}
	return fmt.Sprintf("%d / %d = %.2f", ready, data, float64(ready)/float64(data))
}

// figures are the rows of the paper's section 5: what it says, by hand, of a part
// of a program. The part is given by the lines that it starts in front of and
// ends with.
var figures = []struct {
	name, what, from, to string
	paper                verdicts
}{
	{"tred2", "the algorithm", "! ---- reduction to tridiagonal form", "e(1) = 0.0d0", verdicts{noSync: 10, once: 2, sync: 7}},
	{"grid", "the kernel", "do it = 1, ncycles", "inew = iswap", verdicts{sync: 4}},
}

// lines finds the part of a program between two lines.
func lines(t *testing.T, source, from, to string) (first, last int) {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		switch line = strings.TrimSpace(line); {
		case first == 0 && strings.HasPrefix(line, from):
			first = i + 1
		case first > 0 && last == 0 && strings.HasPrefix(line, to):
			last = i + 1
		}
	}
	if first == 0 || last == 0 {
		t.Fatalf("%s: no part from %q to %q", source, from, to)
	}
	return first, last
}

// elided are the programs of which elide leaves no ready message to be sent.
var elided = map[string]bool{
	"fig3": true, "fig5": true, "fig6": true, "floyd": true, "grid": true, "heat3d": true, "irregular": true, "jacobi": true, "life": true, "lu": true, "matmul": true, "redblack": true, "shallow": true, "shapes": true, "sweep": true, "transpose": true, "tred2": true, "wavefront": true,
}

// TestTable: the paper's table for every example, and what it says of its own,
// which docs/evaluation.md shows too. -update writes both.
func TestTable(t *testing.T) {
	if !*update {
		effort.Full(t, "all plans of all examples")
	}
	t.Parallel()
	const anyLine = 1 << 30
	var b strings.Builder
	b.WriteString("| program | communications | popl96-literal: NoSync + once + Sync | eliminated | popl96: NoSync + once + Sync | eliminated | elide: proved + on demand + always | handshake: ready / data messages | popl96: ready / data messages | elide: ready / data messages |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	var handshake, popl96, elide [2]int
	for _, e := range examples(t) {
		literal := analyse(t, e.source, "popl96-literal", 0, anyLine)
		sound := analyse(t, e.source, "popl96", 0, anyLine)
		full := analyse(t, e.source, "elide", 0, anyLine)
		data, ready := messages(t, e, "handshake")
		data2, ready2 := messages(t, e, "popl96")
		data3, ready3 := messages(t, e, "elide")
		// Reductions send data too, without ready messages.
		if ready > data || data2 != data || ready2 > ready {
			t.Errorf("%s: handshake sends %d ready and %d data messages, popl96 %d and %d", e.name, ready, data, ready2, data2)
		}
		if data3 != data || ready3 > ready2 {
			t.Errorf("%s: popl96 sends %d ready and %d data messages, elide %d and %d", e.name, ready2, data2, ready3, data3)
		}
		if elided[e.name] && ready3 != 0 {
			t.Errorf("%s: elide sends %d ready messages, want none", e.name, ready3)
		}
		elide[0], elide[1] = elide[0]+ready3, elide[1]+data3
		handshake[0], handshake[1] = handshake[0]+ready, handshake[1]+data
		popl96[0], popl96[1] = popl96[0]+ready2, popl96[1]+data2
		fmt.Fprintf(&b, "| %s | %d | %v | %s | %v | %s | %v | %s | %s | %s |\n", e.name, sound.all(), literal, literal.eliminated(), sound, sound.eliminated(), full.elided(), ratio(ready, data), ratio(ready2, data2), ratio(ready3, data3))
	}
	fmt.Fprintf(&b, "| all | | | | | | | %s | %s | %s |\n", ratio(handshake[0], handshake[1]), ratio(popl96[0], popl96[1]), ratio(elide[0], elide[1]))
	b.WriteString("\n| NoSync + once + Sync; elide: proved + on demand + always | the paper, by hand | popl96-literal, `--no-transform=all` | popl96, `--no-transform=all` | elide, `--no-transform=all` | popl96-literal | popl96 | elide |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, f := range figures {
		source := filepath.Join(f.name, f.name+".hpf")
		from, to := lines(t, source, f.from, f.to)
		fmt.Fprintf(&b, "| %s, %s | %d: %v |", f.name, f.what, f.paper.all(), f.paper)
		for _, flags := range [][]string{{"--no-transform=all"}, nil} {
			for _, plan := range []string{"popl96-literal", "popl96", "elide"} {
				v := analyse(t, source, plan, from, to, flags...)
				counts := v.String()
				if plan == "elide" {
					counts = v.elided()
				}
				fmt.Fprintf(&b, " %d: %s |", v.all(), counts)
			}
		}
		b.WriteString("\n")
	}
	golden := filepath.Join("testdata", "table.golden")
	was, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../docs/evaluation.md")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if len(was) > 0 && !bytes.Contains(document, was) {
			t.Error("docs/evaluation.md does not hold the old table, so the new one has no place in it")
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if len(was) > 0 {
			document = bytes.Replace(document, was, []byte(b.String()), 1)
			if err := os.WriteFile("../docs/evaluation.md", document, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		was = []byte(b.String())
	}
	if err := sameLines(string(was), b.String()); err != nil {
		t.Errorf("the table differs from %s (go test -update rewrites it): %v", golden, err)
	}
	if !bytes.Contains(document, was) {
		t.Errorf("docs/evaluation.md does not hold the table of %s", golden)
	}
}
