package spmd

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spmdc/spmdc/runtime/transport"
)

// Error is what ended a run: where, on which PE, why, and what may help.
type Error struct {
	File string
	Line int // 0: unknown
	PE   int // -1: none in particular
	// Images: PEs are called images, and counted from 1.
	Images bool
	Msg    string
	Hint   string

	cause error // what Unwrap gives
}

// Unwrap is the error of the library that this one tells of, or nil: an
// *elide.Misspeculation.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.PE >= 0 {
		b.WriteString(peName(e.Images, e.PE) + ": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString("\n  " + e.Hint)
	}
	return b.String()
}

// peName is what messages call a PE.
func peName(images bool, pe int) string {
	if images {
		return fmt.Sprintf("image %d", pe+1)
	}
	return fmt.Sprintf("PE %d", pe)
}

// Fault is the panic value of the library's own checks. It has no position:
// that is found from the stack.
type Fault struct{ Msg, Hint string }

func (f *Fault) Error() string { return f.Msg }

// recover turns a panic of the program into the error that ends the run.
func (pe *PE) recover() {
	switch v := recover().(type) {
	case nil:
	case stopping:
		defer func() {
			if v := recover(); v != nil {
				if _, ok := v.(transport.Unwind); !ok {
					panic(v)
				}
			}
		}()
		pe.finish()
	case transport.Unwind:
	default:
		if pe.together && pe.id != 0 {
			return // PE 0 fails in the same place
		}
		defer func() { _ = recover() }() // Abort unwinds; there is nothing left to unwind
		pe.t.Abort(pe.fault(v))
	}
}

// fault describes a panic value. The source line is that of the innermost
// frame that lies in the program's own source.
func (pe *PE) fault(v any) *Error {
	e := &Error{PE: pe.id, Images: pe.prog.Coarray}
	e.File, e.Line = panicLine(pe.prog)
	switch v := v.(type) {
	case *Fault:
		e.Msg, e.Hint = v.Msg, v.Hint
	case runtime.Error:
		e.Msg = strings.TrimPrefix(v.Error(), "runtime error: ")
		switch {
		case strings.Contains(e.Msg, "out of range"):
			e.Hint = "a subscript may have left its array: compile with --check to see which"
		case strings.Contains(e.Msg, "divide by zero"):
			e.Hint = "test the divisor before the division"
		}
	case error:
		e.Msg = v.Error()
		if h, ok := v.(interface{ Hint() string }); ok {
			e.Hint = h.Hint()
		}
	default:
		e.Msg = fmt.Sprint(v)
	}
	if e.Line == 0 {
		e.Msg = "internal error: " + e.Msg
		e.Hint = strings.TrimSpace(string(debug.Stack()))
	}
	return e
}

// panicLine is the place of the innermost frame of the panicking goroutine whose
// file has the base name of one of p's, line 0 where there is none. It is called while a deferred function
// handles the panic, so that the frames are still there.
func panicLine(p *Program) (string, int) {
	pcs := make([]uintptr, 64)
	pcs = pcs[:runtime.Callers(2, pcs)]
	files := map[string]string{filepath.Base(p.File): p.File}
	for _, f := range p.Files {
		files[filepath.Base(f.Name)] = f.Name
	}
	for frames := runtime.CallersFrames(pcs); ; {
		frame, more := frames.Next()
		if file, ok := files[path.Base(filepath.ToSlash(frame.File))]; ok {
			return file, frame.Line
		}
		if !more {
			return p.File, 0
		}
	}
}

// place is how messages name a site.
func place(p *Program, site int) string {
	if site < 0 || site >= len(p.Sites) {
		return p.File
	}
	file, line := p.Place(p.Sites[site].Line)
	return fmt.Sprintf("%s:%d", file, line)
}

// deadlock makes the report of a run in which no PE can move: the cycle of PEs
// that wait for each other, or the chain that ends at a PE that has returned.
func deadlock(p *Program, waits []transport.Wait) error {
	chain, closed := waitChain(waits)
	e := &Error{File: p.File, PE: -1}
	for _, w := range chain {
		if !w.Returned && w.Site >= 0 && w.Site < len(p.Sites) {
			e.File, e.Line = p.Place(p.Sites[w.Site].Line)
			break
		}
	}
	var b strings.Builder
	these, one, gone := "PEs", "a PE", "returned"
	if p.Coarray {
		these, one, gone = "images", "an image", "stopped"
	}
	switch last := chain[len(chain)-1]; {
	case last.Kind == transport.WaitNotice:
		fmt.Fprintf(&b, "deadlock: no image can go on")
	case closed:
		fmt.Fprintf(&b, "deadlock: these %s wait for each other", these)
	default:
		fmt.Fprintf(&b, "deadlock: %s has %s while others wait for it", one, gone)
	}
	for _, w := range chain {
		if w.Returned {
			fmt.Fprintf(&b, "\n  %s has %s", peName(p.Coarray, w.PE), gone)
			continue
		}
		fmt.Fprintf(&b, "\n  %s at %s waits %s", peName(p.Coarray, w.PE), place(p, w.Site), purpose(p, w))
	}
	e.Msg = b.String()
	return e
}

// waitChain follows the waits from the lowest PE that waits until a PE appears
// for the second time (a cycle, returned without what led to it) or one that
// has returned.
func waitChain(waits []transport.Wait) (chain []transport.Wait, closed bool) {
	at := 0
	for waits[at].Returned {
		at++
	}
	seen := make(map[int]int)
	for {
		if first, ok := seen[at]; ok {
			return chain[first:], true
		}
		seen[at] = len(chain)
		w := waits[at]
		if !w.Returned && w.On < 0 {
			w.On = absentFrom(waits, w.Kind)
		}
		chain = append(chain, w)
		if w.Returned || w.On < 0 {
			return chain, false
		}
		at = w.On
	}
}

// absentFrom is a PE that is not in what others wait in for all.
func absentFrom(waits []transport.Wait, kind transport.WaitKind) int {
	absent := -1
	for _, w := range waits {
		switch {
		case w.Returned:
			return w.PE
		case w.Kind == kind || kind == transport.WaitReduction && w.Kind == transport.WaitResult:
			// It has contributed, or is the one that waits for the contributions.
		case absent < 0:
			absent = w.PE
		}
	}
	return absent
}

// purpose says what a PE waits for.
func purpose(p *Program, w transport.Wait) string {
	if p.Coarray {
		what := "sync all"
		if w.Kind == transport.WaitNotice {
			return fmt.Sprintf("in %s for what no other image does", p.Sites[w.Site].Kind)
		}
		switch {
		case w.Site >= 0 && w.Site < len(p.Sites) && p.Sites[w.Site].Kind == "checkpoint":
			what = p.Sites[w.Site].Ref
		case w.Site >= 0 && w.Site < len(p.Sites):
			what = p.Sites[w.Site].Kind
		}
		return fmt.Sprintf("for %s in %s", peName(true, w.On), what)
	}
	ref := "the communication"
	if w.Site >= 0 && w.Site < len(p.Sites) && p.Sites[w.Site].Ref != "" {
		ref = p.Sites[w.Site].Ref
	}
	switch w.Kind {
	case transport.WaitArrival:
		return fmt.Sprintf("for data of %s from PE %d", ref, w.On)
	case transport.WaitReady:
		return fmt.Sprintf("for ready message of %s from PE %d", ref, w.On)
	case transport.WaitBarrier:
		return fmt.Sprintf("in a barrier for PE %d", w.On)
	case transport.WaitAgreement:
		return fmt.Sprintf("in a barrier for PE %d", w.On)
	case transport.WaitReduction:
		return fmt.Sprintf("for the contribution to %s from PE %d", ref, w.On)
	case transport.WaitResult:
		return fmt.Sprintf("for the result of %s from PE %d", ref, w.On)
	case transport.WaitBroadcast:
		return fmt.Sprintf("for the broadcast of %s from PE %d", ref, w.On)
	case transport.WaitCredit:
		return fmt.Sprintf("to broadcast %s until PE %d has taken earlier broadcasts", ref, w.On)
	}
	return fmt.Sprintf("for PE %d", w.On)
}
