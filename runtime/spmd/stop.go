package spmd

import (
	"fmt"
	"strings"
	"sync"
)

// StopError is how a program ended that executed STOP or ERROR STOP.
type StopError struct {
	Code int    // exit status, of which systems keep the lowest 8 bits
	Line string // what the statement writes to standard error, as gfortran's does; "": nothing
}

func (e *StopError) Error() string { return e.Line }

// stopping is the panic value that carries a PE from STOP to its end.
type stopping struct{}

// FailImage is FAIL IMAGE: this image is gone, and the others find that out.
func (pe *PE) FailImage(site int) {
	if p := pe.t.Alloc(line); p != nil {
		pe.t.Free(p)
		e := pe.errorAt(site, "FAIL IMAGE, and the images are processes, which do not see each other fail")
		e.Hint = "run it without mpirun"
		pe.t.Abort(e)
	}
	pe.stops.fail(pe.id)
	panic(stopping{})
}

// Stop is STOP. What stands behind the word is an int, which becomes the exit
// status, a string, or nothing: then nothing is said. All PEs reach it, but in a
// program with coarrays: there it ends this image.
func (pe *PE) Stop(code ...any) {
	e := stopOf("STOP", code)
	if len(code) == 0 {
		e.Line = ""
	}
	pe.stop(e)
}

// ErrorStop is ERROR STOP: without an int the exit status is 1. In a program with
// coarrays it ends all images.
func (pe *PE) ErrorStop(code ...any) {
	e := stopOf("ERROR STOP", code)
	if len(code) == 0 {
		e.Code = 1
	} else if _, ok := code[0].(string); ok {
		e.Code = 1
	}
	if pe.prog.Coarray {
		pe.t.Abort(e)
	}
	pe.stop(e)
}

// stopOf is what a statement says, and its exit status if it names one.
func stopOf(word string, code []any) *StopError {
	e := &StopError{Line: word + " "}
	if len(code) == 0 {
		return e
	}
	switch c := code[0].(type) {
	case int32:
		e.Code = int(c)
		e.Line += fmt.Sprint(c)
	case int:
		e.Code = c
		e.Line += fmt.Sprint(c)
	case string:
		e.Line += c
	default:
		panic(fmt.Sprintf("the code of STOP is a %T", c))
	}
	return e
}

func (pe *PE) stop(e *StopError) {
	pe.stops.note(pe.id, e)
	panic(stopping{})
}

// stops is what the PEs of a run have said by STOP. The lock is for runs that fail:
// a PE that an abort left behind may still come to a STOP.
type stops struct {
	mu sync.Mutex
	by []*StopError // by PE

	failed map[int]bool // PEs that have executed FAIL IMAGE
}

func (s *stops) fail(pe int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = map[int]bool{}
	}
	s.failed[pe] = true
}

// hasFailed reports whether a PE has executed FAIL IMAGE.
func (s *stops) hasFailed(pe int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed[pe]
}

func (s *stops) note(pe int, e *StopError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[pe] = e
}

// all is how the run ended, nil for an end without message and status. In a program
// with coarrays each image has its own line, and the exit status is the first
// that is not 0; in others all PEs have stopped in the same way.
func (s *stops) all(images bool) *StopError {
	s.mu.Lock()
	defer s.mu.Unlock()
	by := s.by
	if !images {
		by = by[:1]
	}
	end := &StopError{}
	var lines []string
	for _, e := range by {
		if e == nil {
			continue
		}
		if e.Line != "" {
			lines = append(lines, e.Line)
		}
		if end.Code&0xff == 0 {
			end.Code = e.Code
		}
	}
	end.Line = strings.Join(lines, "\n")
	if len(lines) == 0 && end.Code == 0 {
		return nil
	}
	return end
}

// before puts what images had said ahead of the error that ended the run.
func (s *stops) before(err error) error {
	said := s.all(true)
	if said == nil || said.Line == "" {
		return err
	}
	return &afterStop{said.Line, err}
}

// afterStop is an error of a run in which some images had stopped with a message.
type afterStop struct {
	said string
	error
}

func (e *afterStop) Error() string {
	// An ERROR STOP is one of the messages itself.
	return e.said + "\n" + e.error.Error()
}

func (e *afterStop) Unwrap() error { return e.error }
