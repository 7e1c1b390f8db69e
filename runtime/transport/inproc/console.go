package inproc

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
	"time"
)

const (
	consoleBytes = 1 << 18
	consolePiece = 1 << 14 // what one message has at most
)

// console is what PEs that are processes have printed, and PE 0 has not shown yet: a ring
// of messages, each a word (its length, and where it goes) and its text.
type console struct {
	busy atomic.Uint32 // somebody writes
	_    pad
	end  atomic.Uint64 // bytes written so far
	_    pad
	seen atomic.Uint64 // bytes shown so far
	_    pad
	ring [consoleBytes]byte
}

// Print sends text to PE 0, which shows it on its standard output, or with errors on its
// standard error output, in the order in which PEs print.
func (m *Member) Print(text []byte, errors bool) {
	if m.worlds[0].far(0) {
		m.printFar(text, errors)
		return
	}
	c := m.console
	for !c.busy.CompareAndSwap(0, 1) {
		time.Sleep(10 * time.Microsecond)
	}
	defer c.busy.Store(0)
	for len(text) > 0 {
		piece := text[:min(len(text), consolePiece)]
		text = text[len(piece):]
		word := uint64(len(piece)) << 1
		if errors {
			word |= 1
		}
		message := append(binary.NativeEndian.AppendUint64(nil, word), piece...)
		end := c.end.Load()
		for end+uint64(len(message))-c.seen.Load() > consoleBytes {
			time.Sleep(100 * time.Microsecond)
		}
		c.put(end, message)
		c.end.Store(end + uint64(len(message)))
	}
}

// printFar sends text to PE 0 on another host and returns when it is there: who prints
// later on another PE finds it in front.
func (m *Member) printFar(text []byte, errors bool) {
	w := m.worlds[0]
	x := w.net
	x.printing.Lock()
	defer x.printing.Unlock()
	how := uint64(0)
	if errors {
		how = 1
	}
	w.send(0, append(written(packetPrint, len(text), uint64(m.first), how), text...))
	select {
	case <-x.printed:
	case <-time.After(leaveLimit): // its process is no more
	}
}

// Printed shows what has been printed since it was called last. The process of PE 0 alone calls it, once
// at a time.
func (m *Member) Printed(show func(text []byte, errors bool)) {
	c := m.console
	for seen := c.seen.Load(); seen != c.end.Load(); seen = c.seen.Load() {
		word := binary.NativeEndian.Uint64(c.get(seen, 8))
		text := c.get(seen+8, int(word>>1))
		c.seen.Store(seen + 8 + uint64(len(text)))
		show(text, word&1 != 0)
	}
}

func (c *console) put(at uint64, b []byte) {
	at %= consoleBytes
	n := copy(c.ring[at:], b)
	copy(c.ring[:], b[n:])
}

func (c *console) get(at uint64, n int) []byte {
	at %= consoleBytes
	b := make([]byte, n)
	m := copy(b, c.ring[at:])
	copy(b[m:], c.ring[:])
	return b
}

// leaveLimit is how long processes wait for each other at the end of a run that has failed.
const leaveLimit = 10 * time.Second

// farLimit is how long a process that is ended from outside waits for those of other hosts.
const farLimit = 300 * time.Millisecond

const leavePeriod = 200 * time.Microsecond

// Failure is the error that has ended the run, if it was found in this process.
func (m *Member) Failure() error {
	for _, w := range m.worlds {
		w.mu.Lock()
		err := w.err
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// Leave says that this process has run, leaves something to that of PE 0, and returns when all have
// left, with what they left, by PE; in other processes with the first byte of that. idle is called
// meanwhile. Of a run that has failed some may never come to it: then all is false, and what they
// left is nil.
func (m *Member) Leave(last []byte, idle func()) (left [][]byte, all bool) {
	for _, w := range m.worlds {
		p := w.pes[w.id]
		p.last = w.lend(last)
		p.ended.Store(true)
		for h, q := range w.net.heads {
			if h == w.net.home {
				continue
			}
			part := last
			if q != 0 {
				part = first(last)
			}
			w.send(q, append(written(packetEnded, len(part), uint64(w.id)), part...))
		}
		last = nil // it is at the first PE
	}
	left = make([][]byte, m.worlds[0].n)
	begin := time.Now()
	looked := begin
	for _, w := range slices.Backward(m.worlds) {
		for q, other := range w.pes {
			for !other.ended.Load() && !(w.failed.Load() && m.lost(q, time.Since(begin))) {
				if time.Since(looked) > watchPeriod {
					looked = time.Now()
					m.lookFar()
				}
				idle()
				time.Sleep(leavePeriod)
			}
		}
	}
	idle()
	all = true
	for _, w := range m.worlds {
		for q, other := range w.pes {
			ended := other.ended.Load()
			all = all && ended
			switch {
			case !ended || w != m.worlds[0]:
			case m.first == 0:
				left[q] = w.keep(other.last)
			default:
				left[q] = w.keep(first(other.last))
			}
		}
	}
	return left, all
}

// first is the first byte of what there is.
func first(b []byte) []byte { return b[:min(len(b), 1)] }

// lost reports whether the process of PE q will not come to its end, after so long a wait.
func (m *Member) lost(q int, waited time.Duration) bool {
	switch {
	case waited > leaveLimit:
		return true
	case m.worlds[0].far(q): // whether it is there cannot be found out here
		return m.outside.Load() && waited > farLimit
	}
	return !m.alive(q)
}
