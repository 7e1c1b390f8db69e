package tracefile

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// File is a trace that is read.
type File struct {
	Definitions
	Chunks []Chunk // of events
	Cut    string  // why what comes behind the last of them could not be read; "": there is nothing

	r    io.ReaderAt
	size int64
}

// ErrOther is the error of Read where the file is no trace.
var ErrOther = errors.New("the file is not what --trace writes")

// Read reads the definitions and the index of a file of so many bytes. Where the end is
// missing or is damaged it finds the chunks that are whole.
func Read(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	word := make([]byte, len(Word))
	if _, err := r.ReadAt(word, 0); err != nil || string(word) != Word {
		return nil, ErrOther
	}
	kind, _, content, err := f.chunk(int64(len(Word)))
	if err != nil || kind != definitions {
		return nil, fmt.Errorf("the trace has lost its beginning: %w", orDamaged(err))
	}
	if err := json.Unmarshal(content, &f.Definitions); err != nil || !f.sound() {
		return nil, fmt.Errorf("the trace has lost its beginning: %w", errDamaged)
	}
	if f.Chunks, err = f.index(); err != nil {
		f.scan(int64(len(Word)) + headerSize + int64(len(content)))
	}
	return f, nil
}

// sound reports whether the definitions can be used as indices.
func (f *File) sound() bool {
	for i, r := range f.Regions {
		if r.Parent >= i || r.Parent < -1 {
			return false
		}
	}
	for _, s := range f.Sites {
		if len(s.Counts) != f.PEs {
			return false
		}
	}
	return f.PEs > 0 && len(f.Regions) > 0 && len(f.Kept) == f.PEs && (f.Hosts == nil || len(f.Hosts) == f.PEs)
}

var errDamaged = errors.New("a check sum is wrong")

func orDamaged(err error) error {
	if err == nil {
		return errDamaged
	}
	return err
}

var errCut = errors.New("the file was cut off")

// chunk reads the chunk at a place.
func (f *File) chunk(at int64) (kind byte, c Chunk, content []byte, err error) {
	if at < 0 || at+headerSize > f.size {
		return 0, c, nil, errCut
	}
	h := make([]byte, headerSize)
	if _, err := f.r.ReadAt(h, at); err != nil {
		return 0, c, nil, err
	}
	if string(h[:4]) != mark {
		return 0, c, nil, errDamaged
	}
	le := binary.LittleEndian
	c = Chunk{Level: int(h[5]), PE: int(le.Uint32(h[6:])), Events: int(le.Uint32(h[10:])), From: int64(le.Uint64(h[14:])), To: int64(le.Uint64(h[22:])), at: at, size: int64(le.Uint32(h[30:]))}
	if at+headerSize+c.size > f.size {
		return 0, c, nil, errCut
	}
	content = make([]byte, c.size)
	if _, err := f.r.ReadAt(content, at+headerSize); err != nil {
		return 0, c, nil, err
	}
	if sum(h[:headerSize-4], content) != le.Uint32(h[headerSize-4:]) {
		return 0, c, nil, errDamaged
	}
	return h[4], c, content, nil
}

// index reads the chunks from the index.
func (f *File) index() ([]Chunk, error) {
	last := make([]byte, lastSize)
	if f.size < int64(lastSize) {
		return nil, errCut
	}
	if _, err := f.r.ReadAt(last, f.size-int64(lastSize)); err != nil || string(last[8:]) != end {
		return nil, errCut
	}
	kind, c, b, err := f.chunk(int64(binary.LittleEndian.Uint64(last)))
	if err != nil || kind != index {
		return nil, orDamaged(err)
	}
	var chunks []Chunk
	for range c.Events {
		var v [7]int64
		for i := range v {
			x, n := binary.Varint(b)
			if n <= 0 {
				return nil, errDamaged
			}
			v[i], b = x, b[n:]
		}
		chunks = append(chunks, Chunk{int(v[0]), int(v[1]), int(v[2]), v[3], v[4], v[5], v[6]})
	}
	return chunks, nil
}

// scan finds the chunks from a place on.
func (f *File) scan(at int64) {
	for {
		kind, c, content, err := f.chunk(at)
		switch {
		case err != nil:
			f.Cut = err.Error()
			return
		case kind == index:
			f.Cut = errCut.Error()
			return
		case kind == events:
			f.Chunks = append(f.Chunks, c)
		}
		at += headerSize + int64(len(content))
	}
}

// Events reads the events of a chunk. Each has a region, a site and a PE that there are.
func (f *File) Events(c Chunk) ([]Event, error) {
	kind, own, b, err := f.chunk(c.at)
	if err != nil || kind != events || own.PE >= f.PEs || own.Events > len(b) {
		return nil, fmt.Errorf("the trace is damaged: %w", orDamaged(err))
	}
	list, ok := Decode(b, own.Events, &f.Definitions)
	if !ok {
		return nil, fmt.Errorf("the trace is damaged: %w", errDamaged)
	}
	return list, nil
}

// Decode is the n events that Append has appended; not ok: it did not, or they are not of these
// definitions.
func Decode(b []byte, n int, of *Definitions) (list []Event, ok bool) {
	if n < 0 || n > len(b) {
		return nil, false
	}
	list = make([]Event, 0, n)
	ok = true
	next := func() int64 {
		x, n := binary.Varint(b)
		if n <= 0 {
			ok = false
			return 0
		}
		b = b[n:]
		return x
	}
	var last int64
	for range n {
		if len(b) == 0 {
			return nil, false
		}
		e := Event{Kind: Kind(b[0]), Peer: -1}
		b = b[1:]
		id := next()
		e.Began = last + next()
		e.Took = next()
		var size int
		if e.Number, size = binary.Uvarint(b); size <= 0 {
			ok = false
		} else {
			b = b[size:]
		}
		last = e.Began
		var peer, buffer int64 = -1, 0
		if !e.Kind.ofRegion() {
			peer, buffer, e.Bytes = next(), next(), next()
		}
		defined := len(of.Sites)
		if e.Kind.ofRegion() {
			defined = len(of.Regions)
		}
		if !ok || e.Kind >= Kinds || id < -1 || id >= int64(defined) || e.Kind.ofRegion() && id < 0 || peer < -1 || peer >= int64(of.PEs) ||
			buffer < 0 || buffer > math.MaxInt32 || e.Took < 0 {
			return nil, false
		}
		e.ID, e.Peer, e.Buffer = int(id), int(peer), int(buffer)
		list = append(list, e)
	}
	return list, true
}
