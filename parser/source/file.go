package source

import (
	"bytes"
	"sort"
)

// File is one source text with its line table. It is immutable.
type File struct {
	Name string // as given on the command line; shown in diagnostics
	Text string // the whole text, without a byte order mark

	starts []int // offset in Text of the first byte of each line
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
	return Pos{Line: line, Col: offset - f.starts[line-1] + 1}
}
