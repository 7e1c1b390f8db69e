package synch

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unique"
)

// Tags is a set of communications, by number, that have been posted and whose
// arrival would prove an obligation (the Tag of the paper's Figure 7). It is
// immutable, and sets with the same members are ==. The zero value is empty.
//
// A set is a handle, not a slice, because states are kept for every node of the
// graph and every item: thousands times thousands.
type Tags struct{ set unique.Handle[string] }

// tagSize is the length of a member in the text behind a set: the number, most
// significant byte first, so that members in ascending order are text in order.
const tagSize = 4

// MakeTags is the set of the given communications.
func MakeTags(refs ...int) Tags {
	refs = slices.Clone(refs)
	slices.Sort(refs)
	return pack(slices.Compact(refs))
}

// pack takes ascending numbers without repetition.
func pack(refs []int) Tags {
	if len(refs) == 0 {
		return Tags{}
	}
	b := make([]byte, 0, tagSize*len(refs))
	for _, r := range refs {
		b = binary.BigEndian.AppendUint32(b, uint32(r))
	}
	return Tags{unique.Make(string(b))}
}

func (t Tags) text() string {
	if t == (Tags{}) {
		return ""
	}
	return t.set.Value()
}

// Empty reports whether there is no member.
func (t Tags) Empty() bool { return t == Tags{} }

// Refs lists the members in ascending order.
func (t Tags) Refs() []int {
	s := t.text()
	refs := make([]int, 0, len(s)/tagSize)
	for ; s != ""; s = s[tagSize:] {
		refs = append(refs, int(binary.BigEndian.Uint32([]byte(s[:tagSize]))))
	}
	return refs
}

// Has reports whether ref is a member.
func (t Tags) Has(ref int) bool {
	for s := t.text(); s != ""; s = s[tagSize:] {
		if s[0] == byte(ref>>24) && s[1] == byte(ref>>16) && s[2] == byte(ref>>8) && s[3] == byte(ref) {
			return true
		}
	}
	return false
}

// With is the set with ref added.
func (t Tags) With(ref int) Tags {
	if t.Has(ref) {
		return t
	}
	refs := t.Refs()
	at, _ := slices.BinarySearch(refs, ref)
	return pack(slices.Insert(refs, at, ref))
}

// Intersect has the members that both sets have.
func (t Tags) Intersect(u Tags) Tags {
	if t == u {
		return t
	}
	return pack(slices.DeleteFunc(t.Refs(), func(r int) bool { return !u.Has(r) }))
}

// Union has the members of either set.
func (t Tags) Union(u Tags) Tags {
	if t == u || u.Empty() {
		return t
	}
	return MakeTags(append(t.Refs(), u.Refs()...)...)
}

// Within reports whether u has every member of t.
func (t Tags) Within(u Tags) bool { return t.Intersect(u) == t }

// String is "{1,4}"; the empty set is "{}".
func (t Tags) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, r := range t.Refs() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(r))
	}
	b.WriteByte('}')
	return b.String()
}
