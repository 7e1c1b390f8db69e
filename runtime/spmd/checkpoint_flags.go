package spmd

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spmdc/spmdc/runtime/outfile"
	"github.com/spmdc/spmdc/runtime/snapshot"
)

// checkpointing is what the command line says about checkpoints.
type checkpointing struct {
	file      string
	restart   bool
	restarts  int
	output    string
	shown     int64
	again     bool
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
	f.BoolVar(&c.again, "again", false, "for who starts a run again: the file of -output is of this run, however it begins")
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
		return "-record follows runs from their beginning: leave out -restart and -restarts"
	}
	return ""
}

// begin makes the keeper of p, and opens the file for standard output. close is to be
// called at the end.
func (c *checkpointing) begin(p *Program, np int, stdout io.Writer, note io.Writer) (out io.Writer, close func() error, err error) {
	out, close = stdout, func() error { return nil }
	if p.process.rank != 0 {
		if c.file != "" {
			p.keeper = &keeper{}
		}
		return out, close, nil
	}
	var before passed // of the output
	if c.output != "" {
		if c.output, err = filepath.Abs(c.output); err != nil {
			return nil, nil, err
		}
	}
	if c.file != "" {
		if p.keeper, err = newKeeper(p, np, c.file, c.restart, note); err != nil {
			return nil, nil, err
		}
		p.keeper.output = c.output
		p.keeper.force, p.keeper.stopAfter, p.keeper.shown = c.force, c.stopAfter, c.shown
		if c.restart {
			p.Trace = nil // what there was of it is in another one
		}
		if p.keeper.from != nil {
			before = p.keeper.from.out
			c.again = c.again || p.keeper.from.file == c.output
		}
		c.again = c.again || c.output != "" && p.keeper.mine == c.output
	}
	if c.output == "" {
		return out, close, nil
	}
	f, err := c.openOutput(&before)
	if err != nil {
		return nil, nil, &UsageError{"-output=" + c.output + ": cannot write standard output there: " + err.Error(), "name another file"}
	}
	if c.restart && p.keeper.from == nil {
		if err := p.keeper.claim(p, np); err != nil {
			return nil, nil, &UsageError{c.file + ": cannot write checkpoints there: " + err.Error(), "name another file with -checkpoint"}
		}
	}
	return f, f.Close, nil
}

// errHoldsOther says why a file of output stays what it is.
var errHoldsOther = errors.New("it is there, and has something else in it: remove it first if it is not needed")

// openOutput opens the file for standard output, behind what was printed before. What
// is there must be output of this run: there is nothing else by which it could be told
// from the source of a program.
func (c *checkpointing) openOutput(before *passed) (*os.File, error) {
	st, err := os.Stat(c.output)
	if err == nil && !st.Mode().IsRegular() {
		if before.bytes > 0 || st.IsDir() {
			return nil, outfile.ErrNoFile
		}
		return os.OpenFile(c.output, os.O_WRONLY, 0)
	}
	f, err := os.OpenFile(c.output, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = c.cut(f, before); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// cut leaves of f what was printed before, and goes to its end.
func (c *checkpointing) cut(f *os.File, before *passed) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if other, err := os.Stat(c.file); c.file != "" && err == nil && os.SameFile(st, other) {
		return errors.New("it is the file of checkpoints")
	}
	switch {
	case before.bytes > 0:
		if err := before.same(f, "output", "printed"); err != nil {
			return err
		}
	case st.Size() > 0 && !c.again:
		return errHoldsOther
	}
	if err := f.Truncate(before.bytes); err != nil {
		return err
	}
	_, err = f.Seek(before.bytes, io.SeekStart)
	return err
}

// attempts runs the program, and again from its last checkpoint when it has failed: as
// often as the command line says, and always where a barrier was left out that was
// needed, since that one is not left out again. Where there are several processes, who has
// started them starts them again.
func (c *checkpointing) attempts(p *Program, np int, note io.Writer, once func() (*Stats, error)) (*Stats, error) {
	for n := 0; ; {
		stats, err := once()
		var fault *Error
		if p.keeper == nil || p.process.machine != nil || stats != nil || !errors.As(err, &fault) {
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
