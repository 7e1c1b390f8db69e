package exact

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Keyword reports whether a line that starts with a word belongs to a proof.
func Keyword(word string) bool { return word == "on" || word == "sent" || word == "known" }

// ParseLine reads one line of what String writes: a line "on" starts a proof and is
// returned with it; others belong to p, the last one.
func ParseLine(line string, p *Proof) (*Proof, error) {
	word, _, _ := strings.Cut(line, " ")
	head, rest, ok := strings.Cut(line, ":")
	f := strings.Fields(head)
	if !ok {
		return nil, fmt.Errorf("found %q, want a colon in it", line)
	}
	if word == "on" {
		return parseHead(f, rest)
	}
	if p == nil {
		return nil, fmt.Errorf("%q comes before a line \"on NUMBER PEs\"", line)
	}
	if word == "sent" {
		s, err := parseSent(f, rest, p)
		p.Sent = append(p.Sent, s)
		return p, err
	}
	u, err := parseUse(f, rest, p)
	p.Uses = append(p.Uses, u)
	return p, err
}

func parseHead(f []string, rest string) (*Proof, error) {
	var ok bool
	p := &Proof{}
	form := "on NUMBER PEs loops NODES: NODES>COPIES; ..."
	if len(f) != 3 && len(f) != 5 || f[2] != "PEs" || len(f) == 5 && f[3] != "loops" {
		return nil, fmt.Errorf("found %q, want %q", strings.Join(f, " "), form)
	}
	n, err := strconv.Atoi(f[1])
	if err != nil || n < 1 || n > MaxPEs {
		return nil, fmt.Errorf("found %q PEs, want 1 to %d", f[1], MaxPEs)
	}
	p.PEs = n
	if len(f) == 5 {
		if p.Loops, ok = parseList(f[4], 1<<30); !ok {
			return nil, fmt.Errorf("found loops %q, want numbers of nodes", f[4])
		}
	}
	for run := range strings.SplitSeq(rest, ";") {
		run = strings.TrimSpace(run)
		nodes, succs, _ := strings.Cut(run, ">")
		list, ok := parseList(nodes, 1<<30)
		if !ok {
			return nil, fmt.Errorf("found %q, want %q", run, form)
		}
		for i, node := range list {
			c := Copy{Node: node}
			if i < len(list)-1 {
				c.Succs = []int{len(p.Copies) + 1}
			}
			p.Copies = append(p.Copies, c)
		}
		last := &p.Copies[len(p.Copies)-1]
		if succs == "" {
			continue
		}
		for w := range strings.SplitSeq(succs, ",") {
			k, err := strconv.Atoi(w)
			if err != nil {
				return nil, fmt.Errorf("found copy %q, want a number", w)
			}
			last.Succs = append(last.Succs, k)
		}
	}
	return p, nil
}

func parseSent(f []string, rest string, p *Proof) (s Sent, err error) {
	bad := fmt.Errorf("found %q:%s, want \"sent COMM at COPIES: FROM>TO ... may FROM>TO ... to PES\"", strings.Join(f, " "), rest)
	if len(f) != 4 || f[2] != "at" {
		return s, bad
	}
	var ok bool
	if s.Comm, err = strconv.Atoi(f[1]); err != nil {
		return s, bad
	}
	if s.Copies, ok = parseList(f[3], len(p.Copies)); !ok {
		return s, bad
	}
	rest, to, uses := strings.Cut(rest, " to ")
	if uses {
		if s.Users, ok = parseSet(to, p.PEs); !ok {
			return s, bad
		}
	}
	must, may, more := strings.Cut(rest, " may")
	if s.Must, ok = parseMessages(must, p.PEs); !ok {
		return s, bad
	}
	s.May = s.Must
	if more {
		if s.May, ok = parseMessages(may, p.PEs); !ok {
			return s, bad
		}
	}
	return s, nil
}

func parseMessages(text string, pes int) (Messages, bool) {
	var m Messages
	for _, w := range strings.Fields(text) {
		if w == "all" {
			return All(pes), m == nil
		}
		from, to, _ := strings.Cut(w, ">")
		p, err1 := strconv.Atoi(from)
		q, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || p < 0 || q < 0 || p >= pes || q >= pes {
			return nil, false
		}
		if m == nil {
			m = make(Messages, pes)
		}
		m[p] |= 1 << q
	}
	return m, true
}

func parseUse(f []string, rest string, p *Proof) (u Use, err error) {
	bad := func(what string) (Use, error) {
		return u, fmt.Errorf("found %q, want \"known COMM*SLOTS staged: COPIES UNDER>AGE@PE:PES ... over:PES idle:PES; ...\"", what)
	}
	if len(f) != 2 && (len(f) != 3 || f[2] != "staged") {
		return bad(strings.Join(f, " "))
	}
	u.Staged = len(f) == 3
	name, slots, several := strings.Cut(f[1], "*")
	u.Slots = 1
	if several {
		if u.Slots, err = strconv.Atoi(slots); err != nil || u.Slots < 1 {
			return bad(f[1])
		}
	}
	if u.Comm, err = strconv.Atoi(name); err != nil {
		return bad(f[1])
	}
	if strings.TrimSpace(rest) == "" {
		return u, nil
	}
	for text := range strings.SplitSeq(rest, ";") {
		w := strings.Fields(text)
		if len(w) < 2 {
			return bad(text)
		}
		copies, ok := parseList(w[0], len(p.Copies))
		if !ok || copies[len(copies)-1]-copies[0] != len(copies)-1 {
			return bad(text)
		}
		s := Span{copies[0], copies[len(copies)-1], &Claim{}}
		for _, fact := range w[1:] {
			if !s.Claim.parse(fact, u.Slots, p.PEs) {
				return bad(fact)
			}
		}
		u.Claims = append(u.Claims, s)
	}
	return u, nil
}

// parse adds what a word says.
func (c *Claim) parse(word string, slots, pes int) bool {
	head, who, _ := strings.Cut(word, ":")
	set, ok := parseSet(who, pes)
	switch {
	case !ok:
		return false
	case head == "over":
		c.Over |= set
		return true
	case head == "idle":
		c.Idle |= set
		return true
	}
	var f Fact
	var err error
	if under, rest, flies := strings.Cut(head, ">"); flies {
		if f.Under, err = strconv.Atoi(under); err != nil || f.Under < 1 {
			return false
		}
		head = rest
	}
	age, at, _ := strings.Cut(head, "@")
	var err1, err2 error
	f.Age, err1 = strconv.Atoi(age)
	f.At, err2 = strconv.Atoi(at)
	f.PEs = set
	if err1 != nil || err2 != nil || f.Age < 0 || f.Age >= slots || f.At < 0 || f.At >= pes {
		return false
	}
	if k := len(c.Facts); k > 0 && compareFacts(c.Facts[k-1], f) >= 0 {
		return false
	}
	c.Facts = append(c.Facts, f)
	return true
}

func parseSet(text string, pes int) (uint64, bool) {
	list, ok := parseList(text, pes)
	var s uint64
	for _, p := range list {
		s |= 1 << p
	}
	return s, ok
}

// parseList reads what list writes, of numbers below a limit.
func parseList(text string, limit int) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		lo, err1 := strconv.Atoi(from)
		hi, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || lo < 0 || hi < lo || hi >= limit || hi-lo > 1<<20 || len(out) > 0 && lo <= out[len(out)-1] {
			return nil, false
		}
		out = slices.Concat(out, between(lo, hi))
	}
	return out, true
}
