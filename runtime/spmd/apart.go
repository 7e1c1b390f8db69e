package spmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

// Where there are several processes, each with one or more PEs, all run the program with the same
// command line. That of PE 0 reads the input, shows what all print, and has the exit status; the
// others send it, when they have come to their ends, how that was.

// place of a process in a run; the zero value is the one process of a run in which PEs are
// goroutines.
type process struct {
	machine     transport.Processes // nil: there is no other process
	rank, ranks int
	*progress
}

// progress is how far a process has come.
type progress struct {
	first  int  // the first of its PEs
	count  int  // how many it has
	joined bool // it has joined the others
	ran    bool // Run has been called
	alone  bool // PE 0 is lost, and this process has given the error
	failed bool // the run need not have: it may be started again
	errors io.Writer
}

// endingVariable names a file for how the run ended: its exit status, "failed" if it may be started again from a
// checkpoint, a line feed, and what was written to the standard error output. It is for those that start mpirun, which loses a part of that at times
// when it ends the processes. On another host it does not exist.
const endingVariable = "SPMD_ENDING"

func writeEnding(status int, failed bool, said []byte) {
	if f, err := os.OpenFile(os.Getenv(endingVariable), os.O_WRONLY, 0); err == nil {
		again := ""
		if failed {
			again = " failed"
		}
		fmt.Fprintf(f, "%d%s\n%s", status, again, said)
		f.Close()
	}
}

// apart runs a program as one of several processes and returns its exit status, which is 0
// but for PE 0.
func apart(p Program, machine transport.Processes, args []string, stdin io.Reader, stdout, stderr io.Writer, body func(*PE)) int {
	rank, ranks, err := machine.Begin()
	if err != nil {
		if rank != 0 { // all have the same error; mpirun would kill the first before it is written
			return exitOK
		}
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return exitFault
	}
	var said bytes.Buffer
	stderr = io.MultiWriter(stderr, &said)
	p.process = process{machine, rank, ranks, &progress{errors: stderr}}
	if rank != 0 {
		stdin, stdout, stderr = nil, io.Discard, io.Discard
	}
	status := run(p, args, stdin, stdout, stderr, body)
	switch {
	case !p.process.joined: // the command line is wrong
		_, _, _ = machine.Join(0, false)
	case !p.process.ran:
		// What PE 0 finds wrong with the command line keeps all from running.
		_ = machine.Run(func([]transport.Wait) error { return nil }, func(t transport.Transport) { t.Abort(transport.ErrElsewhere) })
		machine.Leave(nil, func() {})
	}
	switch {
	case p.process.alone:
		status = exitFault
	case rank != 0:
		status = exitOK
	}
	if rank == 0 || p.process.alone {
		writeEnding(status, p.process.failed || p.process.alone, said.Bytes())
	}
	machine.End()
	return status
}

// join takes part in the run of n PEs.
func (r *process) join(n int, alike bool) error {
	first, count, err := r.machine.Join(n, alike)
	if err == nil {
		r.first, r.count, r.joined = first, count, true
	}
	return err
}

// unsuited says what of the command line a run of processes cannot do, and what can.
func (p *Program) unsuited(points *checkpointing, asked *provoke) error {
	const remedy = "run it with --transport=inproc, the default"
	switch {
	case p.process.machine == nil:
		return nil
	case points.restarts > 0:
		return &UsageError{"-restarts: processes cannot start each other again", "start them by spmdc run --transport=mpi --restarts=N, or again with -restart"}
	case asked.freeze.on || asked.trace != "":
		return &UsageError{"-freeze and -record follow the PEs of one process", remedy}
	}
	return nil
}

// run runs body on all PEs, or on those of this process.
func (r *process) run(n int, stuck func([]transport.Wait) error, body func(transport.Transport)) error {
	if r.machine == nil {
		return inproc.Run(n, stuck, body)
	}
	r.ran = true
	return r.machine.Run(stuck, body)
}

// printer writes to one of the outputs of PE 0.
type printer struct {
	machine transport.Processes
	errors  bool
}

func (w printer) Write(b []byte) (int, error) {
	w.machine.Print(b, w.errors)
	return len(b), nil
}

// output is newOutput of this process.
func (r *process) output(stdout io.Writer) *output {
	if r.machine == nil {
		return newOutput(stdout)
	}
	if r.rank != 0 {
		return &output{w: printer{r.machine, false}, errors: printer{r.machine, true}, lines: true}
	}
	o := newOutput(stdout)
	o.others = r.machine.Printed
	return o
}

// collectPeriod is how long what others print may wait at PE 0.
const collectPeriod = 5 * time.Millisecond

// collect shows what others print until end is closed.
func (o *output) collect(end chan struct{}) {
	tick := time.NewTicker(collectPeriod)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			o.take()
		}
	}
}

// elsewhereError is the error of another process.
type elsewhereError struct {
	text   string
	status int
}

func (e *elsewhereError) Error() string { return e.text }

// conclude ends the run of a process, which ended with err on its PEs. In that of PE 0 it adds what
// the others did, and returns the error of the run; in the others it returns nil.
func (r *process) conclude(p *Program, out *output, pes []*PE, ended *stops, elsewhere *elidedElsewhere, err error) error {
	measured := ""
	if p.observer != nil && r.rank != 0 && err == nil {
		var b []byte
		b, err = p.observer.Report()
		measured = string(b)
	}
	report := []any{failureOf(p, err), elidedHere(p, pes, err), measured}
	for q := r.first; r.rank != 0 && q < len(pes) && pes[q] != nil; q++ {
		report = append(report, stopOfPE(ended, q), countsOf(pes[q]))
	}
	own := packed(report...)
	if r.rank != 0 {
		left := r.machine.Leave(own, func() {})
		if left[0] == nil && err != nil && !errors.Is(err, transport.ErrElsewhere) {
			fmt.Fprintln(r.errors, err)
			r.alone = true
		}
		return nil
	}
	all := r.machine.Leave(own, out.take)
	if errors.Is(err, transport.ErrElsewhere) {
		err = nil
	}
	if failed := r.machine.Failure(); err == nil && failed != nil { // found when this process had nothing more to do
		err = located(p, failed)
	}
	for q, report := range all {
		if q == 0 || len(report) == 0 {
			continue
		}
		list := unpacked(report)
		if err == nil {
			err = failureFrom(list[0])
		}
		elsewhere.add(p, list[1].(string))
		if measured := list[2].(string); measured != "" && err == nil {
			err = p.observer.Add([]byte(measured))
		}
		for list = list[3:]; len(list) > 0; list, q = list[2:], q+1 {
			if stop, _ := list[0].([]any); len(stop) > 0 {
				ended.note(q, &StopError{Code: stop[0].(int), Line: stop[1].(string)})
			}
			pes[q] = &PE{counts: countsFrom(list[1])}
		}
	}
	if m := elsewhere.Failed; m != nil && (err == nil || errors.As(err, new(*elsewhereError))) {
		err = p.misspeculation(m, nil)
	}
	return err
}

// failureOf is an error as values: its text, the exit status, and whether it is an ERROR STOP.
func failureOf(p *Program, err error) any {
	var stop *StopError
	var usage *UsageError
	switch {
	case err == nil || errors.Is(err, transport.ErrElsewhere):
		return nil
	case errors.As(err, &stop):
		return []any{stop.Line, stop.Code, true}
	case errors.As(err, &usage):
		return []any{fmt.Sprintf("%s: %v", p.Name, err), exitUsage, false}
	}
	return []any{err.Error(), exitFault, false}
}

func failureFrom(v any) error {
	list, _ := v.([]any)
	switch {
	case list == nil:
		return nil
	case list[2].(bool):
		return &StopError{Line: list[0].(string), Code: list[1].(int)}
	}
	return &elsewhereError{text: list[0].(string), status: list[1].(int)}
}

func stopOfPE(s *stops, pe int) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.by[pe]; e != nil {
		return []any{e.Code, e.Line}
	}
	return nil
}

// countsOf is the counters of a PE as values, site by site.
func countsOf(pe *PE) any {
	if pe == nil {
		return nil
	}
	pe.countBarriers()
	var list []any
	for _, c := range pe.counts {
		list = append(list, int(c.Calls), int(c.Data), int(c.Ready), int(c.Bytes), int(c.Waits), int(c.Elided), int(c.Barriers))
	}
	return list
}

func countsFrom(v any) (counts []Counts) {
	list, _ := v.([]any)
	next := func() int64 {
		n := list[0].(int)
		list = list[1:]
		return int64(n)
	}
	for len(list) > 0 {
		counts = append(counts, Counts{Calls: next(), Data: next(), Ready: next(), Bytes: next(), Waits: next(), Elided: next(), Barriers: next()})
	}
	return counts
}
