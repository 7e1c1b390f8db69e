// Package cli is the command line of spmdc: it turns arguments into calls of
// package driver, and errors into messages and exit statuses.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/bench"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/search"
	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/parser/source"
)

// Env is what the command line works with.
type Env struct {
	Stdin          *os.File
	Stdout, Stderr io.Writer
	Color          bool // diagnostics in colour
	TextColor      bool // texts on standard output in colour
	Progress       bool // what takes long says what it is at
	JSON           bool // diagnostics as JSON

	Context context.Context // a signal ends it; Main makes it

	args []string // of the program that run runs
}

// System is the process's own environment. Colour is for terminals, and only
// where the user has not asked for none.
func System() *Env {
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return &Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Progress: os.Getenv("TERM") != "dumb" && terminal(os.Stderr), Color: wanted && terminal(os.Stderr), TextColor: wanted && terminal(os.Stdout)}
}

func terminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// grammar is the command line as kong reads it.
type grammar struct {
	Compile  compileCmd  `cmd:"" help:"Write the program as a Go module."`
	Build    buildCmd    `cmd:"" help:"Build the program."`
	Run      runCmd      `cmd:"" help:"Compile, build (cached) and run the program; its input, output and exit status pass through."`
	Explain  explainCmd  `cmd:"" help:"Show what the compiler made of the program."`
	Verify   verifyCmd   `cmd:"" help:"Run the program under every plan with all checks, and compare what it prints."`
	Bench    benchCmd    `cmd:"" help:"Time the program against those of gfortran, and of others written by hand."`
	Simulate simulateCmd `cmd:"" help:"Predict how long the program would take on more PEs, or other machines."`
	Barriers barriersCmd `cmd:"" help:"Find out which barriers of a program order nothing, and plan to leave them out."`
	MPI      mpiCmd      `cmd:"" name:"mpi" help:"Find out which barriers of an MPI program order nothing, and leave them out, without changing the program."`
	Trace    traceCmd    `cmd:"" help:"Show what run --trace has written: where the time of a run went, and what waited for what."`
	Elide    barriersCmd `cmd:"" hidden:""` // as Barriers, in earlier versions
	Fmt      fmtCmd      `cmd:"" name:"fmt" help:"Format source files, and convert them between fixed and free form."`
	Module   moduleCmd   `cmd:"" help:"Print module spmd, which declares spmd_checkpoint, or hpf_library for other Fortran compilers."`
	Cache    cacheCmd    `cmd:"" help:"Show the cache of built programs, or clean it."`
	Passes   passesCmd   `cmd:"" help:"List the passes of the compiler."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
	Help     helpCmd     `cmd:"" help:"Explain a command, the code of a diagnostic, or the words of the glossary."`
}

// grammarFor is the part of the grammar that a command line needs: the command that it
// names, or everything where it names none. To read the grammar of all commands takes
// longer than to compile a small program.
func grammarFor(args []string) any {
	all := new(grammar)
	for t, i := reflect.TypeOf(*all), 0; len(args) > 0 && i < t.NumField(); i++ {
		name, ok := t.Field(i).Tag.Lookup("name")
		if !ok {
			name = strings.ToLower(t.Field(i).Name)
		}
		if name == args[0] && name != "help" { // which has to know the others
			return reflect.New(reflect.StructOf([]reflect.StructField{t.Field(i)})).Interface()
		}
	}
	return all
}

// Main runs one command line and returns the exit status.
func Main(args []string, env *Env) int {
	table := driver.Passes()
	if err := table.Validate(); err != nil {
		return env.fail(&driver.Failure{Status: driver.StatusInternal, Text: err.Error()})
	}
	ctx, stop := driver.Interruptible()
	defer stop()
	env.Context, table.Context = ctx, ctx
	var status int
	err := dispatch(rewrite(args), env, table, &status)
	if err != nil {
		return env.fail(err)
	}
	return status
}

// checked keeps the error of writing, which kong does not report.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// helpShown unwinds kong when it has printed the help that was asked for.
type helpShown struct{}

func dispatch(args []string, env *Env, table *driver.Table, status *int) (err error) {
	help := &checked{w: env.Stdout}
	k, err := kong.New(grammarFor(args),
		kong.Name("spmdc"),
		kong.Description("spmdc compiles Fortran with HPF directives, or with coarrays, into parallel Go programs. "+
			"Exit status: of run that of the program; 1 when the program is at fault, 2 for wrong usage, "+
			"3 for a defect of spmdc, 4 when a barrier was left out that was needed."),
		kong.Vars{"peers": strings.Join(bench.Known, ", "), "stages": strings.Join(table.Stages(), ", "), "plans": planNames(),
			"targets": listed(kernel.Targets), "kinds": kindNames(), "barriers": strconv.Itoa(search.DefaultBarrierThreshold), "memory": strconv.Itoa(search.DefaultMemory >> 20)},
		kong.Writers(help, env.Stderr),
		kong.WithHyphenPrefixedParameters(true),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(int) { panic(helpShown{}) }),
		kong.Bind(env, table, status),
	)
	if err != nil {
		return &driver.Failure{Status: driver.StatusInternal, Text: "command line: " + err.Error()}
	}
	k.Model.HelpFlag.Help = "Show this help."
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(helpShown); !ok {
				panic(r)
			}
			err = written(help.err)
		}
	}()
	if len(args) > 0 && (args[0] == "run" || args[0] == "mpi") {
		// What stands behind -- is for the program, or the command that starts it.
		if i := slices.Index(args, "--"); i >= 0 {
			args, env.args = args[:i], args[i+1:]
		}
	}
	if len(args) == 0 {
		k.Stdout = env.Stderr
		*status = driver.StatusUsage
		args = []string{"--help"}
	}
	ctx, err := k.Parse(args)
	if err != nil {
		return usage(err)
	}
	if f := unfinished(ctx, args[len(args)-1]); f != "" {
		return driver.Usagef(fmt.Sprintf("`spmdc help %s` shows how it is used", ctx.Selected().Path()), "%s: its value is missing", f)
	}
	return ctx.Run(k)
}

// unfinished is the flag that the last argument is, if it should have a value: kong
// takes none for an empty one where values may begin with a hyphen.
func unfinished(ctx *kong.Context, last string) string {
	for _, f := range ctx.Flags() {
		if !f.IsBool() && (last == "--"+f.Name || f.Short != 0 && last == "-"+string(f.Short)) {
			return last
		}
	}
	return ""
}

// rewrite gives the other spellings their command: `help CMD` is kong's
// `CMD --help`, and `--explain` is `explain`, which takes FILE and STAGE in any
// order. `-n=2`, which programs of spmdc take, is kong's `-n2`.
func rewrite(args []string) []string {
	if len(args) == 0 {
		return args
	}
	if args[0] != "mpi" { // which has the arguments of another command
		args = slices.Clone(args)
		for i, a := range args {
			if a == "--" {
				break
			}
			if n, ok := strings.CutPrefix(a, "-n="); ok && n != "" {
				args[i] = "-n" + n
			}
		}
	}
	rest := args[1:]
	stage, joined := strings.CutPrefix(args[0], "--explain=")
	switch {
	case joined:
		rest = append([]string{stage}, rest...)
	case args[0] == "--version":
		return append([]string{"version"}, rest...)
	case args[0] != "--explain":
		return args
	}
	return append([]string{"explain"}, rest...)
}

// plainWords says what kong expects to who does not program.
var plainWords = strings.NewReplacer("a valid 64 bit int", "a whole number", "a valid 64 bit uint", "a whole number from 0",
	"expected duration", "expected a time such as 90s or 2m")

// usage makes kong's parse errors usage Failures.
func usage(err error) error {
	var f *driver.Failure
	if errors.As(err, &f) {
		return f
	}
	var pe *kong.ParseError
	remedy := "`spmdc help` lists the commands"
	if errors.As(err, &pe) && pe.Context != nil {
		if node := pe.Context.Selected(); node != nil {
			remedy = fmt.Sprintf("`spmdc help %s` shows how it is used", node.Path())
		}
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "spmdc: "), ": time: ")
	return driver.Usagef(remedy, "%s", plainWords.Replace(text))
}

// fail prints an error and returns its exit status.
func (e *Env) fail(err error) int {
	if errors.Is(err, driver.ErrDiagnosed) {
		return driver.StatusProgram
	}
	var f *driver.Failure
	if !errors.As(err, &f) {
		f = &driver.Failure{Status: driver.StatusInternal, Text: err.Error()}
	}
	if e.JSON {
		j := json.NewEncoder(e.Stderr)
		j.SetEscapeHTML(false)
		_ = j.Encode(struct { // as diagnostics of a source
			Severity string `json:"severity"`
			Status   int    `json:"status"`
			Message  string `json:"message"`
			Help     string `json:"help,omitempty"`
		}{"error", f.Status, f.Text, f.Remedy})
		return f.Status
	}
	label, off := "", ""
	if e.Color {
		label, off = "\x1b[1;31m", "\x1b[0m"
	}
	fmt.Fprintf(e.Stderr, "%sspmdc:%s %s\n", label, off, source.PrintableText(f.Error()))
	return f.Status
}
