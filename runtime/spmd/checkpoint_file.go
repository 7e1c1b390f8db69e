package spmd

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/spmdc/spmdc/runtime/snapshot"
)

// keeper takes the checkpoints of a run, and knows the one from which it goes on.
// It is the same one in all parts of a run that is started again after a failure. Where there
// are several processes, that of PE 0 has it, and those of others are empty.
type keeper struct {
	path string
	from *image    // nil: from the beginning
	mine string    // the file of output that the run had which was killed before its first checkpoint
	note io.Writer // for what the user should know

	output    string // the file of standard output, from the root; "": none
	force     bool   // every checkpoint to the disk
	stopAfter int    // ends the run behind so many checkpoints of it; 0: never

	// Of the run so far, whatever part of it:
	shown int64  // bytes of output that have been written
	in    *spool // standard input
}

// layout is the version of what the parts of a checkpoint hold. It changes with
// every change of what the library's objects save.
const layout = 5

// image is a checkpoint as read.
type image struct {
	parts [][]byte // by PE

	call  int    // the number of the call
	line  int    // its line
	taken int    // checkpoints of the run up to here, this one included; 0: there is none yet
	out   passed // output
	file  string // of output, as keeper has it
	in    input  // how far it has been read
}

// header writes what the first part of the file holds: what a checkpoint is of, and
// where it is.
func (m *image) header(p *Program, np int) []byte {
	w := &snapshot.Writer{}
	w.Uint64(byteOrder)
	w.Int(layout)
	w.Text(p.Name)
	w.Text(p.version())
	w.Int(np)
	w.Int(m.call)
	w.Int(m.line)
	w.Int(m.taken)
	m.out.save(w)
	w.Text(m.file)
	w.Int(m.in.line)
	w.Bool(m.in.end)
	m.in.used.save(w)
	return w.Bytes()
}

// claim writes a file without a checkpoint, by which a restart knows that the output is
// that of a run which was killed before its first one.
func (k *keeper) claim(p *Program, np int) error {
	m := &image{file: k.output, out: passed{sum: snapshot.NewSum()}, in: input{used: passed{sum: snapshot.NewSum()}}}
	return snapshot.Commit(k.path, [][]byte{m.header(p, np)}, k.force, nil)
}

// version is what a checkpoint must be of: the text of the program, and who sends ready
// messages.
func (p *Program) version() string {
	if p.Handshake {
		return p.Identity + " -handshake"
	}
	return p.Identity
}

// byteOrder tells machines apart that do not lay out numbers in the same way.
const byteOrder = 0x0102030405060708

// load reads the checkpoint from which the program is to go on on np PEs. It returns
// nil and no error where there is none.
func (k *keeper) load(p *Program, np int) (*image, error) {
	parts, err := snapshot.Open(k.path)
	if errors.Is(err, snapshot.ErrNone) {
		return nil, nil
	}
	refuse := func(format string, args ...any) error {
		return &Error{File: k.path, PE: -1, Msg: "cannot go on from this checkpoint: " + fmt.Sprintf(format, args...),
			Hint: "give another file with -checkpoint, or remove this one to begin from the start"}
	}
	if err != nil {
		return nil, refuse("%v", err)
	}
	if len(parts) == 0 {
		return nil, refuse("it is empty")
	}
	r := snapshot.NewReader(parts[0])
	if r.Uint64() != byteOrder {
		return nil, refuse("a machine with another byte order has written it")
	}
	if r.Int() != layout {
		return nil, refuse("another version of spmdc has written it")
	}
	m := &image{parts: parts[1:]}
	name, identity, pes := r.Text(), r.Text(), r.Int()
	m.call, m.line, m.taken = r.Int(), r.Int(), r.Int()
	m.out.restore(r, "output")
	m.file = r.Text()
	m.in.line, m.in.end = r.Int(), r.Bool()
	m.in.used.restore(r, "input")
	switch {
	case name != p.Name:
		return nil, refuse("it is of program %s, and this is %s", name, p.Name)
	case identity != p.version():
		return nil, refuse("it is of another version of program %s, or one compiled or run with other options", name)
	case pes != np:
		return nil, refuse("it is of a run on %s, and this one is to be on %s", count(pes, "PE"), count(np, "PE"))
	case r.Err() != nil:
		return nil, refuse("%v", r.Err())
	case len(m.parts) != np && m.taken > 0:
		return nil, refuse("it has the state of %s", count(len(m.parts), "PE"))
	}
	return m, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// commit writes a checkpoint. All that was printed before it has been written when
// it replaces the one before.
func (k *keeper) commit(pe *PE, site, call int, parts [][]byte) *commit {
	taken := 1
	if k.from != nil {
		taken += k.from.taken
	}
	m := &image{call: call, line: pe.prog.Sites[site].Line, taken: taken, file: k.output}
	m.in.line, m.in.end, m.in.used = pe.in.line, pe.in.end, pe.in.used
	pe.out.mu.Lock()
	pe.out.takeLocked()
	m.out = pe.out.made
	head := m.header(pe.prog, pe.n)
	pe.out.mu.Unlock()
	err := snapshot.Commit(k.path, append([][]byte{head}, parts...), k.force, func() error {
		return pe.out.release(k.force)
	})
	if err != nil {
		return &commit{err: err}
	}
	// The state is needed again only if the run fails; it is read from the file then.
	k.from = m
	if k.in != nil {
		k.in.forget(pe.in.used.bytes)
	}
	if taken == k.stopAfter {
		fmt.Fprintf(k.note, "%s: stopped behind checkpoint %d, line %d\n", pe.prog.Name, taken, k.from.line)
		return &commit{stop: true}
	}
	return &commit{}
}

// passed is what has come by of a program's standard input or output: how much, and
// a hash of it, by which a later run knows that it has the same before it.
type passed struct {
	bytes int64
	sum   hash.Hash // nil: no checkpoints are taken
}

func (c *passed) add(b []byte) {
	c.bytes += int64(len(b))
	if c.sum != nil {
		c.sum.Write(b)
	}
}

// same reads as much from r, and reports by its error that r begins with something else.
func (c *passed) same(r io.Reader, what, done string) error {
	sum := snapshot.NewSum()
	if n, err := io.CopyN(sum, r, c.bytes); err != nil {
		return fmt.Errorf("%d bytes of %s had been %s, and now there are %d", c.bytes, what, done, n)
	}
	if !bytes.Equal(sum.Sum(nil), c.sum.Sum(nil)) {
		return fmt.Errorf("%s is not the one that was %s before: the first %d bytes are others", what, done, c.bytes)
	}
	return nil
}

func (c *passed) save(w *snapshot.Writer) {
	w.Uint64(uint64(c.bytes))
	state, err := c.sum.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err) // the hashes of the standard library can do so
	}
	w.Text(string(state))
}

func (c *passed) restore(r *snapshot.Reader, what string) {
	c.bytes = int64(r.Uint64())
	c.sum = snapshot.NewSum()
	if err := c.sum.(encoding.BinaryUnmarshaler).UnmarshalBinary([]byte(r.Text())); err != nil {
		r.Fail("the state of the %s: %v", what, err)
	}
}

// spool is standard input, of which it keeps what has been read since the last
// checkpoint, so that a run that fails can be started again from there. Readers that
// an earlier part of the run has left behind do not take anything away.
type spool struct {
	mu   sync.Mutex
	r    io.Reader
	kept []byte
	base int64 // what is kept begins here
	err  error // of r
}

// forget drops what comes before a position.
func (s *spool) forget(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := at - s.base; n > 0 {
		s.kept = append([]byte(nil), s.kept[min(n, int64(len(s.kept))):]...)
		s.base = at
	}
}

// spoolReader reads a spool from a position on.
type spoolReader struct {
	s  *spool
	at int64
}

func (r *spoolReader) Read(b []byte) (int, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if have := r.at - r.s.base; have < int64(len(r.s.kept)) {
		n := copy(b, r.s.kept[have:])
		r.at += int64(n)
		return n, nil
	}
	if r.s.err != nil {
		return 0, r.s.err
	}
	n, err := r.s.r.Read(b)
	r.s.kept = append(r.s.kept, b[:n]...)
	r.at += int64(n)
	r.s.err = err
	return n, err
}

// open prepares the input and output of a part of the run: the input behind what has
// been consumed, the output without what has been shown.
func (k *keeper) open(stdin io.Reader, out *output) (*input, error) {
	if stdin == nil {
		stdin = bytes.NewReader(nil)
	}
	first := k.in == nil
	if first {
		k.in = &spool{r: stdin}
	}
	in := newInput(&spoolReader{s: k.in, at: k.in.base}, out)
	in.used.sum = snapshot.NewSum()
	if k.from == nil {
		out.made.sum, out.shown = snapshot.NewSum(), k.shown
		return in, nil
	}
	m := k.from
	if first {
		if err := m.in.used.same(stdin, "standard input", "read"); err != nil {
			return nil, &Error{File: k.path, PE: -1, Msg: "cannot go on from this checkpoint: " + err.Error(),
				Hint: "give the program the same input as before, from its beginning: what has been read is skipped"}
		}
		k.in.base, k.shown = m.in.used.bytes, max(k.shown, m.out.bytes)
	}
	in = newInput(&spoolReader{s: k.in, at: m.in.used.bytes}, out)
	in.line, in.end, in.used = m.in.line, m.in.end, m.in.used
	out.made, out.shown = m.out, max(k.shown, m.out.bytes)
	return in, nil
}

// again prepares the run for being started again after it has failed: from its last
// checkpoint, or from the beginning if it has taken none.
func (k *keeper) again(p *Program, np int) error {
	if k.from == nil {
		return nil
	}
	m, err := k.load(p, np)
	if err == nil && (m == nil || m.taken == 0) {
		err = &Error{File: k.path, PE: -1, Msg: "the checkpoint is not there any more"}
	}
	k.from = m
	return err
}

// newKeeper makes the keeper of a run that takes checkpoints, and with restart goes on
// from the one that is there.
func newKeeper(p *Program, np int, path string, restart bool, note io.Writer) (*keeper, error) {
	k := &keeper{path: path, note: note}
	if restart { // what is wrong with the file comes before whether it can be written
		var err error
		if k.from, err = k.load(p, np); err != nil {
			return nil, err
		}
		if m := k.from; m != nil && m.taken == 0 {
			k.from, k.mine = nil, m.file
		}
	}
	if err := snapshot.Writable(path); err != nil {
		return nil, &UsageError{path + ": cannot write checkpoints there: " + err.Error(), "name another file with -checkpoint"}
	}
	if !restart {
		return k, nil
	}
	if k.from == nil && k.mine == "" {
		fmt.Fprintf(note, "%s: there is no checkpoint %s: starting from the beginning\n", p.Name, path)
		return k, nil
	}
	k.announce(p)
	return k, nil
}

// announce says from where the run goes on.
func (k *keeper) announce(p *Program) {
	if k.from == nil {
		fmt.Fprintf(k.note, "%s: no checkpoint has been taken: starting from the beginning\n", p.Name)
		return
	}
	fmt.Fprintf(k.note, "%s: going on from checkpoint %d, line %d; %d bytes of output came before it\n", p.Name, k.from.taken, k.from.line, k.from.out.bytes)
}
