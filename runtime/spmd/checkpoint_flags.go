package spmd

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/spmdc/spmdc/runtime/snapshot"
)

// checkpointing is what the command line says about checkpoints.
type checkpointing struct {
	file      string
	restart   bool
	restarts  int
	output    string
	shown     int64
	force     bool
	stopAfter int
}

func (c *checkpointing) flags(f *flag.FlagSet) {
	f.StringVar(&c.file, "checkpoint", "", "write a checkpoint to `FILE` wherever the program calls spmd_checkpoint; each replaces the one before")
	f.BoolVar(&c.restart, "restart", false, "go on from the checkpoint that -checkpoint names; from the beginning if there is none.\n"+
		"Standard input is to be the same again, from its beginning")
	f.IntVar(&c.restarts, "restarts", 0, "when the run fails, go on from its last checkpoint, up to `N` times")
	f.StringVar(&c.output, "output", "", "write standard output to `FILE`. With -restart what was printed after the checkpoint is first taken out of it")
	f.BoolVar(&c.force, "checkpoint-sync", true, "force each checkpoint to the disk, so that it outlasts a failure of the machine, and not only of the run")
	f.Int64Var(&c.shown, "shown", 0, "for who starts a run again: the first `N` bytes of its output have been seen, and are not printed again")
	f.IntVar(&c.stopAfter, "stop-after-checkpoint", 0, "for tests: end the run behind its `K`-th checkpoint, those before a restart included")
}

// preset makes a run that is to go on from a checkpoint one on as many PEs, unless the
// command line says how many.
func (c *checkpointing) preset(f *flag.FlagSet, n *int) {
	said := false
	f.Visit(func(x *flag.Flag) { said = said || x.Name == "n" })
	if said || !c.restart || c.file == "" {
		return
	}
	if parts, err := snapshot.Open(c.file); err == nil && len(parts) > 1 {
		*n = len(parts) - 1
	}
}

// wrong says what of the command line does not go together.
func (c *checkpointing) wrong(p *Program, trace string) string {
	switch {
	case c.shown != 0 && (c.file == "" || c.output != ""):
		return "-shown needs -checkpoint FILE, and standard output"
	case c.file == "" && (c.restart || c.restarts != 0 || c.stopAfter != 0):
		return "-restart, -restarts and -stop-after-checkpoint need -checkpoint FILE"
	case c.file == "":
		return ""
	case p.Identity == "":
		return "-checkpoint: the program takes no checkpoints: it has no call of spmd_checkpoint that is ever reached"
	case c.restarts < 0 || c.stopAfter < 0 || c.shown < 0:
		return "-restarts, -stop-after-checkpoint and -shown: the number must not be negative"
	case p.freeze != nil:
		return "-freeze runs the program several times: leave out -checkpoint"
	case p.Lates != nil && p.Lates.String() != "":
		return "-late: a message under way cannot be part of a checkpoint: leave out -checkpoint"
	case trace != "" && (c.restart || c.restarts > 0):
		return "-trace records runs from their beginning: leave out -restart and -restarts"
	}
	return ""
}

// begin makes the keeper of p, and opens the file for standard output. close is to be
// called at the end.
func (c *checkpointing) begin(p *Program, np int, stdout io.Writer, note io.Writer) (out io.Writer, close func() error, err error) {
	out, close = stdout, func() error { return nil }
	var at int64
	if c.file != "" {
		if p.keeper, err = newKeeper(p, np, c.file, c.restart, note); err != nil {
			return nil, nil, err
		}
		p.keeper.force, p.keeper.stopAfter, p.keeper.shown = c.force, c.stopAfter, c.shown
		if c.restart {
			p.Trace = nil // what there was of it is in another one
		}
		if p.keeper.from != nil {
			at = p.keeper.from.out
		}
	}
	if c.output == "" {
		return out, close, nil
	}
	f, err := os.OpenFile(c.output, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, &UsageError{"-output: " + err.Error(), "name a file that can be written"}
	}
	if err := cut(f, at); err != nil {
		return nil, nil, &Error{File: c.output, PE: -1, Msg: "cannot write standard output there: " + err.Error()}
	}
	return f, f.Close, nil
}

// cut leaves the first n bytes of f, and goes to their end.
func cut(f *os.File, n int64) error {
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return errors.New("it is no file")
	case st.Size() < n:
		return fmt.Errorf("the checkpoint comes behind %d bytes of output, and the file has %d", n, st.Size())
	}
	if err := f.Truncate(n); err != nil {
		return err
	}
	_, err = f.Seek(n, io.SeekStart)
	return err
}

// attempts runs the program, and again from its last checkpoint when it has failed: as
// often as the command line says, and always where a barrier was left out that was
// needed, since that one is not left out again.
func (c *checkpointing) attempts(p *Program, np int, note io.Writer, once func() (*Stats, error)) (*Stats, error) {
	for n := 0; ; {
		stats, err := once()
		var fault *Error
		if p.keeper == nil || stats != nil || !errors.As(err, &fault) {
			return stats, err
		}
		how := ""
		if m := speculative(err); m != nil {
			added, ferr := p.Forbid(m)
			if ferr != nil {
				fmt.Fprintf(note, "%s: the blacklist cannot be written: %v\n", p.Name, ferr)
			}
			if added > 0 {
				how = fmt.Sprintf("starting again without leaving out %s", count(added, "barrier context"))
			}
		}
		if how == "" {
			if n++; n > c.restarts {
				return nil, err
			}
			how = fmt.Sprintf("restart %d of at most %d", n, c.restarts)
		}
		if lerr := p.keeper.again(p, np); lerr != nil {
			return nil, errors.Join(err, lerr)
		}
		fmt.Fprintf(note, "%v\n%s: %s\n", err, p.Name, how)
		p.keeper.announce(p)
	}
}
