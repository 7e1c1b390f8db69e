package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// StageAll names all stages at once.
const StageAll = "all"

// DefaultStage is what `explain FILE` shows: the communications, which are what
// a user of spmdc wants to know first.
const DefaultStage = "comm"

// Format is a form of output of `explain`.
type Format string

const (
	Text Format = "text"
	JSON Format = "json"
	DOT  Format = "dot"
)

// CheckStage returns a usage Failure unless `explain` can show the stage in
// the format.
func (t *Table) CheckStage(stage string, f Format) error {
	if f != Text && f != JSON && f != DOT {
		return Usagef("write --format=text, --format=json or --format=dot", "there is no format %q", f)
	}
	if stage == StageAll {
		if f == DOT {
			return Usagef("name one stage: "+strings.Join(t.graphs(), ", "), "--format=dot cannot show all stages at once")
		}
		return nil
	}
	p := t.Find(stage)
	if p == nil || p.Explain.Text == nil {
		return Usagef("the stages are "+strings.Join(t.Stages(), ", ")+" and "+StageAll, "there is no stage %q", stage)
	}
	if f == DOT && p.Explain.DOT == nil {
		return Usagef("stages with a graph: "+strings.Join(t.graphs(), ", "), "stage %s is no graph", stage)
	}
	return nil
}

func (t *Table) graphs() []string {
	var names []string
	for _, p := range t.Passes {
		if p.Explain.DOT != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// view is what JSON output says of a stage. Data is null where the stage has
// no structured form; Text is what --format=text prints.
type view struct {
	File  string `json:"file"`
	Stage string `json:"stage"`
	Data  any    `json:"data,omitempty"`
	Text  string `json:"text"`
}

// Explainer collects the renderings of one stage or of all, while a
// compilation runs: each right behind its pass, so that it shows what the pass
// made and not what later passes turned it into.
type Explainer struct {
	stage  string
	format Format
	text   bytes.Buffer
	views  []view
}

// NewExplainer returns a usage Failure when the table has no such stage or the
// stage no such format.
func (t *Table) NewExplainer(stage string, f Format) (*Explainer, error) {
	if err := t.CheckStage(stage, f); err != nil {
		return nil, err
	}
	return &Explainer{stage: stage, format: f}, nil
}

// LastPass is the pass behind which everything has been collected; "" when
// that is the last one.
func (e *Explainer) LastPass() string {
	if e.stage == StageAll {
		return ""
	}
	return e.stage
}

// After collects from a pass; it is a RunOptions.After.
func (e *Explainer) After(p *Pass, c *Compilation) error {
	if p.Explain.Text == nil || e.stage != StageAll && e.stage != p.Name {
		return nil
	}
	if e.format == DOT {
		dot, err := p.Explain.DOT(c)
		e.text.WriteString(dot)
		return err
	}
	text, err := p.Explain.Text(c)
	if err != nil {
		return err
	}
	if e.format == JSON {
		v := view{File: c.File, Stage: p.Name, Text: text}
		if p.Explain.Data != nil {
			v.Data = p.Explain.Data(c)
		}
		e.views = append(e.views, v)
		return nil
	}
	if e.stage == StageAll {
		fmt.Fprintf(&e.text, "==== %s: %s\n\n", p.Name, p.Doc)
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	e.text.WriteString(text)
	return nil
}

// Bytes is the whole rendering, once the compilation has run.
func (e *Explainer) Bytes() ([]byte, error) {
	if e.format != JSON {
		return e.text.Bytes(), nil
	}
	var v any = e.views
	if e.stage != StageAll && len(e.views) == 1 {
		v = e.views[0]
	}
	enc := json.NewEncoder(&e.text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, internalf(e.stage, "%v", err)
	}
	return e.text.Bytes(), nil
}
