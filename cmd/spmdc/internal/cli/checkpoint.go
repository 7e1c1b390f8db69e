package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/fortran"
)

// checkpointFlags are those of the emitted program that concern checkpoints.
type checkpointFlags struct {
	Checkpoint string `placeholder:"FILE" help:"Write a checkpoint to FILE wherever the program calls spmd_checkpoint."`
	Restart    bool   `help:"Go on from that checkpoint, if there is one; standard input is to be the same again."`
	Restarts   int    `placeholder:"N" help:"When the run fails, go on from its last checkpoint, up to N times; 0 is the default."`
	Output     string `short:"o" placeholder:"FILE" help:"Write standard output to FILE; with --restart, behind what belongs to the checkpoint."`
}

// args are the same for the program.
func (f *checkpointFlags) args() []string {
	var args []string
	if f.Checkpoint != "" {
		args = append(args, "-checkpoint", f.Checkpoint)
	}
	if f.Restart {
		args = append(args, "-restart")
	}
	if f.Restarts != 0 {
		args = append(args, "-restarts", strconv.Itoa(f.Restarts))
	}
	if f.Output != "" {
		args = append(args, "-output", f.Output)
	}
	return args
}

// again makes the arguments with which the program is started again, from those of the
// first time: it goes on from its checkpoint, prints nothing twice, and gets the same
// input, which must be a file for that. A checkpoint that was there before is of another
// run: before the first one of this run it begins from the start.
func (f *checkpointFlags) again(args []string, stdin *os.File) func(shown int64) ([]string, error) {
	var begin int64
	var pipe error
	if stdin != nil {
		begin, pipe = stdin.Seek(0, io.SeekCurrent)
	}
	before, _ := os.Stat(f.Checkpoint)
	return func(shown int64) ([]string, error) {
		if pipe != nil {
			return nil, errors.New("its input is no file, and cannot be read again")
		}
		if stdin != nil {
			if _, err := stdin.Seek(begin, io.SeekStart); err != nil {
				return nil, err
			}
		}
		more := slices.Clone(args)
		now, err := os.Stat(f.Checkpoint)
		own := err == nil && (before == nil || !os.SameFile(before, now) || !before.ModTime().Equal(now.ModTime()))
		if own && !f.Restart {
			more = append(more, "-restart")
		}
		if f.Output == "" {
			more = append(more, "-shown", strconv.FormatInt(shown, 10))
		} else {
			more = append(more, "-again")
		}
		return more, nil
	}
}

type moduleCmd struct {
	Name   string `arg:"" optional:"" enum:"spmd,hpf_library" default:"spmd" help:"The module: spmd, the default, or hpf_library."`
	Output string `short:"o" placeholder:"FILE" help:"Write it to this file, which must not exist; the default is standard output."`
}

// Run writes the module.
func (cmd *moduleCmd) Run(env *Env) error {
	text := fortran.SPMD
	if cmd.Name == "hpf_library" {
		text = fortran.Library(nil)
	}
	if cmd.Output == "" {
		_, err := env.Stdout.Write(text)
		return written(err)
	}
	f, err := os.OpenFile(cmd.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(cmd.Output) // half of it
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return driver.Usagef("choose another file with -o, or remove this one", "%s: the file exists", cmd.Output)
	case err != nil:
		return driver.Usagef("choose another file with -o", "cannot write the module: %v", err)
	}
	return nil
}
