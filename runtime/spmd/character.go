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
		panic(noSubstring(s, lo, hi))
	}
	return s[lo-1 : hi]
}

// CharAt is s(i:i).
func CharAt(s string, i int) string {
	if uint(i-1) >= uint(len(s)) {
		panic(noSubstring(s, i, i))
	}
	return s[i-1 : i]
}

// SetSub is s after the assignment s(lo:hi) = v.
func SetSub(s string, lo, hi int, v string) string {
	if hi < lo {
		return s
	}
	if lo < 1 || hi > len(s) {
		panic(noSubstring(s, lo, hi))
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
		panic(noSubstring(string(s), lo, hi))
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
		panic(noSubstring(string(s), i, i))
	}
	s[i-1] = byte(c)
}

// Edited is s as a text, after which nothing changes s.
func Edited(s []byte) string { return unsafe.String(unsafe.SliceData(s), len(s)) }

// PartOf is s(lo:hi), for as long as s stays as it is.
func PartOf(s []byte, lo, hi int) string {
	return Substr(Edited(s), lo, hi)
}

// At is the position of the character s(i:i).
func At[S string | []byte](s S, i int) int {
	if uint(i-1) >= uint(len(s)) {
		panic(noSubstring(string(s), i, i))
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

// noSubstring is the fault of a part that s does not have. It is apart from its callers so
// that these are put in line.
func noSubstring(s string, lo, hi int) *Fault {
	return &Fault{
		Msg:  fmt.Sprintf("substring out of range: (%d:%d)", lo, hi),
		Hint: fmt.Sprintf("the string has %d characters", len(s)),
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
