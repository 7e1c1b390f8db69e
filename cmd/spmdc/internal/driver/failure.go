package driver

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spmdc/spmdc/parser/source"
)

// Exit statuses of spmdc. A program that `spmdc run` started passes its own
// status through.
const (
	StatusOK       = 0
	StatusProgram  = 1 // the user's program is at fault; diagnostics say how
	StatusUsage    = 2 // the command line, a file or the machine's set-up is at fault
	StatusInternal = 3 // spmdc is at fault
)

// Failure is an error that carries spmdc's exit status and a remedy.
type Failure struct {
	Status int
	Text   string // what was found, lower case, no full stop
	Remedy string // what to do about it; may be empty
}

func (f *Failure) Error() string {
	if f.Remedy == "" {
		return f.Text
	}
	return f.Text + "\n  " + f.Remedy
}

// Usagef is a Failure of the command line or of what it names. Strings among args are
// names, and shown as source.Printable makes them.
func Usagef(remedy, format string, args ...any) *Failure {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = source.Printable(s)
		}
	}
	return &Failure{StatusUsage, fmt.Sprintf(format, args...), remedy}
}

// ErrDiagnosed reports that the program has errors that the diagnostics list
// of the compilation already describes: there is nothing more to print.
var ErrDiagnosed = &Failure{Status: StatusProgram, Text: "the program has errors"}

const askReport = "this is a fault of spmdc, not of your program: please report it together with the source file"

// internalf is a Failure of spmdc itself in the named pass.
func internalf(pass, format string, args ...any) *Failure {
	return &Failure{StatusInternal,
		fmt.Sprintf("internal error in pass %s: %s", pass, fmt.Sprintf(format, args...)), askReport}
}

// guard runs f and turns a panic into the Failure that names the pass. The
// stack is added only when SPMDC_DEBUG is set: it helps those who work on
// spmdc and nobody else.
func guard(pass string, f func() error) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e := &Failure{StatusInternal, fmt.Sprintf("internal error: panic in pass %s: %v", pass, r), askReport}
		if os.Getenv("SPMDC_DEBUG") != "" {
			e.Remedy += "\n" + string(debug.Stack())
		} else {
			e.Remedy += " (SPMDC_DEBUG=1 shows the stack)"
		}
		err = e
	}()
	return f()
}
