package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
	"io/fs"
	"os"

	"github.com/spmdc/spmdc/runtime/outfile"
)

// A file is the magic line, the number of parts, the lengths of the parts, the
// parts, and the sum of all that (NewSum); numbers are 8 bytes, the lowest first.
const magic = "spmdc checkpoint 2\n"

// NewSum makes the sum by which damage is found: CRC-64, of the polynomial of ECMA-182. Package
// crypto/sha256 would take a part of the start of each program that could be seen.
func NewSum() hash.Hash { return crc64.New(crc64.MakeTable(crc64.ECMA)) }

// Commit makes the file path hold parts, as outfile.Replace does.
func Commit(path string, parts [][]byte, force bool, before func() error) error {
	if err := outfile.Check(path, magic); err != nil {
		return err
	}
	f, err := outfile.Aside(path)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		sum := NewSum()
		out := io.MultiWriter(w, sum)
		if _, err := out.Write(head(parts)); err != nil {
			return err
		}
		for _, p := range parts {
			if _, err := out.Write(p); err != nil {
				return err
			}
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	}
	return outfile.Replace(f, path, write, force, before)
}

// Writable reports by its error why Commit could not, or should not, write the file
// path. What killed runs have left beside it is removed.
func Writable(path string) error {
	if err := outfile.Check(path, magic); err != nil {
		return err
	}
	if _, err := outfile.Place(path); err != nil {
		return err
	}
	outfile.Sweep(path)
	f, err := outfile.Aside(path)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

func head(parts [][]byte) []byte {
	b := append([]byte(magic), make([]byte, 0, 8+8*len(parts))...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(parts)))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
	}
	return b
}

// ErrNone is the error of Open where there is no file.
var ErrNone = errors.New("there is no file")

// Open returns the parts of a file that Commit has written, or an error that says
// what is wrong with it.
func Open(path string) ([][]byte, error) {
	path, err := outfile.Place(path)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNone
	case err != nil:
		return nil, err
	case !bytes.HasPrefix(text, []byte(magic)):
		return nil, errors.New("it is no checkpoint of a program that spmdc has made, or one of another version of spmdc")
	case len(text) < len(magic)+8+crc64.Size:
		return nil, errors.New("it is damaged: its end is missing")
	}
	body, sum := text[:len(text)-crc64.Size], text[len(text)-crc64.Size:]
	want := NewSum()
	want.Write(body)
	if !bytes.Equal(sum, want.Sum(nil)) {
		return nil, errors.New("it is damaged: its checksum is wrong")
	}
	rest := body[len(magic):]
	n := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	if n > uint64(len(rest))/8 {
		return nil, fmt.Errorf("it is damaged: it says that it has %d parts", n)
	}
	lengths := rest[:8*n]
	rest = rest[8*n:]
	parts := make([][]byte, n)
	for i := range parts {
		size := binary.LittleEndian.Uint64(lengths[8*i:])
		if size > uint64(len(rest)) {
			return nil, errors.New("it is damaged: a part leaves the file")
		}
		parts[i], rest = rest[:size], rest[size:]
	}
	return parts, nil
}
