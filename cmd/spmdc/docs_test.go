package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir/transform"
	"github.com/spmdc/spmdc/parser/source"
)

// documents are the texts whose command blocks run in TestDocuments. Blocks are fenced;
// a line "$ command" is a command, what follows it is what the documentation shows of
// its output: a line "..." stands for any lines, "..." in a line for any text. In front
// of the first command a block may have the program that it is about.
var documents = []string{"README.md", "examples/README.md", "examples/testdata/README.md", "docs/architecture.md", "docs/barrier-elision.md",
	"docs/checkpoints.md", "docs/codes.md", "docs/commands.md", "docs/evaluation.md", "docs/glossary.md", "docs/kernels.md", "docs/language.md", "docs/mpi.md", "docs/parallelisation.md", "docs/simulation.md",
	"docs/synchronisation.md", "docs/verification.md"}

// otherwise is a command that does not run as it stands in the text.
type otherwise struct {
	command string // in the text
	run     string // instead; "" for nothing
	why     string
	status  int  // exit status that is wanted
	sorted  bool // the lines come in any order
	shown   bool // the output is compared nevertheless
}

var exceptions = []otherwise{
	{command: "go test ./...", why: "these are the tests"},
	{command: "spmdc run -n 3 ring.f90", run: "spmdc run -n 3 ring.f90 2>&1", status: 1, sorted: true, shown: true, why: "ends in a deadlock, to show the message"},
	{command: "cat jacobi.txt", run: "cat jacobi.txt", why: "has times and the number of a build"},
	{command: "spmdc barriers validate", why: "runs the program many times"},
	{command: "spmdc run -n 3 --sync=barrier --barriers=plan:tred2.plan", why: "needs what barriers validate writes"},
	{command: "echo 31 30 17 2", run: "echo 31 30 17 2 | spmdc run -n 4 --sync=barrier --barriers=learn examples/testdata/elide/lateborder.hpf", status: 4, why: "ends with a misspeculation; which of the PEs comes first is left to chance"},
	{command: "spmdc run -n 2 --check --sync=popl96-literal", run: "spmdc run -n 2 --check --sync=popl96-literal --unsafe dataflow/testdata/defects/01-self-kill.hpf 2>&1", status: 1, why: "ends with the report of the checker; which put it is about is left to chance"},
	{command: "SPMD_PROCESSES_APART=1 spmdc run --transport=mpi -n 2 large.f90", why: "needs 12 GB of memory"},
	{command: "mpicc -g -fsanitize=thread", why: "needs MPI; cmd/spmdc/internal/mpi does it"},
	{command: "spmdc mpi", why: "needs programs with MPI, and minutes; cmd/spmdc/internal/mpi runs such"},
	{command: "spmdc bench benchmarks/lu.hpf", run: "spmdc bench --set=n=40 --runs=1 benchmarks/lu.hpf", why: "has times"},
	{command: "spmdc verify --random=300 --seed=31337000", run: "spmdc verify --random=1 --seed=31337000 --no-draw --sync=elide -n 1,2 --hold=2 --precision=2", why: "a campaign of minutes"},
	{command: "spmdc verify --random=300 --no-draw --sync=elide", run: "spmdc verify --random=1 --no-draw --sync=elide -n 2 --mutations=1", why: "a campaign of minutes"},
	{command: "spmdc run -n 4 --checkpoint=plate.ckpt --output", run: "spmdc run -n 4 --checkpoint=plate.ckpt --output=plate.txt plate.hpf < plate.in", why: "is interrupted by hand in the text"},
	{command: "spmdc run -n 4 --checkpoint=plate.ckpt --restart", run: "spmdc run -n 4 --checkpoint=plate.ckpt --restart --output=plate.txt plate.hpf < plate.in", why: "the checkpoint is that of an interrupted run"},
}

// shown is a command of a document, with what is shown of its output.
type shown struct {
	line    int
	command string
	output  []string
}

// block is a fenced block.
type block struct {
	line     int
	program  []string // what stands in front of the commands
	commands []shown
}

// blocks are the fenced blocks of a document.
func blocks(text string) []block {
	var all []block
	inside, more := false, false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			if inside = !inside; inside {
				all = append(all, block{line: i + 1})
			}
			continue
		}
		if !inside {
			continue
		}
		b := &all[len(all)-1]
		n := len(b.commands)
		command, prompt := strings.CutPrefix(line, "$ ")
		switch {
		case more:
			b.commands[n-1].command += "\n" + line
		case prompt:
			b.commands = append(b.commands, shown{line: i + 1, command: command})
		case n == 0 && strings.HasPrefix(line, "go "):
			command, _, _ := strings.Cut(line, " # ")
			all = append(all, block{line: i + 1, commands: []shown{{line: i + 1, command: strings.TrimSpace(command)}}}, block{line: i + 1})
		case n == 0:
			b.program = append(b.program, line)
		default:
			b.commands[n-1].output = append(b.commands[n-1].output, line)
		}
		more = strings.HasSuffix(line, `\`) && (prompt || more)
	}
	return slices.DeleteFunc(all, func(b block) bool { return len(b.commands) == 0 })
}

// TestDocuments runs the commands of the documentation in a copy of the programs that
// they are about, and compares what they print with what is shown.
func TestDocuments(t *testing.T) {
	bundletest.Runtime(t)
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "spmdc")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "SPMDC_CACHE="+t.TempDir())
	programs := t.TempDir()
	copyPrograms(t, programs)
	used, helped := map[string]bool{}, map[string]bool{}
	total := 0
	for _, document := range documents {
		text, err := os.ReadFile(filepath.Join("..", "..", document))
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range regexp.MustCompile(`(?m)^spmdc (\w+)`).FindAllStringSubmatch(string(text), -1) {
			if helped[command[1]] {
				continue
			}
			helped[command[1]] = true
			help := exec.Command("spmdc", "help", command[1])
			help.Path, help.Env = filepath.Join(bin, "spmdc"), env
			if out, err := help.CombinedOutput(); err != nil {
				t.Errorf("%s lists spmdc %s: %v\n%s", document, command[1], err, out)
			}
		}
		for _, b := range blocks(string(text)) {
			total += len(b.commands)
			for _, c := range b.commands {
				if e := exception(c.command); e != nil {
					used[e.command] = true
				}
			}
			t.Run(fmt.Sprintf("%s:%d", document, b.line), func(t *testing.T) {
				t.Parallel()
				b.run(t, env, programs, document == "README.md")
			})
		}
	}
	if total < 25 {
		t.Errorf("only %d commands found", total)
	}
	for _, e := range exceptions {
		if !used[e.command] {
			t.Errorf("no document has the command %q of the table", e.command)
		}
	}
}

func exception(command string) *otherwise {
	for i := range exceptions {
		if strings.HasPrefix(command, exceptions[i].command) {
			return &exceptions[i]
		}
	}
	return nil
}

// parts are the folders of programs that documents name.
var parts = []string{"examples", "benchmarks", "dataflow"}

// copyPrograms copies the programs that documents are about into a folder.
func copyPrograms(t *testing.T, dir string) {
	t.Helper()
	for _, part := range parts {
		if part == "dataflow" {
			part = "dataflow/testdata"
		}
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("..", "..", part))); err != nil {
			t.Fatal(err)
		}
	}
}

// run executes the commands of a block, one after another, in a folder of their own, from
// which links lead to the programs; those of the README that build programs always, others
// where all is to be tried. A block that leaves its folder has a copy of the programs.
func (b block) run(t *testing.T, env []string, programs string, readme bool) {
	dir := t.TempDir()
	if slices.ContainsFunc(b.commands, func(c shown) bool { return strings.HasPrefix(c.command, "cd ") }) {
		copyPrograms(t, dir)
	} else {
		for _, part := range parts {
			if err := os.Symlink(filepath.Join(programs, part), filepath.Join(dir, part)); err != nil {
				t.Fatal(err)
			}
		}
	}
	name := regexp.MustCompile(`\w+\.(f90|hpf)$`).FindString(b.commands[0].command)
	if len(b.program) > 0 {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(b.program, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range b.commands {
		if to, ok := strings.CutPrefix(c.command, "cd "); ok {
			dir = filepath.Join(dir, to)
			continue
		}
		command, want := strings.Replace(c.command, "go run ./cmd/spmdc ", "spmdc ", 1), otherwise{shown: true}
		if e := exception(c.command); e != nil {
			command, want = e.run, *e
		}
		builds := !strings.Contains(command, "explain") && !strings.Contains(command, "cat ")
		if builds && (testing.Short() || !effort.All() && !readme) {
			t.Logf("line %d and what follows is left out: it builds programs, with SPMDC_REQUIRE=all", c.line)
			return
		}
		if command == "" {
			t.Logf("line %d is left out: %s", c.line, want.why)
			continue
		}
		if strings.HasPrefix(command, "gfortran") {
			if _, err := exec.LookPath("gfortran"); err != nil {
				t.Skip("gfortran is not installed (Debian package gfortran)")
			}
		}
		run := exec.Command("sh", "-c", command)
		run.Dir, run.Env = dir, env
		var stdout, stderr bytes.Buffer
		run.Stdout, run.Stderr = &stdout, &stderr
		err := run.Run()
		if got := run.ProcessState.ExitCode(); got != want.status {
			t.Fatalf("line %d: %s: exit status %d, want %d: %v\n%s%s", c.line, command, got, want.status, err, stdout.Bytes(), stderr.Bytes())
		}
		if !want.shown {
			continue
		}
		got := strings.Split(strings.TrimRight(stdout.String(), "\n"), "\n")
		if want.sorted {
			slices.Sort(got)
			slices.Sort(c.output)
		}
		if err := compareShown(c.output, got); err != nil {
			t.Errorf("line %d: %s: %v", c.line, command, err)
		}
	}
}

// compareShown reports where got is not what the documentation shows; no output that
// is shown is no claim about it.
func compareShown(show, got []string) error {
	if len(show) == 0 {
		return nil
	}
	show = slices.Clone(show)
	for len(show) > 0 && show[len(show)-1] == "" {
		show = show[:len(show)-1]
	}
	at, anywhere := 0, false
	for i := 0; i < len(show); {
		if elision(show[i]) {
			anywhere = true
			i++
			continue
		}
		end := i
		for end < len(show) && !elision(show[end]) {
			end++
		}
		found, best, near := -1, -1, ""
		for from := at; from <= len(got) && found < 0; from++ {
			k := 0
			for k < end-i && from+k < len(got) && sameShown(show[i+k], got[from+k]) {
				k++
			}
			switch {
			case k == end-i && (end < len(show) || from+k == len(got)):
				found = from
			case k > best:
				best, near = k, ""
				if from+k < len(got) {
					near = got[from+k]
				}
			}
			if !anywhere {
				break
			}
		}
		if found < 0 {
			return fmt.Errorf("the text shows\n%s\nwhere the command prints\n%s", show[min(i+max(best, 0), end-1)], near)
		}
		at, anywhere, i = found+end-i, false, end
	}
	return nil
}

func elision(line string) bool { return strings.TrimSpace(line) == "..." }

// sameShown compares a line as shown with one that was printed.
func sameShown(show, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(show, " ")), `\.\.\.`, ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimRight(got, " "))
}

func TestCompareShown(t *testing.T) {
	got := strings.Fields("a b c d e abc")
	for _, c := range []struct {
		show string
		same bool
	}{
		{"a b c d e abc", true}, {"a ... abc", true}, {"... d e ...", true}, {"a ... c d e a...", true}, {"a b ...", true},
		{"b ...", false}, {"... d", false}, {"a ... d c ...", false}, {"a b c d e", false}, {"... x ...", false}, {"a ... c e abc", false},
	} {
		if err := compareShown(strings.Fields(c.show), got); (err == nil) != c.same {
			t.Errorf("%s: %v", c.show, err)
		}
	}
}

// TestCodes: docs/codes.md has every code of a diagnostic, what it means, and whether it
// is an error, as its example shows.
func TestCodes(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Codes of diagnostics\n\nThe code stands in brackets behind a message. `spmdc help CODE` shows a program that gives it.\n\n| code | | meaning |\n|---|---|---|\n")
	table := driver.Passes()
	for _, info := range source.Codes {
		c := driver.New("example.hpf", []byte(info.Example), driver.Options{Without: transform.Kinds})
		err := table.Run(c, driver.RunOptions{})
		if err != nil && !errors.Is(err, driver.ErrDiagnosed) {
			t.Fatalf("%s: %v", info.Code, err)
		}
		at := slices.IndexFunc(c.Diags.Diags, func(d *source.Diag) bool { return d.Code == info.Code })
		if at < 0 {
			t.Fatalf("the example of %s does not give it", info.Code)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", info.Code, c.Diags.Diags[at].Severity, strings.TrimSuffix(info.Doc, " (a warning)"))
	}
	golden.Text(t, filepath.Join("..", "..", "docs", "codes.md"), b.String())
}

// TestArchitectureNames: the folders and files that the documents name are there.
func TestArchitectureNames(t *testing.T) {
	named := 0
	for _, document := range []string{"docs/architecture.md", "docs/barrier-elision.md", "docs/verification.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", document))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`((?:parser|ir|cfg|procfunc|dataflow|codegen|runtime|cmd|internal|examples|docs)/[a-z0-9_/.]+)`").FindAllStringSubmatch(string(text), -1) {
			named++
			if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", document, m[1])
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d names found", named)
	}
}

// mostGolden is how many bytes a file that outputs are compared with may have: more than
// that nobody reads when it changes.
const mostGolden = 60 << 10

// mostReadme is how many lines README.md may have.
const mostReadme = 200

// TestSizes: README.md and the files that outputs are compared with are short.
func TestSizes(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n > mostReadme {
		t.Errorf("README.md has %d lines, at most %d", n, mostReadme)
	}
	seen := 0
	err = filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		wanted := strings.Contains(filepath.ToSlash(path), "/testdata/") || slices.Contains([]string{".golden", ".images", ".txtar"}, filepath.Ext(path))
		if !wanted {
			return nil
		}
		seen++
		info, err := d.Info()
		if err == nil && info.Size() > mostGolden {
			t.Errorf("%s has %d bytes, at most %d", path, info.Size(), mostGolden)
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("only %d files: %v", seen, err)
	}
}
