// Package replay looks at what PEs did in a recorded run (a check build writes it
// with -record) and finds, with clocks of its own, which puts the messages of that
// run order after the last use of their cells. It is independent of the checks of
// the run: it works on the recorded events, when all of them are known, and counts
// events where those count steps.
//
// In the run
//
//	PE 0                     PE 1
//	p 1 1 1 ...  put  ────►  g 1 1 0
//	o 1 1                    o 1 1
//	u 1 1                    u 1 1
//	k 5  ◄── a reduction ──► k 5
//	p 1 2 1 ...  put  ────►  g 1 2 0
//
// the second put of communication 1 comes after event u 1 1 of PE 1, by way of the
// reduction. Without that line nothing would order the two.
package replay

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Trace is a recorded run.
type Trace struct {
	PEs   int
	Comms map[int]*Comm // by number, from 1; by less that number what PEs copy from stages
	lists [][]event     // by PE, in program order
}

// Comm is what a trace says of a communication.
type Comm struct {
	Number int
	Memory int  // communications with one number fill the same memory
	Depth  int  // instances of it: epoch e fills number e modulo Depth
	Whole  bool // an instance of the memory is one cell
}

// event is a line of a trace.
type event struct {
	op    byte
	comm  int // or the site of a collective
	epoch uint64
	pe    int // the other one, or the root of a broadcast
	cells cells
	lead  bool    // it is the first part of a message, or all of it
	gets  []place // where an overwrite ends what others got
	index []int
}

// cells are the offsets base + sum of k_d*stride_d with 0 <= k_d < n_d.
type cells struct {
	base      int
	n, stride []int
}

// Read reads a trace.
func Read(r io.Reader) (*Trace, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	t := &Trace{Comms: map[int]*Comm{}}
	var at *[]event
	var index []int
	part, number := 0, 0
	for in.Scan() {
		number++
		f := strings.Fields(in.Text())
		if number == 1 {
			if _, err := fmt.Sscanf(in.Text(), "spmdc trace 1, %d PEs", &t.PEs); err != nil || t.PEs < 1 {
				return nil, fmt.Errorf("line 1: found %q, expected the first line of a trace", in.Text())
			}
			t.lists = make([][]event, t.PEs)
			continue
		}
		bad := func(why string) error { return fmt.Errorf("line %d: %s in %q", number, why, in.Text()) }
		if len(f) < 2 {
			return nil, bad("too few words")
		}
		if f[0] == "slot" {
			if err := t.slot(f); err != nil {
				return nil, bad(err.Error())
			}
			continue
		}
		n, err := words(f)
		if err != nil {
			return nil, bad(err.Error())
		}
		switch {
		case f[0] == "pe":
			if n[0] < 0 || n[0] >= t.PEs {
				return nil, bad("no such PE")
			}
			at, index, part = &t.lists[n[0]], nil, 0
			continue
		case at == nil:
			return nil, bad("no PE before it")
		case f[0] == "a":
			part = n[0]
			continue
		case f[0] == "i":
			if len(n) != 2 || n[0] > len(index) {
				return nil, bad("no iteration")
			}
			index = append(index[:n[0]:n[0]], n[1])
			continue
		case len(f[0]) != 1 || arity[f[0][0]] == 0:
			return nil, bad("no event")
		case len(n) < arity[f[0][0]]:
			return nil, bad("too few numbers")
		}
		e := event{op: f[0][0], comm: n[0], lead: true, index: index}
		switch e.op {
		case 'k':
		case 'b':
			e.pe = n[1]
		case 'x':
			if t.Comms[e.comm] == nil {
				return nil, bad("no such communication")
			}
			for k := 1; k+1 < len(n); k += 2 {
				if n[k] < 0 || n[k] >= t.PEs {
					return nil, bad("no such PE")
				}
				e.gets = append(e.gets, place{-e.comm, uint64(n[k+1]), n[k]})
			}
		default:
			if t.Comms[e.comm] == nil {
				return nil, bad("no such communication")
			}
			e.epoch = uint64(n[1])
			if arity[e.op] > 2 && e.op != 'y' {
				e.pe = n[2]
			}
		}
		if e.pe < 0 || e.pe >= t.PEs {
			return nil, bad("no such PE")
		}
		if first := strings.IndexByte("yp", e.op) + 2; first >= 2 { // of the cells
			e.cells.base = n[first]
			for d := first + 1; d+1 < len(n); d += 2 {
				e.cells.n, e.cells.stride = append(e.cells.n, n[d]), append(e.cells.stride, n[d+1])
			}
		}
		if e.op == 'p' || e.op == 'r' {
			e.lead = part >= 0
			if part > 0 {
				part = -part
			}
			if part < 0 {
				part++
			}
		}
		*at = append(*at, e)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if number == 0 {
		return nil, fmt.Errorf("the trace is empty")
	}
	return t, nil
}

// arity is how many numbers an event has, at least.
var arity = [256]int{'p': 4, 'g': 3, 'r': 3, 'w': 3, 'c': 2, 'y': 3, 'o': 2, 'u': 2, 'k': 1, 'b': 2, 'v': 5, 'd': 3, 'e': 3, 'x': 3}

// words are the numbers of a line, of "6:1" two.
func words(f []string) ([]int, error) {
	var n []int
	for _, w := range f[1:] {
		for x := range strings.SplitSeq(w, ":") {
			v, err := strconv.Atoi(x)
			if err != nil {
				return nil, fmt.Errorf("%q is no number", x)
			}
			n = append(n, v)
		}
	}
	return n, nil
}

// slot reads the line of a communication, which each PE has.
func (t *Trace) slot(f []string) error {
	var c Comm
	if len(f) != 5 || f[4] != "cells" && f[4] != "whole" {
		return fmt.Errorf("no slot")
	}
	n, err := words(f[:4])
	if err != nil {
		return err
	}
	c = Comm{Number: n[0], Memory: n[1], Depth: n[2], Whole: f[4] == "whole"}
	if c.Depth < 1 {
		return fmt.Errorf("no instance of the memory")
	}
	if old := t.Comms[c.Number]; old != nil && *old != c {
		return fmt.Errorf("another PE says otherwise")
	}
	t.Comms[c.Number] = &c
	return nil
}

// meet reports whether two sections have a cell in common.
func (c cells) meet(d cells) bool {
	have := map[int]bool{}
	c.each(len(c.n)-1, c.base, func(off int) bool { have[off] = true; return false })
	return d.each(len(d.n)-1, d.base, func(off int) bool { return have[off] })
}

// each calls f with every offset until it returns true.
func (c cells) each(level, at int, f func(off int) bool) bool {
	if level < 0 {
		return f(at)
	}
	for range c.n[level] {
		if c.each(level-1, at, f) {
			return true
		}
		at += c.stride[level]
	}
	return false
}
