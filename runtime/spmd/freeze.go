package spmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spmdc/spmdc/runtime/check"
)

// frozen is the freeze test: Run, and again for each PE to be held, which stops between
// arrival and end of use of every communication until all others stand still. No
// put may come meanwhile, which the checks of the run see, and the output must be
// that of the first run, which is the one that is written. The statistics are
// those of the first run, and Held that of all.
//
// All runs get the same input, which is read to its end before the first.
func frozen(p Program, np int, stdin io.Reader, stdout io.Writer, body func(*PE)) (*Stats, error) {
	var input []byte
	if stdin != nil {
		var err error
		if input, err = io.ReadAll(stdin); err != nil {
			return nil, &Error{File: p.File, PE: -1, Msg: "cannot read standard input: " + err.Error()}
		}
	}
	once := func(holds *check.Holds, out io.Writer) (*Stats, error) {
		q := p
		q.Holds = holds
		return Run(q, np, bytes.NewReader(input), out, body)
	}
	var want bytes.Buffer
	var both io.Writer = &want
	if stdout != nil {
		both = io.MultiWriter(&want, stdout)
	}
	stats, err := once(nil, both)
	how := ending(err)
	if stats == nil {
		return nil, err
	}
	p.Trace = nil // that of the first run is enough
	for _, pe := range p.freeze.pes(np) {
		var got bytes.Buffer
		again, e := once(check.Freeze(pe), &got)
		switch {
		case ending(e) != how:
			return stats, fmt.Errorf("%w\n  found with PE %d held wherever data have arrived", e, pe)
		case !bytes.Equal(got.Bytes(), want.Bytes()):
			return stats, &Error{File: p.File, PE: -1, Msg: fmt.Sprintf("the output is another one when PE %d is held wherever data have arrived", pe)}
		}
		stats.Held += again.Held
	}
	return stats, err
}

// ending is how a run ended, in words.
func ending(err error) string {
	var stop *StopError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &stop):
		return fmt.Sprintf("%d %s", stop.Code, stop.Error())
	}
	return err.Error()
}
