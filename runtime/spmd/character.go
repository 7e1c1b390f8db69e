package spmd

import (
	"fmt"
	"strings"
	"unsafe"
)

// CHARACTER values are Go strings of bytes, as long as they are declared.

// String is a CHARACTER variable as an item of READ.
type String struct {
	s      *string
	length int
}

// Str makes *s, of the declared length, an item of READ.
func Str(s *string, length int) *String { return &String{s, length} }

// Len is the declared length.
func (v *String) Len() int { return v.length }

// Set assigns s.
func (v *String) Set(s string) { *v.s = Pad(s, v.length) }

// Pad is s cut, or filled up with blanks, to length n: assignment to a
// CHARACTER variable.
func Pad(s string, n int) string {
	if len(s) >= n {
		return s[:max(n, 0)]
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(s)
	for b.Len() < n {
		b.WriteString(blankText[:min(len(blankText), n-b.Len())])
	}
	return b.String()
}

// Blank gives texts of length n, those of an array, the value of blanks.
func Blank(texts []string, n int) { fill(texts, Pad("", n)) }

const blankText = "                                                                "

// CmpStr compares two strings, the shorter one filled up with blanks: it is
// negative, zero or positive as a is less than, equal to or greater than b.
func CmpStr(a, b string) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return blanks(a[n:]) - blanks(b[n:])
}

// blanks compares s with as many blanks.
func blanks(s string) int {
	for i := range len(s) {
		switch {
		case s[i] < ' ':
			return -1
		case s[i] > ' ':
			return 1
		}
	}
	return 0
}

// Substr is s(lo:hi), counted from 1; it is empty if hi < lo, and panics if it
// leaves s.
func Substr(s string, lo, hi int) string {
	if hi < lo {
		return ""
	}
	if lo < 1 || hi > len(s) {
		panic(noSubstring(len(s), lo, hi))
	}
	return s[lo-1 : hi]
}

// CharAt is s(i:i).
func CharAt(s string, i int) string {
	if uint(i-1) >= uint(len(s)) {
		panic(noCharacter{len(s), i})
	}
	return s[i-1 : i]
}

// SetSub is s after the assignment s(lo:hi) = v.
func SetSub(s string, lo, hi int, v string) string {
	if hi < lo {
		return s
	}
	if lo < 1 || hi > len(s) {
		panic(noSubstring(len(s), lo, hi))
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:lo-1])
	b.WriteString(v[:min(len(v), hi-lo+1)])
	for b.Len() < hi {
		b.WriteByte(' ')
	}
	b.WriteString(s[hi:])
	return b.String()
}

// Edit assigns s(lo:hi) = v, where s is the text itself.
func Edit(s []byte, lo, hi int, v string) {
	if hi < lo {
		return
	}
	if lo < 1 || hi > len(s) {
		panic(noSubstring(len(s), lo, hi))
	}
	if lo == hi && len(v) == 1 {
		s[lo-1] = v[0]
		return
	}
	part := s[lo-1 : hi]
	for i := copy(part, v); i < len(part); i++ {
		part[i] = ' '
	}
}

// Put assigns s(i:i) = char(c), where s is the text itself.
func Put(s []byte, i, c int) {
	if uint(i-1) >= uint(len(s)) {
		panic(noCharacter{len(s), i})
	}
	s[i-1] = byte(c)
}

// Edited is s as a text, after which nothing changes s.
func Edited(s []byte) string { return unsafe.String(unsafe.SliceData(s), len(s)) }

// PartOf is s(lo:hi), for as long as s stays as it is.
func PartOf(s []byte, lo, hi int) string {
	return Substr(Edited(s), lo, hi)
}

// CopyOf is s(lo:hi), whatever becomes of s.
func CopyOf(s []byte, lo, hi int) string { return strings.Clone(PartOf(s, lo, hi)) }

// CharOf is s(i:i), whatever becomes of s.
func CharOf(s []byte, i int) string {
	if uint(i-1) >= uint(len(s)) {
		panic(noCharacter{len(s), i})
	}
	c := int(s[i-1])
	return allCharacters[c : c+1]
}

// allCharacters has each of the 256 characters at its position.
const allCharacters = "" +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	"\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2a\x2b\x2c\x2d\x2e\x2f" +
	"\x30\x31\x32\x33\x34\x35\x36\x37\x38\x39\x3a\x3b\x3c\x3d\x3e\x3f" +
	"\x40\x41\x42\x43\x44\x45\x46\x47\x48\x49\x4a\x4b\x4c\x4d\x4e\x4f" +
	"\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59\x5a\x5b\x5c\x5d\x5e\x5f" +
	"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f" +
	"\x70\x71\x72\x73\x74\x75\x76\x77\x78\x79\x7a\x7b\x7c\x7d\x7e\x7f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f" +
	"\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf" +
	"\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf" +
	"\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf" +
	"\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf" +
	"\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef" +
	"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff"

// EditedText is an element of an array that a loop edits in place, from its first use to Done.
type EditedText struct {
	texts []string
	at    int
	s     []byte
}

// Editing is for texts[at], which need not exist.
func Editing(texts []string, at int) EditedText { return EditedText{texts: texts, at: at} }

// Text is the text. It is loaded when it is used for the first time.
func (e *EditedText) Text() []byte {
	if e.s == nil {
		e.load()
	}
	return e.s
}

func (e *EditedText) load() { e.s = []byte(e.texts[e.at]) }

// Done stores the text, if it was used.
func (e *EditedText) Done() {
	if e.s != nil {
		e.texts[e.at] = Edited(e.s)
	}
}

// At is the position of the character s(i:i).
func At[S string | []byte](s S, i int) int {
	if uint(i-1) >= uint(len(s)) {
		panic(noCharacter{len(s), i})
	}
	return int(s[i-1])
}

// SameStr reports whether two texts are equal, up to blanks at the end.
func SameStr(a, b string) bool {
	if len(a) == len(b) {
		return a == b
	}
	return CmpStr(a, b) == 0
}

// noCharacter is the fault of a character i that a text of this length does not have. It is a
// value, and no call, so that those who panic with it are put in line.
type noCharacter struct{ length, i int }

func (f noCharacter) Error() string { return noSubstring(f.length, f.i, f.i).Msg }

// Hint says how long the text is.
func (f noCharacter) Hint() string { return noSubstring(f.length, f.i, f.i).Hint }

// noSubstring is the fault of a part that a text of this length does not have.
func noSubstring(length, lo, hi int) *Fault {
	return &Fault{
		Msg:  fmt.Sprintf("substring out of range: (%d:%d)", lo, hi),
		Hint: fmt.Sprintf("the string has %d characters", length),
	}
}

// Trim is TRIM: s without trailing blanks.
func Trim(s string) string { return strings.TrimRight(s, " ") }

// LenTrim is LEN_TRIM: the length of s without trailing blanks.
func LenTrim(s string) int { return len(Trim(s)) }

// Adjustl is ADJUSTL: leading blanks moved to the end.
func Adjustl(s string) string { return Pad(strings.TrimLeft(s, " "), len(s)) }

// Adjustr is ADJUSTR: trailing blanks moved to the front.
func Adjustr(s string) string {
	t := Trim(s)
	return strings.Repeat(" ", len(s)-len(t)) + t
}

// Scan is SCAN: where the first (with back, last) character of s that is in set stands, from
// 1, or 0 if there is none. With in false it is VERIFY, about those that are not in set.
func Scan(s, set string, back, in bool) int {
	for i := range len(s) {
		if back {
			i = len(s) - 1 - i
		}
		if (strings.IndexByte(set, s[i]) >= 0) == in {
			return i + 1
		}
	}
	return 0
}

// Repeat is REPEAT: n copies of s. A negative n is an error.
func Repeat(s string, n int) string {
	if n < 0 {
		panic("REPEAT with a negative number of copies")
	}
	return strings.Repeat(s, n)
}

// IndexStr is INDEX: where sub first (with back, last) occurs in s, from 1, or
// 0 if it does not.
func IndexStr(s, sub string, back ...bool) int {
	if len(back) > 0 && back[0] {
		return strings.LastIndex(s, sub) + 1
	}
	return strings.Index(s, sub) + 1
}
