// Package plan is the synchronisation plan: what every communication waits for
// before it may put. It is the only thing that code generation reads.
//
// A put writes a slot on the consumer. Before it does, the consumer must be done
// with what the slot held; two plans assure this for every put:
//
//	handshake  the consumer sends the producer a ready message when it reaches
//	           the communication: its earlier uses of the slot lie behind it
//	barrier    all PEs meet before each group of communications: then nobody
//	           uses any slot of the group
//
// Arrival is the same in both: the put sets a flag to the epoch of the
// communication, and the consumer waits for exactly that epoch.
package plan

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Kind names a plan.
type Kind string

const (
	Handshake Kind = "handshake"
	Barrier   Kind = "barrier"
)

// Kinds lists the plans that exist; the strongest comes first and is the default.
var Kinds = []Kind{Handshake, Barrier}

// ParseKind reads the name of a plan.
func ParseKind(s string) (Kind, error) {
	for _, k := range Kinds {
		if s == string(k) {
			return k, nil
		}
	}
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return "", fmt.Errorf("unknown plan %q: choose %s", s, strings.Join(names, " or "))
}

// Plan is a program in SPMD form with its synchronisation.
type Plan struct {
	Kind    Kind
	Program *comm.Program
	Graph   *cfg.Graph // with communication nodes, and barriers where the plan has them
	Slots   []Slot     // one per communication, in order of its number
}

// Slot is what the puts of one communication write, and what frees it.
type Slot struct {
	Comm  *comm.Comm
	Cells string // in words
	Ready bool   // a ready message before every put
	Why   string
}

// Make plans the synchronisation of c.
func Make(c *comm.Program, k Kind) *Plan {
	p := &Plan{Kind: k, Program: c, Graph: c.GraphWith(k == Barrier)}
	for _, x := range c.Comms {
		s := Slot{Comm: x, Ready: k == Handshake}
		switch {
		case x.Overlap:
			s.Cells = "overlap of " + x.Array.Name
		case x.Kind == comm.Irregular:
			s.Cells = "list of requests, list of values"
		default:
			s.Cells = "temporary t" + fmt.Sprint(x.ID)
		}
		if k == Handshake {
			s.Why = "the consumer tells the producer that the slot is free when it reaches the communication"
		} else {
			s.Why = "a barrier before the group: every PE has passed its last use"
		}
		p.Slots = append(p.Slots, s)
	}
	return p
}

// Ready reports whether puts of c wait for a ready message.
func (p *Plan) Ready(c *comm.Comm) bool { return p.Slots[c.ID-1].Ready }

// BarrierBefore reports whether a barrier stands before the group.
func (p *Plan) BarrierBefore(*comm.Post) bool { return p.Kind == Barrier }

// BarrierAtPipe reports whether a barrier stands before a pipelined region: one
// for all its communications, since the first already waits for other PEs.
func (p *Plan) BarrierAtPipe(*comm.Pipe) bool { return p.Kind == Barrier }

// Comment says in one line what c moves and how its puts synchronise.
func (p *Plan) Comment(c *comm.Comm) string {
	sync := "ready message, since nothing else says that the last values are dead"
	if !p.Ready(c) {
		sync = "no ready message, the barrier says that the last values are dead"
	}
	return fmt.Sprintf("#%d %s of %s, line %d: %s; %s", c.ID, c.Kind, ir.ExprString(c.Refs[0]), c.Line, c.Moves(), sync)
}
