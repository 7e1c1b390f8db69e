package proof

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// The text form is for people and tests; nothing that is trusted reads it.

// String is the lines for an unfolding.
func (u *Unfolding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "on %d PEs", u.PEs)
	if len(u.Loops) > 0 {
		b.WriteString(" loops " + listText(u.Loops))
	}
	if len(u.Ready) > 0 {
		b.WriteString(" ready " + listText(u.Ready))
	}
	b.WriteByte(':')
	u.writeCopies(&b)
	b.WriteByte('\n')
	for _, s := range u.Sent {
		fmt.Fprintf(&b, "sent %d at %s:", s.Comm, listText(s.Copies))
		s.Must.write(&b, u.PEs)
		if !s.May.Within(s.Must) {
			b.WriteString(" may")
			s.May.write(&b, u.PEs)
		}
		if s.Users != 0 {
			fmt.Fprintf(&b, " to %s", setText(s.Users))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// writeCopies writes runs of copies that follow each other as their nodes do.
func (u *Unfolding) writeCopies(b *strings.Builder) {
	straight := func(i int) bool {
		c := u.Copies[i]
		return len(c.Succs) == 1 && c.Succs[0] == i+1 && i+1 < len(u.Copies) && u.Copies[i+1].Node == c.Node+1
	}
	for from := 0; from < len(u.Copies); {
		to := from
		for straight(to) {
			to++
		}
		if from > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(b, " %s", spanText(u.Copies[from].Node, u.Copies[to].Node))
		if next := u.Copies[to].Succs; len(next) > 0 {
			b.WriteString(">" + Numbers(next, ","))
		}
		from = to + 1
	}
}

func (m Messages) write(b *strings.Builder, pes int) {
	if All(pes).Within(m) {
		b.WriteString(" all")
		return
	}
	m.Each(func(p, q int) { fmt.Fprintf(b, " %d>%d", p, q) })
}

// String is the line for a certificate.
func (c *Certificate) String() string {
	var b strings.Builder
	if c.On != nil {
		b.WriteString("known ")
	} else {
		fmt.Fprintf(&b, "proof %d ", c.Use)
	}
	c.writeName(&b)
	b.WriteByte(':')
	c.writeClaims(&b)
	return b.String()
}

// writeName writes what the certificate is about: "3", "3*2", "3*2 staged", "3 for 1,4".
func (c *Certificate) writeName(b *strings.Builder) {
	about := c.Use
	if c.On == nil {
		about = c.Puts[0]
	}
	b.WriteString(strconv.Itoa(about))
	if c.Ring > 1 {
		fmt.Fprintf(b, "*%d", c.Ring)
	}
	if c.Staged {
		b.WriteString(" staged")
	}
	if c.On != nil && (len(c.Puts) != 1 || c.Puts[0] != c.Use) {
		b.WriteString(" for " + Numbers(c.Puts, ","))
	}
}

func (c *Certificate) writeClaims(b *strings.Builder) {
	for i, s := range c.Claims {
		switch {
		case i > 0 && c.On != nil:
			b.WriteByte(';')
		case i > 0:
			b.WriteByte(',')
		}
		fmt.Fprintf(b, " %s", spanText(s.From, s.To))
		if c.On == nil {
			b.WriteString(" " + s.Claim.values(c.Ring))
			continue
		}
		for _, f := range s.Claim {
			b.WriteString(" " + f.text())
		}
	}
	for i, k := range c.Kills {
		if i == 0 {
			b.WriteString(" kills")
		}
		if fmt.Fprintf(b, " %d", k.Comm); c.Ring > 1 || c.Staged {
			fmt.Fprintf(b, "@%d", k.Nth)
		}
		if k.Via > 0 {
			fmt.Fprintf(b, "+%d", k.Via)
		}
	}
	for i, r := range c.Relays {
		if i == 0 {
			b.WriteString(" relays")
		}
		fmt.Fprintf(b, " %d+%d", r.Comm, r.From)
	}
}

// Body is the claims and assumptions of the line for a certificate.
func (c *Certificate) Body() string {
	var b strings.Builder
	c.writeClaims(&b)
	return b.String()
}

// values are the paper's names of what a symbolic claim says, the youngest generation
// first: "Cons|NoSyncP{2}". Of nothing it is "-". "Cons+1" says that the PEs of
// relay 1 know, "Cons+>1" that they will when its communication has arrived.
func (c Claim) values(ring int) string {
	words := make([]string, ring)
	for g := range words {
		known := c.has(Fact{Generation: g, PEs: Consumer | Next | Everybody})
		var under []int
		for _, f := range c {
			if f.Under > 0 && f.Generation == g && f.PEs&Next != 0 {
				under = append(under, f.Under)
			}
		}
		switch {
		case known&Everybody != 0:
			words[g] = "U"
		case known&Next != 0:
			words[g] = "NoSync"
		case under != nil:
			words[g] = "NoSyncP{" + Numbers(under, ",") + "}"
		case known != 0:
			words[g] = "Cons"
		default:
			words[g] = "-"
		}
		for _, f := range c {
			if f.Generation != g {
				continue
			}
			for set := f.PEs / firstRelay; set != 0; set &= set - 1 {
				sign := "+"
				if f.Under > 0 {
					sign = "+>"
				}
				words[g] += fmt.Sprintf("%s%d", sign, bits.TrailingZeros64(set)+1)
			}
		}
	}
	return strings.Join(words, "|")
}

// text is "1@2:0-3", "4>1@2:0" when communication 4 has arrived, "over:0-3", "idle:1".
func (f Fact) text() string {
	switch f.Under {
	case Over:
		return "over:" + setText(f.PEs)
	case Idle:
		return "idle:" + setText(f.PEs)
	case 0:
		return fmt.Sprintf("%d@%d:%s", f.Generation, f.At, setText(f.PEs))
	}
	return fmt.Sprintf("%d>%d@%d:%s", f.Under, f.Generation, f.At, setText(f.PEs))
}

func spanText(from, to int) string {
	if from == to {
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// Numbers are those of a list with sep between.
func Numbers(list []int, sep string) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, sep)
}

// setText is a set of PEs in the form of listText.
func setText(s uint64) string {
	var out []int
	for ; s != 0; s &= s - 1 {
		out = append(out, bits.TrailingZeros64(s))
	}
	return listText(out)
}

// listText is ascending numbers, as in "0-3,7".
func listText(n []int) string {
	var words []string
	for i := 0; i < len(n); {
		k := i
		for k+1 < len(n) && n[k+1] == n[k]+1 {
			k++
		}
		words = append(words, spanText(n[i], n[k]))
		i = k + 1
	}
	return strings.Join(words, ",")
}
