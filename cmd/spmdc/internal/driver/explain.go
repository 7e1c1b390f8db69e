package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// StageAll names all stages at once.
const StageAll = "all"

// DefaultStage is what `explain FILE` shows: every communication, and why it
// does or does not need ready messages.
const DefaultStage = "dataflow"

// Format is a form of output of `explain`.
type Format string

const (
	Text Format = "text"
	JSON Format = "json"
	DOT  Format = "dot"
	HTML Format = "html"
)

// render is the rendering of a stage in a form that only some stages have; nil
// for forms that all have.
func (f Format) render(v *Views) (r func(c *Compilation) (string, error), special bool) {
	switch f {
	case DOT:
		return v.DOT, true
	case HTML:
		return v.HTML, true
	}
	return nil, false
}

// CheckStage returns a usage Failure unless `explain` can show the stage in
// the format.
func (t *Table) CheckStage(stage string, f Format) error {
	if f != Text && f != JSON && f != DOT && f != HTML {
		return Usagef("write --format=text, --format=json, --format=dot or --format=html", "there is no format %q", f)
	}
	_, special := f.render(&Views{})
	if stage == StageAll {
		if special {
			return Usagef("name one stage: "+strings.Join(t.with(f), ", "), "--format=%s cannot show all stages at once", f)
		}
		return nil
	}
	p := t.Find(stage)
	if p == nil || p.Explain.Text == nil {
		return Usagef("the stages are "+strings.Join(t.Stages(), ", ")+" and "+StageAll, "there is no stage %q", stage)
	}
	if r, _ := f.render(&p.Explain); special && r == nil {
		if f == DOT {
			return Usagef("stages with a graph: "+strings.Join(t.with(f), ", "), "stage %s is no graph", stage)
		}
		return Usagef("stages with a page: "+strings.Join(t.with(f), ", "), "stage %s has no page", stage)
	}
	return nil
}

// with lists the stages that have a form.
func (t *Table) with(f Format) []string {
	var names []string
	for i := range t.Passes {
		if r, _ := f.render(&t.Passes[i].Explain); r != nil {
			names = append(names, t.Passes[i].Name)
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
	if r, special := e.format.render(&p.Explain); special {
		out, err := r(c)
		e.text.WriteString(c.Program().File.Spell(out))
		return err
	}
	text, err := p.Explain.Text(c)
	if err != nil {
		return err
	}
	text = c.Program().File.Spell(text)
	if e.format != JSON && e.stage != "code" && e.text.Len() == 0 {
		e.text.WriteString(c.legend())
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
