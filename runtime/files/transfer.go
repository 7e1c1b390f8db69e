package files

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/spmdc/spmdc/runtime/record"
	"github.com/spmdc/spmdc/runtime/spmd"
)

// Write executes a WRITE. Of a formatted file with sequential or stream access parts is
// the text with the ends of its records, of one with direct access the records; of an
// unformatted file the bytes.
func (t *table) Write(w spmd.Transfer, parts ...[]byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	u, err := t.connected(w.Unit, w.Unformatted)
	if err != nil {
		return err
	}
	if err := u.begin(w, true); err != nil {
		return err
	}
	switch {
	case u.access == "direct":
		err = u.writeDirect(parts)
	case !u.formatted() && u.access == "sequential":
		err = u.writeMarked(parts[0])
	case u.formatted():
		err = u.writeText(parts[0])
	default:
		u.d.write(parts[0])
	}
	if err == nil {
		err = u.failed()
	}
	return err
}

// begin checks that a transfer is possible, and goes to the place that it names.
func (u *unit) begin(w spmd.Transfer, write bool) error {
	wrong := func(status int, text, help string) error {
		return &record.Error{Status: status, Text: text, Msg: u.where() + ": " + text, Help: help}
	}
	rec, hasRec := w.With["rec"]
	pos, hasPos := w.With["pos"]
	switch {
	case write && !u.writes():
		return wrong(record.BadAction, "Cannot write to file opened for READ", "open it with action='readwrite' or 'write'")
	case !write && !u.reads():
		return wrong(record.BadAction, "Cannot read from file opened for WRITE", "open it with action='readwrite' or 'read'")
	case w.Unformatted && u.formatted():
		return wrong(record.Conflict, "Missing format for FORMATTED data transfer", "open it with form='unformatted', or give a format")
	case !w.Unformatted && !u.formatted():
		return wrong(record.Conflict, "Format present for UNFORMATTED data transfer", "open it with form='formatted', or leave the format out")
	case u.access == "direct" && !hasRec:
		return wrong(5003, "Direct access data transfer requires record number", "write REC=number")
	case u.access != "direct" && hasRec:
		return wrong(record.Conflict, "Record number not allowed for "+u.access+" access data transfer", "open the file with access='direct'")
	case u.access != "stream" && hasPos:
		return wrong(record.BadOption, "POS= specifier not allowed with REC= specifier", "open the file with access='stream'")
	case u.access == "sequential" && u.behind:
		e := record.BehindEnd(u.where())
		return e
	case hasRec:
		n := entries{map[string]any{"rec": rec}}.number("rec", 0)
		if n < 1 {
			return wrong(record.BadOption, "Record number not allowed", "records are counted from 1")
		}
		u.d.pos = int64(n-1) * int64(u.recl)
		if !write && u.d.pos >= u.d.size {
			return wrong(record.BadOption, "Non-existing record number", fmt.Sprintf("the file has no record %d", n))
		}
		u.next = n
	case hasPos:
		n := entries{map[string]any{"pos": pos}}.number("pos", 0)
		if n < 1 {
			return wrong(record.BadOption, "POS=specifier must be positive", "bytes are counted from 1")
		}
		u.d.pos, u.source = int64(n-1), nil
	}
	if !write {
		u.endRecord()
	} else if u.source != nil && u.source.Held {
		// What a READ with ADVANCE='NO' has left of its record is written over.
		u.d.pos -= int64(len(u.source.Record) - u.source.Pos + 1)
		u.source.Held = false
	}
	return nil
}

// writeDirect writes records of direct access, filled up to their length.
func (u *unit) writeDirect(parts [][]byte) error {
	for _, b := range parts {
		if len(b) > u.recl {
			return &record.Error{Status: record.DirectEnd, Text: "Write exceeds length of DIRECT access record",
				Msg: fmt.Sprintf("%s: record %d of %d bytes, with RECL=%d", u.where(), u.next, len(b), u.recl), Help: "open the file with a greater RECL="}
		}
		u.d.write(b)
		fill := make([]byte, u.recl-len(b))
		if u.formatted() {
			fill = bytes.Repeat([]byte{' '}, len(fill))
		}
		u.d.write(fill)
		u.next++
	}
	return nil
}

// writeText writes records with their ends; the last one may go on.
func (u *unit) writeText(text []byte) error {
	if u.recl > 0 {
		for line := range bytes.SplitSeq(text, []byte{'\n'}) {
			if len(line) > u.recl {
				return &record.Error{Status: record.EndRecord, Text: "End of record",
					Msg: fmt.Sprintf("%s: a record of %d characters, with RECL=%d", u.where(), len(line), u.recl), Help: "open the file with a greater RECL="}
			}
		}
	}
	u.d.write(text)
	if len(text) > 0 {
		u.pending = text[len(text)-1] != '\n'
	}
	if u.access == "sequential" || bytes.IndexByte(text, '\n') >= 0 {
		u.d.truncate()
	}
	return nil
}

// endRecord ends a record that WRITE with ADVANCE='NO' has left open.
func (u *unit) endRecord() {
	if u.pending {
		u.d.write([]byte{'\n'})
		u.d.truncate()
	}
	u.pending = false
}

const maxMarked = 2147483639 // bytes of a record between markers

// writeMarked writes a record of an unformatted sequential file: its length, its bytes,
// its length.
func (u *unit) writeMarked(b []byte) error {
	if len(b) > maxMarked {
		return &record.Error{Status: record.BadUnformat, Text: "Unformatted record too long",
			Msg: fmt.Sprintf("%s: an unformatted record of %d bytes", u.where(), len(b)), Help: "write less than 2 GiB by one statement, or use access='stream'"}
	}
	if u.recl > 0 && len(b) > u.recl {
		return &record.Error{Status: record.ShortRecord, Text: "I/O past end of record on unformatted file",
			Msg: fmt.Sprintf("%s: a record of %d bytes, with RECL=%d", u.where(), len(b), u.recl), Help: "open the file with a greater RECL="}
	}
	mark := binary.LittleEndian.AppendUint32(nil, uint32(len(b)))
	u.d.write(mark)
	u.d.write(b)
	u.d.write(mark)
	u.d.truncate()
	return nil
}

// Read begins a READ.
func (t *table) Read(r spmd.Transfer) (*record.Source, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, err := t.connected(r.Unit, r.Unformatted)
	if err != nil {
		return nil, err
	}
	if err := u.begin(r, false); err != nil {
		return nil, err
	}
	if u.source == nil || r.Unformatted {
		u.source = &record.Source{Name: u.where(), Where: u.where}
		u.source.Next, u.source.Back = u.nextRecord, func() { u.behind = false }
	}
	src := u.source
	src.Modes, src.Stays, src.Chars = u.modes, r.Stay, 0
	if err := src.Set("data transfer", r.With); err != nil {
		return nil, err
	}
	switch {
	case u.access == "direct":
		src.Held = false
		if r.Unformatted {
			src.Take = u.within(u.d.read(u.recl))
			u.next++
		}
	case r.Unformatted && u.access == "stream":
		src.Take = u.take
	case r.Unformatted:
		b, err := u.readMarked()
		if err != nil {
			return nil, err
		}
		src.Take = u.within(b)
	}
	return src, u.failed()
}

// nextRecord is the next record of a formatted file.
func (u *unit) nextRecord() (string, bool) {
	if u.access == "direct" {
		b := u.d.read(u.recl)
		u.next++
		return string(b), len(b) > 0
	}
	b, ended := u.d.line()
	if !ended && len(b) == 0 {
		u.behind = u.access == "sequential"
		return "", false
	}
	if ended && len(b) > 0 && b[len(b)-1] == '\r' {
		b = b[:len(b)-1]
	}
	u.line++
	return string(b), true
}

// within takes bytes of a record.
func (u *unit) within(b []byte) func(n int) ([]byte, error) {
	return func(n int) ([]byte, error) {
		if n > len(b) {
			return nil, &record.Error{Status: record.ShortRecord, Text: "I/O past end of record on unformatted file",
				Msg: u.where() + ": the items of READ are longer than the record", Help: "read what the WRITE has written"}
		}
		out := b[:n]
		b = b[n:]
		return out, nil
	}
}

// take takes bytes of a stream.
func (u *unit) take(n int) ([]byte, error) {
	if b := u.d.read(n); len(b) == n {
		return b, nil
	}
	return nil, record.PastEnd(u.where())
}

func (u *unit) corrupt() error {
	return &record.Error{Status: record.CorruptFile, Text: "Unformatted file structure has been corrupted",
		Msg: u.where() + ": this is no file of unformatted records", Help: "see what has written the file; READ with access='stream' takes any bytes"}
}

// readMarked is the next record of an unformatted sequential file, which may be in parts:
// then the first marker is negative.
func (u *unit) readMarked() ([]byte, error) {
	var out []byte
	for {
		mark := u.d.read(4)
		switch {
		case len(mark) == 0 && out == nil:
			u.behind = true
			return nil, record.PastEnd(u.where())
		case len(mark) < 4:
			return nil, u.corrupt()
		}
		n := int(int32(binary.LittleEndian.Uint32(mark)))
		goesOn := n < 0
		n = max(n, -n)
		if int64(n) > u.d.size-u.d.pos && !u.d.loose {
			return nil, u.corrupt()
		}
		b := u.d.read(n)
		if behind := u.d.read(4); len(b) < n || len(behind) < 4 || abs32(behind) != n {
			return nil, u.corrupt()
		}
		if out = append(out, b...); out == nil {
			out = []byte{}
		}
		if !goesOn {
			return out, nil
		}
	}
}

func abs32(mark []byte) int {
	n := int(int32(binary.LittleEndian.Uint32(mark)))
	return max(n, -n)
}

// rewind is REWIND.
func (u *unit) rewind() error {
	if u.access == "direct" {
		return u.unplaced(record.BadOption, "Cannot REWIND a file opened for DIRECT access")
	}
	u.endRecord()
	if u.d.loose {
		u.d.flush()
	}
	u.d.pos, u.behind, u.source, u.line, u.position = 0, false, nil, 0, "rewind"
	return u.failed()
}

// endFile is ENDFILE.
func (u *unit) endFile() error {
	if u.access == "direct" {
		return u.unplaced(record.Conflict, "Cannot perform ENDFILE on a file opened for DIRECT access")
	}
	u.endRecord()
	u.d.truncate()
	u.behind = u.access == "sequential"
	return u.failed()
}

// unplaced is the error of a statement that positions a file which it cannot position.
func (u *unit) unplaced(status int, text string) error {
	return &record.Error{Status: status, Text: text, Msg: u.where() + ": " + text, Help: "read the record by its number, or at its position"}
}

// backspace is BACKSPACE: it goes to the beginning of the record before.
func (u *unit) backspace() error {
	switch {
	case u.access == "direct":
		return u.unplaced(record.Conflict, "Cannot BACKSPACE a file opened for DIRECT access")
	case u.access == "stream" && !u.formatted():
		return u.unplaced(record.Conflict, "Cannot BACKSPACE an unformatted stream file")
	}
	u.endRecord()
	if u.behind {
		u.behind = false
		return nil
	}
	if u.source != nil && u.source.Held { // back to the beginning of the record in hand
		u.source.Held = false
		u.d.pos--
	} else if u.d.pos == 0 {
		return nil
	}
	u.line, u.position = max(u.line-1, 0), unspecified
	if u.formatted() {
		u.backOverLine()
		return u.failed()
	}
	for {
		if u.d.pos < 8 {
			return u.corrupt()
		}
		u.d.pos -= 4
		mark := u.d.read(4)
		n := int64(abs32(mark))
		if u.d.pos -= n + 8; u.d.pos < 0 {
			return u.corrupt()
		}
		if int32(binary.LittleEndian.Uint32(mark)) >= 0 { // no part is before
			return u.failed()
		}
	}
}

// backOverLine goes to the beginning of the line that ends in front of pos.
func (u *unit) backOverLine() {
	at := u.d.pos - 1 // the end of the line, or its last character
	for at > 0 {
		u.d.pos = at - 1
		if b := u.d.fill(); b[0] == '\n' {
			break
		}
		at--
	}
	u.d.pos = at
}
