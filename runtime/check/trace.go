package check

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/spmdc/spmdc/runtime/transport"
)

// trace is what one PE has done, as text. Its lines are, with communications by
// number (1 is the first; -1 stands for what a PE copies into an overlap of what
// communication 1 has brought into a stage) and sites as in the program's table:
//
//	slot COMM MEMORY DEPTH cells|whole   COMM fills that memory; puts of cells name them
//	i DEPTH INDEX                        an iteration of the loop at that depth
//	p COMM EPOCH TO OFFSET N:STRIDE ...  a put, and the cells that it fills on TO
//	g COMM EPOCH FROM                    the data of FROM have arrived
//	r COMM EPOCH TO                      a ready message
//	a N                                  the next N lines are one message
//	w COMM EPOCH FROM                    the ready message of FROM has arrived
//	d COMM EPOCH TO                      a message that this PE is done with the elements of TO that it may get
//	e COMM EPOCH FROM                    that of FROM has arrived
//	x COMM PE EPOCH PE EPOCH ...         this PE overwrites elements that these PEs got in these epochs
//	c COMM EPOCH                         this PE uses the memory in that epoch
//	y COMM EPOCH OFFSET N:STRIDE ...     this PE has filled these cells itself, and uses them in that epoch
//	o COMM EPOCH                         CO
//	u COMM EPOCH                         UO
//	k SITE                               a barrier or reduction
//	b SITE ROOT                          a broadcast
//	v COMM EPOCH TO USE EPOCH            the put that is next was not known to be free; with -COMM: the
//	                                     elements that TO got were not known to be free to be overwritten
//
// A nil trace records nothing.
type trace struct {
	text bytes.Buffer
}

// Trace makes the monitors that are made from now on record what PEs do.
func (l *Ledger) Trace() { l.traced = true }

// TraceWord is what a trace begins with.
const TraceWord = "spmdc trace"

// WriteTrace writes what the PEs have recorded. It is called when they have ended.
func (l *Ledger) WriteTrace(w io.Writer) error {
	_, err := fmt.Fprintf(w, TraceWord+" 1, %d PEs\n", l.pes)
	for id, m := range l.monitors {
		if m == nil || m.trace == nil || err != nil {
			continue
		}
		if _, err = fmt.Fprintf(w, "pe %d\n", id); err == nil {
			_, err = w.Write(m.trace.text.Bytes())
		}
	}
	return err
}

func (t *trace) line(op byte, numbers ...int) {
	if t == nil {
		return
	}
	b := append(t.text.AvailableBuffer(), op)
	for _, n := range numbers {
		b = strconv.AppendInt(append(b, ' '), int64(n), 10)
	}
	t.text.Write(append(b, '\n'))
}

func (t *trace) loop(depth, index int) { t.line('i', depth, index) }

func (t *trace) message(op byte, site int, epoch uint64, pe int) { t.line(op, site+1, int(epoch), pe) }

func (t *trace) together(n int) {
	if n > 1 {
		t.line('a', n)
	}
}

func (t *trace) use(comm int, epoch uint64) { t.line('c', comm, int(epoch)) }

func (t *trace) node(op byte, comm int, epoch uint64) { t.line(op, comm, int(epoch)) }

func (t *trace) collective(site int) { t.line('k', site) }

func (t *trace) broadcast(site, root int) { t.line('b', site, root) }

func (t *trace) unordered(v *Violation) {
	t.line('v', v.Put.number(), int(v.Epoch), v.To, v.Use.Site+1, int(v.UseEpoch))
}

func (t *trace) overwrites(x *Source) {
	if t == nil {
		return
	}
	numbers := []int{x.slot.number()}
	for _, r := range x.open {
		numbers = append(numbers, r.pe, int(r.epoch))
	}
	t.line('x', numbers...)
}

// put is a message with the cells that it fills.
func (t *trace) put(site int, epoch uint64, to int, m *transport.Move) {
	if t != nil {
		t.cells(fmt.Appendf(t.text.AvailableBuffer(), "p %d %d %d", site+1, epoch, to), m)
	}
}

// copied is the cells that a PE fills itself.
func (t *trace) copied(comm int, epoch uint64, m *transport.Move) {
	if t != nil {
		t.cells(fmt.Appendf(t.text.AvailableBuffer(), "y %d %d", comm, epoch), m)
	}
}

// cells ends a line with the cells that a move fills.
func (t *trace) cells(line []byte, m *transport.Move) {
	line = fmt.Appendf(line, " %d", m.Dst)
	for d := range m.Rank {
		line = fmt.Appendf(line, " %d:%d", m.N[d], m.DstStride[d])
	}
	t.text.Write(append(line, '\n'))
}

// slots describes the slots of a PE, when all are made.
func (t *trace) slots(list []*Slot) {
	if t == nil {
		return
	}
	for _, s := range list {
		what := "cells"
		if s.reads == nil {
			what = "whole"
		}
		least := s.number()
		for _, m := range s.aliases {
			least = min(least, m.number())
		}
		fmt.Fprintf(&t.text, "slot %d %d %d %s\n", s.number(), least, s.depth, what)
	}
}
