// Package outfile writes the files that users name for results: checkpoints, logs,
// reports, programs. Two rules hold for all of them. What is there and is of another
// kind, the source of a program for example, is never replaced: a file is known by how
// it begins. And a file is at every moment what it was before or what it is to be:
//
//	err := outfile.Write("run.blog", []string{"barriers-log"}, log.Write)
//
// writes everything to a new file in the same folder and renames that. Its name is
// made by chance and must be free, so that no file of the user's is lost to it, and no
// link that somebody has put there is followed.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoFile is the error of Place where path is a folder, a device or a pipe.
var ErrNoFile = errors.New("it is there, and is no file")

// ErrOther is the error of Check where path is a file of another kind, such as the
// source of a program: it is not to be lost by a slip.
var ErrOther = errors.New("it is there, and spmdc did not make it as a file of this kind: remove it first if it is not needed")

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

// Check reports by its error why path should not be written: it is a file that does
// not begin with any of begins. A file that is empty may be written, and so may a
// device or a pipe, where nothing is lost.
func Check(path string, begins ...string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.IsDir():
		return ErrNoFile
	case !st.Mode().IsRegular() || st.Size() == 0:
		return nil
	}
	longest := 0
	for _, b := range begins {
		longest = max(longest, len(b))
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	first := make([]byte, longest)
	n, err := io.ReadFull(f, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	for _, b := range begins {
		if strings.HasPrefix(string(first[:n]), b) {
			return nil
		}
	}
	return ErrOther
}

// Write makes the file path hold what write writes, if Check lets it. A device or a
// pipe stays what it is, and is written to.
func Write(path string, begins []string, write func(io.Writer) error) error {
	if err := Check(path, begins...); err != nil {
		return err
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := Aside(path)
	if err != nil {
		return err
	}
	return Replace(f, path, write, true, nil)
}

// ErrFull is the error of Folder where path is a folder with something in it.
var ErrFull = errors.New("it is there, and has files in it: remove it first if they are not needed")

// Folder makes the folder path, which is not there yet or is empty, with what fill puts into
// it. As with Write, the folder is filled aside and renamed.
func Folder(path string, fill func(folder string) error) error {
	switch list, err := os.ReadDir(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(list) > 0:
		return ErrFull
	}
	aside := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%016x%s", asidePrefix(path), rand.Uint64(), asideEnd))
	err := os.Mkdir(aside, 0o777)
	if err != nil {
		return err
	}
	if err = fill(aside); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		os.RemoveAll(aside)
	}
	return err
}

// Names of files beside path: what they begin with, and end in.
const asideEnd = ".spmdc-new"

func asidePrefix(path string) string {
	base := filepath.Base(path)
	// A name has room for 255 bytes on most systems.
	return "." + strings.ToValidUTF8(base[:min(len(base), 100)], "") + "."
}

// Aside makes a new file beside the one that path stands for, to be given to Replace.
// It is locked, so that Sweep knows that it is in use.
func Aside(path string) (*os.File, error) {
	path, err := Place(path)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%016x%s", asidePrefix(path), rand.Uint64(), asideEnd))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !Lock(f) || !same(f) { // a Sweep was faster
			f.Close()
			continue
		}
		if st, err := os.Stat(path); err == nil {
			err = f.Chmod(st.Mode().Perm())
			if err != nil {
				f.Close()
				os.Remove(name)
				return nil, err
			}
		}
		return f, nil
	}
}

// same reports whether the name of f still stands for f.
func same(f *os.File) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(a, b)
}

// Sweep removes the files that runs which were killed have left beside path.
func Sweep(path string) {
	path, err := Place(path)
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), asidePrefix(path))
		middle, ends := strings.CutSuffix(middle, asideEnd)
		if !ok || !ends || len(middle) != 16 || strings.Trim(middle, "0123456789abcdef") != "" || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(filepath.Dir(path), e.Name())
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if Lock(f) && same(f) {
			os.Remove(name)
		}
		f.Close()
	}
}

// Replace makes the file path hold what write writes. At every moment path is what it
// was before or what it is to be, also when the process stops: all is written to f, which
// is from Aside, and f is renamed. With force it is forced to the disk in between, so that
// this holds when the machine stops too. before, if not nil, is called when all that may
// fail is over, just ahead of the renaming. After an error f is gone.
func Replace(f *os.File, path string, write func(io.Writer) error, force bool, before func() error) (err error) {
	closed := false
	defer func() {
		if !closed {
			f.Close()
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if path, err = Place(path); err != nil {
		return err
	}
	if err = write(f); err != nil {
		return err
	}
	if force {
		if err = f.Sync(); err != nil {
			return err
		}
	}
	if before != nil {
		if err = before(); err != nil {
			return err
		}
	}
	if closesFirst {
		closed = true
		if err = f.Close(); err != nil {
			return err
		}
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	if force {
		syncFolder(filepath.Dir(path))
	}
	if !closed {
		closed = true
		return f.Close()
	}
	return nil
}

// syncFolder makes a renaming last. Systems that cannot do so for a folder do it
// in their own time.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
