package cli

import (
	"errors"
	"io/fs"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/traces"
)

// traceCmd shows what is in a file that run --trace wrote.
type traceCmd struct {
	Summary traceSummaryCmd `cmd:"" help:"Add it up: time by region of the source, waits by cause, messages by PE."`
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
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return nil, driver.Usagef("write a trace with spmdc run --trace=FILE", "%s: %v", f.File, err)
}

type traceSummaryCmd struct {
	traceFile
	Format string `default:"text" placeholder:"FORM" help:"text (the default) or json."`
}

func (cmd *traceSummaryCmd) Run(env *Env) error {
	t, err := cmd.read()
	if err != nil {
		return err
	}
	s := t.Summarise()
	switch cmd.Format {
	case "text":
		err = s.Text(env.Stdout)
	case "json":
		err = s.JSON(env.Stdout)
	default:
		return driver.Usagef("write --format=text or --format=json", "--format=%s is not known", cmd.Format)
	}
	return written(err)
}
