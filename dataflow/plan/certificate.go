package plan

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// Level is how far the value of a use has been followed towards the next put, in
// ascending order. The names are those of the paper's Table 1.
type Level uint8

const (
	Sync     Level = iota // nothing is claimed
	CS                    // the value may be in use
	Cons                  // every PE that uses it is done with it, as far as it knows itself
	NoSyncP               // Cons, and the messages named are on their way from the users to the next producers
	NoSync                // every next producer knows that the users are done
	Unposted              // U: the communication has not been posted
)

var levelNames = [...]string{"Sync", "CS", "Cons", "NoSyncP", "NoSync", "U"}

func (l Level) String() string { return levelNames[l] }

// Claim is a Level, with the numbers of the messages under way for NoSyncP. Tags
// ascend and are not changed once made.
type Claim struct {
	Level Level
	Tags  []int
}

func (c Claim) String() string {
	if c.Level != NoSyncP {
		return c.Level.String()
	}
	return "NoSyncP{" + numbers(c.Tags, ",") + "}"
}

func (c Claim) equal(d Claim) bool { return c.Level == d.Level && slices.Equal(c.Tags, d.Tags) }

// Proof is the certificate that the value of communication Use is dead before
// communication Put puts again: what holds on entry to each node of the graph,
// on all paths that lead there. It claims no more than the conclusion needs; a
// node without an entry in Claims has Sync, which says nothing.
//
// Kills are the communications y of which the proof takes for granted that
// whenever Put comes after y, for each pair of PEs with a message p -> q of Put
// there was the message q -> p of y, or p = q.
type Proof struct {
	Use, Put int
	Claims   []Span
	Kills    []int
}

// Span is the claim for the nodes From..To, by ID.
type Span struct {
	From, To int
	Claim    Claim
}

// spans packs the claims of the nodes with the given IDs, which ascend.
func spans(claim func(id int) Claim, ids []int) []Span {
	var out []Span
	for _, id := range ids {
		c := claim(id)
		if c.Level == Sync {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].To == id-1 && out[k].Claim.equal(c) {
			out[k].To = id
			continue
		}
		out = append(out, Span{id, id, c})
	}
	return out
}

// claims unpacks the proof for a graph.
func (p *Proof) claims(g *cfg.Graph) ([]Claim, error) {
	out := make([]Claim, len(g.Nodes))
	last := -1
	for _, s := range p.Claims {
		if s.From <= last || s.To < s.From || s.To >= len(out) {
			return nil, fmt.Errorf("claims for the nodes %d-%d: nodes ascend from 0 to %d", s.From, s.To, len(out)-1)
		}
		for id := s.From; id <= s.To; id++ {
			out[id] = s.Claim
		}
		last = s.To
	}
	return out, nil
}

// at is the claim for a node.
func (p *Proof) at(id int) Claim {
	k := sort.Search(len(p.Claims), func(k int) bool { return p.Claims[k].To >= id })
	if k == len(p.Claims) || p.Claims[k].From > id {
		return Claim{}
	}
	return p.Claims[k].Claim
}

// String is the line of the text form:
//
//	proof 3 3: 4-9 NoSync, 10 CS, 11-12 Cons, 13 NoSyncP{5} kills 5
func (p *Proof) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "proof %d %d:", p.Use, p.Put)
	writeSpans(&b, p.Claims)
	if len(p.Kills) > 0 {
		b.WriteString(" kills " + numbers(p.Kills, " "))
	}
	return b.String()
}

func writeSpans(b *strings.Builder, list []Span) {
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, " %d", s.From)
		if s.To > s.From {
			fmt.Fprintf(b, "-%d", s.To)
		}
		fmt.Fprintf(b, " %v", s.Claim)
	}
}

// parseProof reads what String writes.
func parseProof(line string) (Proof, error) {
	var p Proof
	bad := func(what, found string) (Proof, error) {
		return p, fmt.Errorf("%s %q, want \"proof USE PUT: NODES LEVEL, ... kills NUMBERS\"", what, found)
	}
	head, rest, ok := strings.Cut(line, ":")
	f := strings.Fields(head)
	if !ok || len(f) != 3 || f[0] != "proof" {
		return bad("found", line)
	}
	var err error
	if p.Use, err = strconv.Atoi(f[1]); err == nil {
		p.Put, err = strconv.Atoi(f[2])
	}
	if err != nil {
		return bad("numbers", head)
	}
	rest, kills, _ := strings.Cut(rest, " kills ")
	for _, k := range strings.Fields(kills) {
		n, err := strconv.Atoi(k)
		if err != nil {
			return bad("kills", kills)
		}
		p.Kills = append(p.Kills, n)
	}
	list, wrong, ok := parseSpans(rest)
	if !ok {
		return bad("claim", wrong)
	}
	p.Claims = list
	return p, nil
}

// parseSpans reads what writeSpans writes; wrong is the first that it cannot read.
func parseSpans(rest string) (list []Span, wrong string, ok bool) {
	for rest != "" {
		// A comma within braces belongs to the tags.
		at := strings.Index(rest, ", ")
		item := rest
		if rest = ""; at >= 0 {
			item, rest = item[:at], item[at+2:]
		}
		s, ok := parseSpan(strings.TrimSpace(item))
		if !ok {
			return nil, item, false
		}
		list = append(list, s)
	}
	return list, "", true
}

func parseSpan(text string) (Span, bool) {
	nodes, level, ok := strings.Cut(text, " ")
	if !ok {
		return Span{}, false
	}
	from, to, ranged := strings.Cut(nodes, "-")
	if !ranged {
		to = from
	}
	lo, err1 := strconv.Atoi(from)
	hi, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || lo < 0 {
		return Span{}, false
	}
	s := Span{From: lo, To: hi}
	name, tags, tagged := strings.Cut(level, "{")
	at := slices.Index(levelNames[:], name)
	if at <= int(Sync) || tagged != (Level(at) == NoSyncP) {
		return Span{}, false
	}
	s.Claim.Level = Level(at)
	if !tagged {
		return s, true
	}
	tags, closed := strings.CutSuffix(tags, "}")
	last := 0
	for _, t := range strings.Split(tags, ",") {
		n, err := strconv.Atoi(t)
		if err != nil || n <= last {
			return Span{}, false
		}
		s.Claim.Tags = append(s.Claim.Tags, n)
		last = n
	}
	return s, closed
}

func numbers(list []int, sep string) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, sep)
}
