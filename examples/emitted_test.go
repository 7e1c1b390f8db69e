package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// hermetic is an environment in which the go command finds neither network nor
// anything that was downloaded before.
func hermetic(t *testing.T) []string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	return append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)), "GOPATH="+empty,
		"GOMODCACHE="+filepath.Join(empty, "mod"), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
}

// goIn runs the go command in a folder and returns what it prints.
func goIn(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestEmittedModules: what compile writes builds with the Go toolchain alone,
// and gofmt and vet have nothing to say.
func TestEmittedModules(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), e.name)
			spmdc(t, "compile", "-o", dir, e.source)
			env := hermetic(t)
			goIn(t, dir, env, "build", "-trimpath", "-o", "prog", ".")
			goIn(t, dir, env, "vet", ".")
			out, err := exec.Command("gofmt", "-l", filepath.Join(dir, "main.go")).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("gofmt -l: %v\n%s", err, out)
			}
		})
	}
}

// TestNoBoundsChecks: the innermost loops of nests that PEs execute on their own
// parts have no bounds checks in jacobi, matmul and tred2. The checks that a loop
// needs stand before it, where its slices are cut, on the line of its DO.
func TestNoBoundsChecks(t *testing.T) {
	for name, atLeast := range map[string]int{"jacobi": 3, "matmul": 3, "tred2": 15} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(name, name+".hpf")
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			stepped := steppedLoops(string(spmdc(t, "explain", source, "comm")))
			dir := filepath.Join(t.TempDir(), name)
			spmdc(t, "compile", "-o", dir, source)
			out := goIn(t, dir, hermetic(t), "build", "-o", "prog", "-gcflags=-d=ssa/check_bce", ".")
			checked := boundsChecks(out, filepath.Base(source))
			if len(checked) == 0 {
				t.Fatalf("the compiler reports no bounds check anywhere in %s: does -d=ssa/check_bce still work?\n%s", name, out)
			}
			loops := 0
			for _, l := range innermost(lines) {
				if slices.Contains(stepped, l.head) || l.hasIO || l.depth == 1 {
					continue
				}
				loops++
				for n := l.head + 1; n < l.end; n++ {
					if checked[n] {
						t.Errorf("a bounds check in the innermost loop of line %d:\n%s:%d: %s", l.head, source, n, lines[n-1])
					}
				}
			}
			if loops < atLeast {
				t.Errorf("only %d innermost loops looked at, want %d or more", loops, atLeast)
			}
		})
	}
}

var (
	steppedLine = regexp.MustCompile(`(?m)^  line (\d+), do `)
	doLine      = regexp.MustCompile(`(?i)^\s*do\b`)
	endDoLine   = regexp.MustCompile(`(?i)^\s*end\s*do\b`)
	ioLine      = regexp.MustCompile(`(?i)^\s*(print|read|write)\b`)
)

// steppedLoops are the lines of the loops that all PEs step through together,
// from the text of explain comm.
func steppedLoops(explain string) []int {
	var lines []int
	for _, m := range steppedLine.FindAllStringSubmatch(explain, -1) {
		n, _ := strconv.Atoi(m[1])
		lines = append(lines, n)
	}
	return lines
}

// loop is a DO loop by the lines of its DO and END DO.
type loop struct {
	head, end int
	depth     int  // number of loops around and including it
	inner     bool // holds another loop
	hasIO     bool
}

// innermost finds the loops that hold no other loop. The examples have one
// statement per line and no labelled loops.
func innermost(lines []string) []loop {
	var open, found []loop
	for i, line := range lines {
		switch {
		case doLine.MatchString(line):
			if len(open) > 0 {
				open[len(open)-1].inner = true
			}
			open = append(open, loop{head: i + 1, depth: len(open) + 1})
		case endDoLine.MatchString(line) && len(open) > 0:
			l := open[len(open)-1]
			open = open[:len(open)-1]
			if l.end = i + 1; !l.inner {
				found = append(found, l)
			}
		case ioLine.MatchString(line) && len(open) > 0:
			open[len(open)-1].hasIO = true
		}
	}
	return found
}

// boundsChecks are the source lines for which the Go compiler reports one.
func boundsChecks(out, file string) map[int]bool {
	report := regexp.MustCompile(fmt.Sprintf(`(?m)(?:^|/)%s:(\d+)(?::\d+)?: Found Is(?:Slice)?InBounds`, regexp.QuoteMeta(file)))
	lines := make(map[int]bool)
	for _, m := range report.FindAllStringSubmatch(out, -1) {
		n, _ := strconv.Atoi(m[1])
		lines[n] = true
	}
	return lines
}
