package source

import (
	"bytes"
	"sort"
)

// File is one source text with its line table.
//
// Texts that belong to it, such as included files, are added to it: their lines
// are numbered behind its own, from the next multiple of a million on, so that
// one number stands for a line of the whole program. Place gives the file and the
// number that a reader knows.
type File struct {
	Name string // as given on the command line; shown in diagnostics
	Text string // the whole text, without a byte order mark

	starts []int   // offset in Text of the first byte of each line
	base   int     // its first line has the number base + 1
	parts  []*File // what was added, in order of base
}

// partStride divides the first number of each text that is added.
const partStride = 1_000_000

// Add adds a text to f.
func (f *File) Add(name string, text []byte) *File {
	last := f
	if n := len(f.parts); n > 0 {
		last = f.parts[n-1]
	}
	part := NewFile(name, text)
	part.base = (last.base+last.Lines())/partStride*partStride + partStride
	f.parts = append(f.parts, part)
	return part
}

// Parts returns f and all that was added to it.
func (f *File) Parts() []*File { return append([]*File{f}, f.parts...) }

// First is the number of the first line.
func (f *File) First() int { return f.base + 1 }

// Part returns the text of f that has line n, f itself where none has.
func (f *File) Part(n int) *File {
	i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].base >= n })
	if i == 0 {
		return f
	}
	return f.parts[i-1]
}

// Place returns the name of the file of line n, and the number of the line there.
func (f *File) Place(n int) (string, int) {
	part := f.Part(n)
	return part.Name, n - part.base
}

// NewFile makes the line table of text. A leading UTF-8 byte order mark is
// dropped, so that column 1 is what an editor shows as column 1.
func NewFile(name string, text []byte) *File {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	f := &File{Name: name, Text: string(text)}
	f.starts = make([]int, 1, 1+bytes.Count(text, []byte{'\n'}))
	for i := range text {
		if text[i] == '\n' && i+1 < len(text) {
			f.starts = append(f.starts, i+1)
		}
	}
	return f
}

// Lines returns the number of lines; a missing newline at the end of the file
// makes no difference. An empty file has one empty line.
func (f *File) Lines() int { return len(f.starts) }

// Line returns line n (counted from 1) without its line terminator ("\n" or
// "\r\n"), and "" for a line that the file does not have.
func (f *File) Line(n int) string {
	if part := f.Part(n); part != f {
		return part.Line(n)
	}
	n -= f.base
	if n < 1 || n > len(f.starts) {
		return ""
	}
	end := len(f.Text)
	if n < len(f.starts) {
		end = f.starts[n]
	}
	line := f.Text[f.starts[n-1]:end]
	if k := len(line); k > 0 && line[k-1] == '\n' {
		line = line[:k-1]
	}
	if k := len(line); k > 0 && line[k-1] == '\r' {
		line = line[:k-1]
	}
	return line
}

// Pos turns a byte offset in Text into line and column; an offset past the
// end gives the place just behind the last byte.
func (f *File) Pos(offset int) Pos {
	offset = max(0, min(offset, len(f.Text)))
	line := sort.SearchInts(f.starts, offset+1)
	return Pos{Line: f.base + line, Col: offset - f.starts[line-1] + 1}
}
