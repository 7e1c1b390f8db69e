package examples_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// TestArrayStatements: programs of benchmarks/arrays come in two forms, with array
// statements and with the loops that these stand for. Both print the same, and send the same
// messages. -update writes the table of docs/evaluation.md, with times.
func TestArrayStatements(t *testing.T) {
	if !*update {
		effort.Full(t, "twenty programs for one comparison")
	}
	found, err := filepath.Glob("../benchmarks/arrays/*.array.hpf")
	if err != nil || len(found) < 10 {
		t.Fatalf("only %d pairs: %v", len(found), err)
	}
	sources := map[string]string{}
	var names []string
	for _, f := range found {
		name := strings.TrimSuffix(filepath.Base(f), ".array.hpf")
		names = append(names, name)
		sources[name+".array"], sources[name+".loops"] = f, strings.TrimSuffix(f, ".array.hpf")+".loops.hpf"
	}
	programs := variants(t, sources, []string{""})
	var table strings.Builder
	table.WriteString("| program | data messages, array statements | data messages, loops | time, 1 PE | time, 2 PEs |\n|---|---|---|---|---|\n")
	for _, name := range names {
		array, _ := programs(name+".array", "")
		loops, _ := programs(name+".loops", "")
		a, textA := counted(t, array)
		b, textB := counted(t, loops)
		if textA != textB {
			t.Errorf("%s: array statements print\n%sand loops\n%s", name, textA, textB)
		}
		if a != b {
			t.Errorf("%s: array statements send %d messages, loops %d", name, a, b)
		}
		fmt.Fprintf(&table, "| %s | %d | %d |", name, a, b)
		for n := 1; n <= 2 && *update; n++ {
			times := wallTimes(t, n, array, loops)
			fmt.Fprintf(&table, " %.2f |", times[0]/times[1])
		}
		table.WriteString("\n")
	}
	if *update {
		replaceTable(t, "../docs/evaluation.md", "| program | data messages, array statements", table.String())
	}
}

// counted runs p on several PEs and returns its data messages and what it prints.
func counted(t *testing.T, p bundletest.Program) (data int, text string) {
	t.Helper()
	cmd := p.Command("-n", tablePEs, "-stats")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", p.Name, err, stderr.Bytes())
	}
	m := total.FindSubmatch(stderr.Bytes())
	if m == nil {
		t.Fatalf("%s: no total in\n%s", p.Name, stderr.Bytes())
	}
	data, _ = strconv.Atoi(string(m[1]))
	return data, stdout.String()
}

// wallTimes are the median times of programs on n PEs, in seconds, of 15 runs of each in random order.
func wallTimes(t *testing.T, n int, programs ...bundletest.Program) []float64 {
	t.Helper()
	const rounds = 15
	times := make([][]float64, len(programs))
	for range rounds {
		for _, i := range rand.Perm(len(programs)) {
			cmd := programs[i].Command("-n", strconv.Itoa(n))
			start := time.Now()
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v", programs[i].Name, err)
			}
			times[i] = append(times[i], time.Since(start).Seconds())
		}
	}
	medians := make([]float64, len(programs))
	for i, all := range times {
		slices.Sort(all)
		medians[i] = all[rounds/2]
	}
	return medians
}

// replaceTable writes the table that begins with head in a document anew.
func replaceTable(t *testing.T, document, head, table string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), head)
	if !ok {
		t.Fatalf("%s has no table that begins with %q", document, head)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	if err := os.WriteFile(document, []byte(before+table+"\n"+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
