package files

import (
	"io"
	"os"
)

// disk is a file with one buffer, in which reading and writing at any place go on. What
// cannot be positioned, such as a pipe, is read and written in order.
type disk struct {
	f     *os.File
	pos   int64 // of the next byte
	size  int64 // of the file, with what is in the buffer
	onDev int64 // how long the file is outside of the buffer
	buf   []byte
	at    int64 // of buf[0] in the file
	dirty bool
	loose bool // it cannot be positioned
	fault error
}

const bufferSize = 1 << 16

// newDisk takes an open file.
func newDisk(f *os.File) (*disk, error) {
	d := &disk{f: f, buf: make([]byte, 0, bufferSize)}
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if d.loose = !st.Mode().IsRegular(); !d.loose {
		d.size = st.Size()
		d.onDev = d.size
	}
	return d, nil
}

// flush writes the buffer, and cuts off what lies behind the end.
func (d *disk) flush() {
	if d.dirty && len(d.buf) > 0 && d.fault == nil {
		if d.loose {
			_, d.fault = d.f.Write(d.buf)
			d.at += int64(len(d.buf))
			d.buf = d.buf[:0]
		} else if _, d.fault = d.f.WriteAt(d.buf, d.at); d.fault == nil {
			d.onDev = max(d.onDev, d.at+int64(len(d.buf)))
		}
	}
	d.dirty = false
	if !d.loose && d.onDev > d.size && d.fault == nil {
		d.fault = d.f.Truncate(d.size)
		d.onDev = d.size
	}
}

// turn makes the buffer begin at an offset.
func (d *disk) turn(at int64) {
	d.flush()
	d.at, d.buf = at, d.buf[:0]
}

// fill reads what the file has at pos into the buffer, and returns it from there on:
// nothing at the end.
func (d *disk) fill() []byte {
	if in := d.pos - d.at; in >= 0 && in < int64(len(d.buf)) {
		return d.buf[in:]
	}
	if d.loose {
		d.flush()
		d.at = d.pos
		n, err := d.f.Read(d.buf[:cap(d.buf)])
		d.buf = d.buf[:max(n, 0)]
		if err != nil && err != io.EOF && d.fault == nil {
			d.fault = err
		}
		return d.buf
	}
	if d.pos >= d.size {
		return nil
	}
	start := d.pos
	if d.at > d.pos { // reading backwards: what lies before is next
		start = max(0, d.pos+1-bufferSize)
	}
	d.turn(start)
	n := min(int64(cap(d.buf)), d.size-start)
	k, err := d.f.ReadAt(d.buf[:n], start)
	if err != nil && err != io.EOF && d.fault == nil {
		d.fault = err
	}
	d.buf = d.buf[:n]
	clear(d.buf[k:]) // a hole that a write has left
	return d.buf[d.pos-d.at:]
}

// read is the next n bytes, fewer at the end of the file.
func (d *disk) read(n int) []byte {
	out := make([]byte, 0, min(n, 1<<20))
	for len(out) < n {
		b := d.fill()
		if len(b) == 0 {
			break
		}
		b = b[:min(len(b), n-len(out))]
		out = append(out, b...)
		d.pos += int64(len(b))
	}
	return out
}

// line is the bytes up to the next end of a line, which is passed over; ended is false
// where the file ends without one.
func (d *disk) line() (text []byte, ended bool) {
	for {
		b := d.fill()
		if len(b) == 0 {
			return text, false
		}
		for i, c := range b {
			if c == '\n' {
				d.pos += int64(i + 1)
				return append(text, b[:i]...), true
			}
		}
		text = append(text, b...)
		d.pos += int64(len(b))
	}
}

// write writes b at pos, and zeros in front of it where the file ends before that.
func (d *disk) write(b []byte) {
	if !d.loose && d.pos > d.size {
		gap := d.pos - d.size
		d.pos = d.size
		zeros := make([]byte, min(gap, bufferSize))
		for ; gap > 0; gap -= int64(len(zeros)) {
			zeros = zeros[:min(int64(len(zeros)), gap)]
			d.write(zeros)
		}
	}
	for len(b) > 0 {
		in := d.pos - d.at
		if in < 0 || in > int64(len(d.buf)) || in == int64(cap(d.buf)) || d.loose && !d.dirty {
			d.turn(d.pos)
			in = 0
		}
		n := min(len(b), cap(d.buf)-int(in))
		if int(in)+n > len(d.buf) {
			d.buf = d.buf[:int(in)+n] // what the file has there is overwritten, all of it
		}
		copy(d.buf[in:], b[:n])
		d.dirty = true
		d.pos += int64(n)
		d.size = max(d.size, d.pos)
		b = b[n:]
	}
}

// truncate ends the file at pos.
func (d *disk) truncate() {
	if d.loose || d.size == d.pos {
		return
	}
	d.size = d.pos
	if keep := d.size - d.at; keep < int64(len(d.buf)) {
		d.buf = d.buf[:max(keep, 0)]
		if keep < 0 {
			d.dirty = false
			d.at = d.size
		}
	}
}

// close writes what is left.
func (d *disk) close() error {
	d.flush()
	err := d.f.Close()
	if d.fault != nil {
		return d.fault
	}
	return err
}
