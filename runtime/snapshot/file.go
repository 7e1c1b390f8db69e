package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A file is the magic line, the number of parts, the lengths of the parts, the
// parts, and the SHA-256 of all that; numbers are 8 bytes, the lowest first.
const magic = "spmdc checkpoint 1\n"

// Aside is where the file path is written before it is renamed.
func Aside(path string) string { return path + ".new" }

// ErrNoFile is the error of Place, Commit and Open where path is a folder, a device or a pipe.
var ErrNoFile = errors.New("it is there, and is no file")

// Place returns the file that path stands for: another one where path is a symbolic
// link, path where nothing is there yet. Anything but a file is refused: to rename over
// a device would replace it, and to read a pipe would wait for who writes to it.
func Place(path string) (string, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", err
	case !st.Mode().IsRegular():
		return "", ErrNoFile
	}
	return filepath.EvalSymlinks(path)
}

// Commit makes the file path hold parts, as Replace does, aside at Aside(path).
func Commit(path string, parts [][]byte, force bool, before func() error) error {
	path, err := Place(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(Aside(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		sum := sha256.New()
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
	return Replace(f, path, write, force, before)
}

// Replace makes the file path hold what write writes. At every moment path is what it
// was before or what it is to be, also when the process stops: all is written to f, which
// is open and in the same folder, and f is renamed. With force it is forced to the disk in
// between, so that this holds when the machine stops too. before, if not nil, is called
// when all that may fail is over, just ahead of the renaming. After an error f is gone.
func Replace(f *os.File, path string, write func(io.Writer) error, force bool, before func() error) (err error) {
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if force {
		if err = f.Sync(); err != nil {
			return err
		}
	}
	if err = f.Close(); err != nil {
		return err
	}
	if before != nil {
		if err = before(); err != nil {
			return err
		}
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	if force {
		syncFolder(filepath.Dir(path))
	}
	return nil
}

// ErrOther is the error of Writable where path is a file of another kind, such as
// the source of a program: it is not to be lost by a slip.
var ErrOther = errors.New("it is there, and is no checkpoint; remove it first if it is not needed")

// Writable reports by its error why Commit could not, or should not, write the file path.
func Writable(path string) error {
	path, err := Place(path)
	if err != nil {
		return err
	}
	if f, err := os.Open(path); err == nil {
		first := make([]byte, len(magic))
		n, _ := io.ReadFull(f, first)
		f.Close()
		if n > 0 && string(first[:n]) != magic {
			return ErrOther
		}
	}
	f, err := os.OpenFile(Aside(path), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(Aside(path))
}

// syncFolder makes a renaming last. Systems that cannot do so for a folder do it
// in their own time.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
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
	path, err := Place(path)
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
	case len(text) < len(magic)+8+sha256.Size:
		return nil, errors.New("it is damaged: its end is missing")
	}
	body, sum := text[:len(text)-sha256.Size], text[len(text)-sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(sum, want[:]) {
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
