package driver

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/parser/source"
)

func TestPassesValid(t *testing.T) {
	if err := Passes().Validate(); err != nil {
		t.Fatal(err)
	}
	table := Passes()
	want := []string{"ast", "ir", "mapping", "transform", "comm", "cost", "cfg", "procfunc", "plan", "placement", "dataflow", "paper", "code", "kernels"}
	if diff := cmp.Diff(want, table.Stages()); diff != "" {
		t.Errorf("stages of explain (-want +got):\n%s", diff)
	}
	if table.Find(DefaultStage) == nil || table.Find(DefaultStage).Explain.Text == nil {
		t.Errorf("the default stage %q is no stage", DefaultStage)
	}
}

func TestValidateRefuses(t *testing.T) {
	nop := func(*Compilation) error { return nil }
	pass := func(name string) Pass { return Pass{Name: name, Doc: "d", Run: nop} }
	tests := []struct {
		name  string
		table Table
		want  string
	}{
		{"no name", Table{Passes: []Pass{pass("")}}, "no name"},
		{"no doc", Table{Passes: []Pass{{Name: "a", Run: nop}}}, "no description"},
		{"nothing to run", Table{Passes: []Pass{{Name: "a", Doc: "d"}}}, "nothing to run"},
		{"name of all stages", Table{Passes: []Pass{pass("all")}}, "all stages"},
		{"twice", Table{Passes: []Pass{pass("a"), pass("a")}}, "two passes named a"},
		{"unknown in order", Table{Passes: []Pass{pass("a")}, Orders: []Order{{"a", "b", "w"}}}, "not there"},
		{"no reason", Table{Passes: []Pass{pass("a"), pass("b")}, Orders: []Order{{"a", "b", ""}}}, "no reason"},
		{"violated", Table{Passes: []Pass{pass("b"), pass("a")}, Orders: []Order{{"a", "b", "b reads what a makes"}}}, "b reads what a makes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.table.Validate()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Validate() = %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestEveryOrderMatters proves that no constraint of the real table is idle:
// swapping its two passes makes the table invalid.
func TestEveryOrderMatters(t *testing.T) {
	for _, o := range Passes().Orders {
		table := Passes()
		a, b := table.Find(o.Before), table.Find(o.After)
		*a, *b = *b, *a
		if table.Validate() == nil {
			t.Errorf("%s and %s can be swapped although %s", o.Before, o.After, o.Why)
		}
	}
}

// fake is a table whose passes write their names to a log.
func fake(log *[]string, faults map[string]func(*Compilation) error) *Table {
	table := &Table{}
	for _, name := range []string{"one", "two", "three"} {
		table.Passes = append(table.Passes, Pass{
			Name: name, Doc: "d",
			Run: func(c *Compilation) error {
				*log = append(*log, name)
				if f := faults[name]; f != nil {
					return f(c)
				}
				return nil
			},
			Check: func(c *Compilation) error {
				*log = append(*log, "check "+name)
				if f := faults["check "+name]; f != nil {
					return f(c)
				}
				return nil
			},
			Explain: Views{Text: func(*Compilation) (string, error) { return "text of " + name + "\n", nil }},
		})
	}
	return table
}

func newFake() *Compilation {
	c := New("p.hpf", nil, Options{})
	c.Diags = source.NewList(source.NewFile("p.hpf", nil))
	return c
}

func TestRun(t *testing.T) {
	boom := errors.New("boom")
	fails := func(*Compilation) error { return boom }
	panics := func(*Compilation) error { panic("index out of range") }
	diagnoses := func(c *Compilation) error {
		c.Diags.Errorf(source.Syntax, source.Pos{Line: 1, Col: 1}, "bad")
		return nil
	}
	warns := func(c *Compilation) error {
		c.Diags.Warnf(source.Syntax, source.Pos{Line: 1, Col: 1}, "odd")
		return nil
	}
	tests := []struct {
		name   string
		faults map[string]func(*Compilation) error
		opts   RunOptions
		log    string
		status int
		text   string // in the error
	}{
		{name: "all", log: "one two three"},
		{name: "verify", opts: RunOptions{Verify: true}, log: "one,check one,two,check two,three,check three"},
		{name: "stop", opts: RunOptions{StopAfter: "two"}, log: "one two"},
		{name: "error in the program", faults: map[string]func(*Compilation) error{"two": diagnoses},
			opts: RunOptions{Verify: true}, log: "one,check one,two", status: StatusProgram},
		{name: "warning", faults: map[string]func(*Compilation) error{"two": warns}, log: "one two three"},
		{name: "panic", faults: map[string]func(*Compilation) error{"two": panics}, log: "one two",
			status: StatusInternal, text: "panic in pass two: index out of range"},
		{name: "pass fails", faults: map[string]func(*Compilation) error{"two": fails}, log: "one two",
			status: StatusInternal, text: "pass two: boom"},
		{name: "check fails", faults: map[string]func(*Compilation) error{"check one": fails},
			opts: RunOptions{Verify: true}, log: "one,check one", status: StatusInternal, text: "pass one (check): boom"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var log []string
			err := fake(&log, test.faults).Run(newFake(), test.opts)
			sep := " "
			if strings.Contains(test.log, ",") {
				sep = ","
			}
			if got := strings.Join(log, sep); got != test.log {
				t.Errorf("ran %q, want %q", got, test.log)
			}
			var f *Failure
			switch {
			case test.status == 0 && err != nil:
				t.Errorf("unexpected error %v", err)
			case test.status != 0 && (!errors.As(err, &f) || f.Status != test.status || !strings.Contains(err.Error(), test.text)):
				t.Errorf("error %v, want status %d and %q", err, test.status, test.text)
			}
			if err != nil && strings.Contains(err.Error(), "goroutine ") {
				t.Errorf("a raw stack in %v", err)
			}
		})
	}
}

func TestPanicStackForDebugging(t *testing.T) {
	t.Setenv("SPMDC_DEBUG", "1")
	err := guard("comm", func() error { panic("x") })
	if err == nil || !strings.Contains(err.Error(), "goroutine ") {
		t.Errorf("with SPMDC_DEBUG set the error is %v, without a stack", err)
	}
}

func TestExplainer(t *testing.T) {
	tests := []struct {
		stage  string
		format Format
		want   string
	}{
		{"two", Text, "text of two\n"},
		{"all", Text, "==== one: d\n\ntext of one\n\n==== two: d\n\ntext of two\n\n==== three: d\n\ntext of three\n\n"},
		{"two", JSON, "{\n  \"file\": \"p.hpf\",\n  \"stage\": \"two\",\n  \"text\": \"text of two\\n\"\n}\n"},
	}
	for _, test := range tests {
		var log []string
		table := fake(&log, nil)
		e, err := table.NewExplainer(test.stage, test.format)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Run(newFake(), RunOptions{StopAfter: e.LastPass(), After: e.After}); err != nil {
			t.Fatal(err)
		}
		got, err := e.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("explain %s as %s (-want +got):\n%s", test.stage, test.format, diff)
		}
	}
	var log []string
	table := fake(&log, nil)
	for _, bad := range []struct {
		stage  string
		format Format
	}{{"four", Text}, {"one", "pdf"}, {"one", DOT}, {"all", DOT}, {"one", HTML}, {"all", HTML}} {
		var f *Failure
		if _, err := table.NewExplainer(bad.stage, bad.format); !errors.As(err, &f) || f.Status != StatusUsage {
			t.Errorf("explain %s as %s: %v, want a usage error", bad.stage, bad.format, err)
		}
	}
}
