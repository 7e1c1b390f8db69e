package spmd

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/runtime/check"
)

// violation is what a violated invariant means in terms of the source program.
func (p *Program) violation(v *check.Violation) *Error {
	put, use := p.call(v.Put.Site), p.call(v.Use.Site)
	memory := v.Put.Memory
	if v.Use != v.Put {
		memory = use + " in " + memory
	}
	e := p.errorAt(v.Put.Site, v.From, "")
	what := fmt.Sprintf("put of %s to PE %d in epoch %d", put, v.To, v.Epoch)
	missing := fmt.Sprintf("nothing makes PE %d wait for that: the plan lacks a ready message of #%d", v.From, v.Put.Site+1)
	transport := "the transport is at fault, or a put came too early"
	if v.Source {
		p.overwritten(v, e)
		return e
	}
	switch v.Kind {
	case check.TooEarly:
		e.Msg = fmt.Sprintf("%s comes too early: PE %d ", what, v.To)
		if v.Flag {
			e.Msg += fmt.Sprintf("has not yet seen that epoch %d arrived", v.UseEpoch)
		} else {
			e.Msg += fmt.Sprintf("is not done with epoch %d %s", v.UseEpoch, within(v, memory))
		}
		e.Hint = missing
	case check.Unordered:
		e.Msg = fmt.Sprintf("%s is not ordered: PE %d cannot know that PE %d ", what, v.From, v.To)
		if v.Flag {
			e.Msg += fmt.Sprintf("has seen that epoch %d arrived", v.UseEpoch)
		} else {
			e.Msg += fmt.Sprintf("is done with epoch %d %s", v.UseEpoch, within(v, memory))
		}
		if v.Times > 1 {
			e.Msg += fmt.Sprintf("; %d more such puts", v.Times-1)
		}
		e.Hint = missing
	case check.Unseen:
		e.Msg = fmt.Sprintf("%s has landed before PE %d has seen that epoch %d arrived", what, v.To, v.UseEpoch)
		e.Hint = transport
	case check.InUse:
		e.Msg = fmt.Sprintf("%s has landed in %s while PE %d uses epoch %d there", what, v.Put.Memory, v.To, v.UseEpoch)
		e.Hint = transport
	case check.Changed:
		e.PE = v.To
		e.Msg = fmt.Sprintf("what PE %d put for %s in epoch %d has changed in %s before its use was over", v.From, put, v.Epoch, v.Put.Memory)
		e.Hint = "something has been written there meanwhile"
	case check.Garbled:
		e.PE = v.To
		e.Msg = fmt.Sprintf("what has arrived of %s in epoch %d is not what PE %d sent", put, v.Epoch, v.From)
		e.Hint = transport
	case check.Unsent:
		e.PE = v.To
		e.Msg = fmt.Sprintf("a message of %s in epoch %d has come from PE %d, which has not sent it", put, v.Epoch, v.From)
		e.Hint = transport
	case check.Twice:
		e.Msg = what + " has landed twice"
		e.Hint = transport
	case check.Overtaken:
		e.Msg = fmt.Sprintf("%s has landed behind that of epoch %d", what, v.UseEpoch)
		e.Hint = transport
	case check.Miscounted:
		e.Msg = fmt.Sprintf("internal error: %s is in execution %d", what, v.UseEpoch)
	case check.Unforeseen:
		e.Msg = fmt.Sprintf("internal error: %s: the analysis says that none is possible", what)
		e.Hint = "what the plan says of ready messages rests on the analysis; please report it"
	case check.Missing:
		e.Msg = fmt.Sprintf("internal error: there is no %s: the analysis says that it is certain", what)
		e.Hint = "what the plan says of ready messages rests on the analysis; please report it"
	}
	if v.Kind == check.Astray {
		e.Msg = fmt.Sprintf("internal error: %s in epoch %d: the analysis excludes, in the instance before, that these positions send next", put, v.Epoch)
		e.Hint = "NextProducers of the communication is wrong; please report it"
	}
	if len(v.Index) > 0 {
		e.Msg += fmt.Sprintf(" (in iteration %s)", indices(v.Index))
	}
	if why := p.why(v.Put.Site); why != "" {
		e.Hint += "\n  the plan says of #" + fmt.Sprint(v.Put.Site+1) + ": " + why
	}
	return e
}

// overwritten says that a PE overwrites what another gets from it.
func (p *Program) overwritten(v *check.Violation, e *Error) {
	how := fmt.Sprintf("is not ordered: PE %d cannot know that PE %d is done with them", v.From, v.To)
	if v.Kind == check.TooEarly {
		how = fmt.Sprintf("comes too early: PE %d is not done with them", v.To)
	}
	e.Msg = fmt.Sprintf("overwriting, in line %s, %s, for %s in epoch %d, %s", p.line(v.Line), v.Put.Memory, p.call(v.Put.Site), v.Epoch, how)
	if v.Times > 1 {
		e.Msg += fmt.Sprintf("; %d more such", v.Times-1)
	}
	if len(v.Index) > 0 {
		e.Msg += fmt.Sprintf(" (in iteration %s)", indices(v.Index))
	}
	e.Hint = fmt.Sprintf("nothing makes PE %d wait for that: the plan lacks messages that the gets of #%d are over", v.From, v.Put.Site+1)
	if why := p.why(v.Put.Site); why != "" {
		e.Hint += "\n  the plan says of #" + fmt.Sprint(v.Put.Site+1) + ": " + why
	}
}

// within says in which memory, and of which communication, a use is.
func within(v *check.Violation, memory string) string {
	if v.Use == v.Put {
		return "in " + memory
	}
	return "of " + memory
}

// divergence is the error of PEs that have come to a message by different ways.
func (p *Program) divergence(d *check.Divergence) *Error {
	e := p.errorAt(d.Site, d.PE, "")
	at := func(site int, index []int) string {
		s := p.call(site)
		if len(index) > 0 {
			s += " in iteration " + indices(index)
		}
		return s
	}
	ours, theirs := at(d.Site, d.Index), at(d.OtherSite, d.OtherIndex)
	e.Msg = fmt.Sprintf("internal error: control diverged: PE %d is at %s, PE %d at %s", d.PE, ours, d.Other, theirs)
	if ours == theirs {
		e.Msg = fmt.Sprintf("internal error: control diverged: PE %d and PE %d have come to %s by different ways", d.PE, d.Other, ours)
	}
	return e
}

func indices(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

// call names a communication in messages: #2 shift a(i-1) (line 14).
func (p *Program) call(site int) string {
	if site < 0 || site >= len(p.Sites) {
		return "a communication"
	}
	s := p.Sites[site]
	return fmt.Sprintf("#%d %s %s (line %s)", site+1, s.Kind, s.Ref, p.line(s.Line))
}

// why is the plan's reason for what it does about a communication.
func (p *Program) why(site int) string {
	if site < 0 || site >= len(p.Sites) {
		return ""
	}
	return p.Sites[site].Why
}
