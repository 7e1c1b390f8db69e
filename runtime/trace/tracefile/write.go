package tracefile

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
)

// A chunk is a header and its content. The header: a mark, what it is, the PE and the level,
// the number of events, from when to when, the length of the content, and the check sum of
// all that.
const (
	mark       = "CHNK"
	headerSize = 4 + 1 + 1 + 4 + 4 + 8 + 8 + 4 + 4
	lastSize   = 8 + len(end)
)

// What a chunk is.
const (
	definitions = 'd'
	events      = 'e'
	index       = 'i'
)

// Writer writes a file.
type Writer struct {
	w      io.Writer
	at     int64
	chunks []Chunk
	buf    []byte
	err    error
}

// NewWriter begins a file.
func NewWriter(w io.Writer, d *Definitions) *Writer {
	x := &Writer{w: w}
	x.write([]byte(Word))
	text, err := json.Marshal(d)
	if x.err == nil {
		x.err = err
	}
	x.chunk(definitions, Chunk{}, text)
	return x
}

func (x *Writer) write(b []byte) {
	if x.err != nil {
		return
	}
	n, err := x.w.Write(b)
	x.at += int64(n)
	x.err = err
}

func (x *Writer) chunk(kind byte, c Chunk, content []byte) {
	h := make([]byte, 0, headerSize)
	h = append(h, mark...)
	h = append(h, kind, byte(c.Level))
	h = binary.LittleEndian.AppendUint32(h, uint32(c.PE))
	h = binary.LittleEndian.AppendUint32(h, uint32(c.Events))
	h = binary.LittleEndian.AppendUint64(h, uint64(c.From))
	h = binary.LittleEndian.AppendUint64(h, uint64(c.To))
	h = binary.LittleEndian.AppendUint32(h, uint32(len(content)))
	h = binary.LittleEndian.AppendUint32(h, sum(h, content))
	x.write(h)
	x.write(content)
}

func sum(header, content []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(header), crc32.IEEETable, content)
}

// Events writes a chunk, with events of a PE and a level: not too many, since a reader takes
// all of them at once.
func (x *Writer) Events(pe, level int, list []Event) {
	if len(list) == 0 {
		return
	}
	c := Chunk{PE: pe, Level: level, Events: len(list), From: list[0].Began, To: list[0].Began, at: x.at}
	for i := range list {
		e := &list[i]
		c.From, c.To = min(c.From, e.Began), max(c.To, e.Began+e.Took)
	}
	x.buf = Append(x.buf[:0], list)
	c.size = int64(len(x.buf))
	x.chunk(events, c, x.buf)
	x.chunks = append(x.chunks, c)
}

// Append appends events to b, as the content of a chunk is.
func Append(b []byte, list []Event) []byte {
	var last int64
	for i := range list {
		e := &list[i]
		b = append(b, byte(e.Kind))
		b = binary.AppendVarint(b, int64(e.ID))
		b = binary.AppendVarint(b, e.Began-last)
		b = binary.AppendVarint(b, e.Took)
		b = binary.AppendUvarint(b, e.Number)
		last = e.Began
		if !e.Kind.ofRegion() {
			b = binary.AppendVarint(b, int64(e.Peer))
			b = binary.AppendVarint(b, int64(e.Buffer))
			b = binary.AppendVarint(b, e.Bytes)
		}
	}
	return b
}

// Close writes the index. The file is whole when its error is nil.
func (x *Writer) Close() error {
	var b []byte
	for _, c := range x.chunks {
		for _, v := range []int64{int64(c.PE), int64(c.Level), int64(c.Events), c.From, c.To, c.at, c.size} {
			b = binary.AppendVarint(b, v)
		}
	}
	at := x.at
	x.chunk(index, Chunk{Events: len(x.chunks)}, b)
	x.write(append(binary.LittleEndian.AppendUint64(nil, uint64(at)), end...))
	return x.err
}
