package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/traces"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// traceCmd shows what is in a file that run --trace wrote.
type traceCmd struct {
	Summary  traceSummaryCmd  `cmd:"" help:"Add it up: time by region of the source, waits by cause, messages by PE."`
	Critical traceCriticalCmd `cmd:"" help:"Find the critical path, and what other PEs waited for."`
	Timeline traceTimelineCmd `cmd:"" help:"Write a page with a lane for each PE: regions, messages and waits."`
	Compare  traceCompareCmd  `cmd:"" help:"Put the traces of two runs beside each other."`
	Serve    traceServeCmd    `cmd:"" help:"Show the page of a big trace on this machine: it loads what is in view."`
	Export   traceExportCmd   `cmd:"" help:"Write it in a form that other tools read."`
}

// traceFile is the trace that a command is about.
type traceFile struct {
	File string `arg:"" help:"The file that run --trace=FILE wrote."`
}

// read reads it.
func (f *traceFile) read() (*traces.Trace, error) {
	t, err := traces.Read(f.File)
	if err == nil {
		return t, nil
	}
	return nil, f.wrong(err)
}

// wrong is the error of a file that cannot be read.
func (f *traceFile) wrong(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return driver.Usagef("write a trace with spmdc run --trace=FILE", "%s: %v", f.File, err)
}

// traceResult prints what is computed from a trace.
type traceResult struct {
	traceFile
	Format string `default:"text" placeholder:"FORM" help:"text (the default) or json."`
}

// result is something that has a form for people and one for programs.
type result interface {
	Text(io.Writer) error
	JSON(io.Writer) error
}

func (cmd *traceResult) print(env *Env, of func(*traces.Trace) result) error {
	t, err := cmd.read()
	if err != nil {
		return err
	}
	return printResult(env, cmd.Format, of(t))
}

func printResult(env *Env, format string, r result) error {
	switch format {
	case "text":
		return written(r.Text(env.Stdout))
	case "json":
		return written(r.JSON(env.Stdout))
	}
	return driver.Usagef("write --format=text or --format=json", "--format=%s is not known", format)
}

type traceSummaryCmd struct{ traceResult }

func (cmd *traceSummaryCmd) Run(env *Env) error {
	return cmd.print(env, func(t *traces.Trace) result { return t.Summarise() })
}

type traceCriticalCmd struct {
	traceResult
	Steps bool `help:"List the steps of the path too: on which PE it is from when, and what that executes."`
}

func (cmd *traceCriticalCmd) Run(env *Env) error {
	return cmd.print(env, func(t *traces.Trace) result {
		c := t.Critical()
		c.WithSteps = cmd.Steps
		return c
	})
}

type traceTimelineCmd struct {
	traceFile
	Output string `short:"o" placeholder:"FILE" help:"The page; the default is the file with .html behind its name."`
}

func (cmd *traceTimelineCmd) Run(env *Env) error {
	t, err := cmd.read()
	if err != nil {
		return err
	}
	if cmd.Output == "" {
		cmd.Output = cmd.File + ".html"
	}
	return writeResult(env, cmd.Output, traces.TimelineBegins, t.Timeline)
}

type traceServeCmd struct {
	traceFile
	Port int `default:"0" placeholder:"N" help:"The port of 127.0.0.1; without it any that is free."`
}

func (cmd *traceServeCmd) Run(env *Env) error {
	file, err := os.Open(cmd.File)
	if err != nil {
		return cmd.wrong(err)
	}
	defer file.Close()
	s, err := traces.NewServer(file)
	if err != nil {
		return cmd.wrong(err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(cmd.Port)))
	if err != nil {
		return driver.Usagef("name another port with --port, or none", "%v", err)
	}
	fmt.Fprintf(env.Stdout, "http://%s/\n", l.Addr())
	return http.Serve(l, s)
}

type traceCompareCmd struct {
	First  string `arg:"" help:"The trace of one run."`
	Second string `arg:"" help:"That of the other."`
	Format string `default:"text" placeholder:"FORM" help:"text (the default) or json."`
	Output string `short:"o" placeholder:"FILE" help:"Write instead a page with the lanes of both on one axis of time."`
}

func (cmd *traceCompareCmd) Run(env *Env) error {
	var both [2]*traces.Trace
	for i, file := range []string{cmd.First, cmd.Second} {
		t, err := (&traceFile{file}).read()
		if err != nil {
			return err
		}
		both[i] = t
	}
	c := traces.Compare(both[0], both[1], [2]string{cmd.First, cmd.Second})
	if cmd.Output != "" {
		return writeResult(env, cmd.Output, traces.TimelineBegins, c.Page)
	}
	return printResult(env, cmd.Format, c)
}

type traceExportCmd struct {
	traceFile
	Format string `required:"" placeholder:"FORM" help:"otf2, a folder for Vampir and others; perfetto, for ui.perfetto.dev; csv, a line for each event; pprof, for go tool pprof."`
	Output string `short:"o" placeholder:"FILE" help:"The file to write, or for otf2 the folder; the default of a file is standard output."`
}

func (cmd *traceExportCmd) Run(env *Env) error {
	at := slices.IndexFunc(traces.Formats, func(f traces.Format) bool { return f.Name == cmd.Format })
	if at < 0 {
		return driver.Usagef("write --format=otf2, --format=perfetto, --format=csv or --format=pprof", "--format=%s is not known", cmd.Format)
	}
	format := traces.Formats[at]
	if format.Folder != nil && cmd.Output == "" {
		return driver.Usagef("name the folder with -o", "--format=%s makes a folder", cmd.Format)
	}
	t, err := cmd.read()
	if err != nil {
		return err
	}
	if format.Folder != nil {
		err := outfile.Folder(cmd.Output, func(folder string) error { return format.Folder(t, folder) })
		return resultError("another folder", cmd.Output, err)
	}
	return writeResult(env, cmd.Output, format.Begins, func(w io.Writer) error { return format.Write(t, w) })
}

// writeResult writes a result to a file, over one that begins in the same way only, or to
// standard output.
func writeResult(env *Env, file, begins string, write func(io.Writer) error) error {
	if file == "" {
		return written(write(env.Stdout))
	}
	return resultError("another file", file, outfile.Write(file, []string{begins}, write))
}

// resultError is the error of a command whose result could not be written.
func resultError(other, file string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return driver.Usagef("name "+other+" with -o", "%s: %v", file, err)
}
