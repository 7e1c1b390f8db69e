package driver

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Pass is one step of the compilation. The stages of `explain`, the names that
// --stop-after takes, the rows of --time-passes, the checks of --verify-passes
// and the list that `spmdc passes` prints all come from the pass table.
type Pass struct {
	Name string
	Doc  string // one line
	// Run does the work. It records what is wrong with the user's program in
	// c.Diags; an error that it returns is a fault of spmdc.
	Run func(c *Compilation) error
	// Check proves what the pass promises, independently of Run; nil when
	// there is nothing to prove.
	Check func(c *Compilation) error
	// Explain renders what the pass recorded; the zero value when the pass is
	// no stage of `explain`.
	Explain Views
}

// Views are the renderings of a stage. Text is never nil in a stage.
type Views struct {
	Text func(c *Compilation) (string, error)
	// Data is the structured form, for JSON; nil: the text is all there is.
	Data func(c *Compilation) any
	// DOT is the graph form; nil: the stage is no graph.
	DOT func(c *Compilation) (string, error)
	// HTML is a page that needs no other file; nil: the stage has none.
	HTML func(c *Compilation) (string, error)
}

// Order says that one pass must come before another, and why.
type Order struct {
	Before, After string
	Why           string
}

// Table is a sequence of passes and the constraints on it.
type Table struct {
	Passes []Pass
	Orders []Order

	Context context.Context // ends every run over the table; nil: nothing does
}

// Validate proves that the table is well formed: names are unique, every
// constraint names passes of the table, gives its reason, and holds.
func (t *Table) Validate() error {
	at := make(map[string]int)
	for i, p := range t.Passes {
		switch {
		case p.Name == "" || p.Doc == "" || p.Run == nil:
			return fmt.Errorf("pass table: entry %d (%q) has no name, no description or nothing to run", i, p.Name)
		case p.Name == StageAll:
			return fmt.Errorf("pass table: %q is the name for all stages", StageAll)
		}
		if _, twice := at[p.Name]; twice {
			return fmt.Errorf("pass table: two passes named %s", p.Name)
		}
		at[p.Name] = i
	}
	for _, o := range t.Orders {
		b, okB := at[o.Before]
		a, okA := at[o.After]
		switch {
		case !okB || !okA:
			return fmt.Errorf("pass table: the order %s before %s names a pass that is not there", o.Before, o.After)
		case o.Why == "":
			return fmt.Errorf("pass table: the order %s before %s gives no reason", o.Before, o.After)
		case b >= a:
			return fmt.Errorf("pass table: %s must run before %s: %s", o.Before, o.After, o.Why)
		}
	}
	return nil
}

// Find returns the pass of that name, or nil.
func (t *Table) Find(name string) *Pass {
	i := slices.IndexFunc(t.Passes, func(p Pass) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Passes[i]
}

// Names returns the names of all passes in order.
func (t *Table) Names() []string {
	var names []string
	for _, p := range t.Passes {
		names = append(names, p.Name)
	}
	return names
}

// Stages returns the names of the passes that `explain` shows, in order.
func (t *Table) Stages() []string {
	var names []string
	for _, p := range t.Passes {
		if p.Explain.Text != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// Timing is how long a pass took.
type Timing struct {
	Pass       string
	Run, Check time.Duration // Check is 0 when the pass was not checked
}

// RunOptions govern one run over the table.
type RunOptions struct {
	StopAfter string // name of the last pass to run; "": all
	Verify    bool   // run the Check of every pass
	// After is called behind every pass that left the program without errors;
	// nil for nothing. It sees the compilation before later passes change it.
	After func(p *Pass, c *Compilation) error
}

// Run takes c through the passes. It returns ErrDiagnosed as soon as a pass
// found an error in the user's program, and a Failure that names the pass when
// spmdc itself is at fault. c.Timings says what ran.
//
// When t.Context ends, so does Run, at once: c is then not to be used any more.
func (t *Table) Run(c *Compilation, o RunOptions) error {
	if t.Context == nil {
		return t.run(c, o)
	}
	done := make(chan error, 1)
	go func() { done <- t.run(c, o) }()
	select {
	case err := <-done:
		return err
	case <-t.Context.Done():
		if f := InterruptedBy(t.Context); f != nil {
			return f
		}
		return context.Cause(t.Context)
	}
}

func (t *Table) run(c *Compilation, o RunOptions) error {
	for i := range t.Passes {
		p := &t.Passes[i]
		start := time.Now()
		if err := guard(p.Name, func() error { return p.Run(c) }); err != nil {
			return blame(p.Name, err)
		}
		timing := Timing{Pass: p.Name, Run: time.Since(start)}
		failed := c.Diags != nil && c.Diags.HasErrors()
		if o.Verify && p.Check != nil && !failed {
			start = time.Now()
			if err := guard(p.Name, func() error { return p.Check(c) }); err != nil {
				return blame(p.Name+" (check)", err)
			}
			timing.Check = time.Since(start)
		}
		c.Timings = append(c.Timings, timing)
		if failed {
			return ErrDiagnosed
		}
		if o.After != nil {
			if err := guard(p.Name, func() error { return o.After(p, c) }); err != nil {
				return blame(p.Name, err)
			}
		}
		if p.Name == o.StopAfter {
			break
		}
	}
	return nil
}

// blame makes an ordinary error of a pass a fault of spmdc; Failures stay.
func blame(pass string, err error) error {
	if f, ok := err.(*Failure); ok {
		return f
	}
	return internalf(pass, "%v", err)
}
