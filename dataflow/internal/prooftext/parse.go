// Package prooftext reads the text form of certificates, for tests that write proofs by
// hand. Nothing but tests reads them.
package prooftext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/dataflow/proof"
)

// Parse reads the lines of unfoldings and certificates; those for a number of PEs belong
// to the unfolding before them.
func Parse(text string) (out []*proof.Certificate, err error) {
	var u *proof.Unfolding
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		word, _, _ := strings.Cut(line, " ")
		head, rest, _ := strings.Cut(line, ":")
		f := strings.Fields(head)
		var c *proof.Certificate
		switch {
		case line == "":
			continue
		case word == "on":
			u, err = parseHead(f, rest)
		case word == "proof":
			c, err = parseSymbolic(f, rest)
		case u == nil:
			err = fmt.Errorf("%q comes before a line \"on NUMBER PEs\"", line)
		case word == "sent":
			err = parseSent(f, rest, u)
		case word == "known":
			c, err = parseFinite(f, rest, u)
		default:
			err = fmt.Errorf("found %q", line)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

func parseHead(f []string, rest string) (u *proof.Unfolding, err error) {
	u = &proof.Unfolding{}
	if u.PEs, err = strconv.Atoi(f[1]); err != nil {
		return nil, err
	}
	for f = f[3:]; len(f) > 1; f = f[2:] {
		list, err := parseList(f[1])
		if err != nil {
			return nil, err
		}
		if f[0] == "ready" {
			u.Ready = list
		} else {
			u.Loops = list
		}
	}
	for run := range strings.SplitSeq(rest, ";") {
		nodes, succs, _ := strings.Cut(strings.TrimSpace(run), ">")
		list, err := parseList(nodes)
		if err != nil {
			return nil, err
		}
		for i, node := range list {
			c := proof.Copy{Node: node}
			if i < len(list)-1 {
				c.Succs = []int{len(u.Copies) + 1}
			}
			u.Copies = append(u.Copies, c)
		}
		if succs != "" {
			if u.Copies[len(u.Copies)-1].Succs, err = parseNumbers(succs); err != nil {
				return nil, err
			}
		}
	}
	return u, nil
}

func parseSent(f []string, rest string, u *proof.Unfolding) (err error) {
	var s proof.Sent
	if s.Comm, err = strconv.Atoi(f[1]); err != nil {
		return err
	}
	if s.Copies, err = parseList(f[3]); err != nil {
		return err
	}
	rest, to, uses := strings.Cut(rest, " to ")
	if uses {
		if s.Users, err = parseSet(to); err != nil {
			return err
		}
	}
	must, may, more := strings.Cut(rest, " may")
	if s.Must, err = parseMessages(must, u.PEs); err != nil {
		return err
	}
	s.May = s.Must
	if more {
		s.May, err = parseMessages(may, u.PEs)
	}
	u.Sent = append(u.Sent, s)
	return err
}

func parseMessages(text string, pes int) (m proof.Messages, err error) {
	for _, w := range strings.Fields(text) {
		if w == "all" {
			return proof.All(pes), nil
		}
		pair, err := parseNumbers(strings.Replace(w, ">", ",", 1))
		if err != nil {
			return nil, err
		}
		if m == nil {
			m = make(proof.Messages, pes)
		}
		m[pair[0]] |= 1 << pair[1]
	}
	return m, nil
}

// parseName reads "3*2 staged for 1,3".
func parseName(f []string, c *proof.Certificate) (err error) {
	name, slots, several := strings.Cut(f[0], "*")
	c.Ring = 1
	if several {
		if c.Ring, err = strconv.Atoi(slots); err != nil {
			return err
		}
	}
	x, err := strconv.Atoi(name)
	c.Puts = []int{x}
	if f = f[1:]; len(f) > 0 && f[0] == "staged" {
		c.Staged, f = true, f[1:]
	}
	if c.Use == 0 {
		c.Use = x
	}
	if err == nil && len(f) == 2 && f[0] == "for" {
		c.Puts, err = parseNumbers(f[1])
	}
	return err
}

func parseFinite(f []string, rest string, u *proof.Unfolding) (*proof.Certificate, error) {
	c := &proof.Certificate{On: u}
	if err := parseName(f[1:], c); err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(strings.TrimSpace(rest), ";") {
		w := strings.Fields(text)
		if len(w) == 0 {
			continue
		}
		copies, err := parseList(w[0])
		if err != nil {
			return nil, err
		}
		var facts []proof.Fact
		for _, word := range w[1:] {
			fact, err := parseFact(word)
			if err != nil {
				return nil, err
			}
			facts = append(facts, fact)
		}
		c.Claims = append(c.Claims, proof.Span{From: copies[0], To: copies[len(copies)-1], Claim: proof.MakeClaim(facts...)})
	}
	return c, nil
}

func parseFact(word string) (f proof.Fact, err error) {
	head, who, _ := strings.Cut(word, ":")
	if f.PEs, err = parseSet(who); err != nil {
		return f, err
	}
	switch head {
	case "over":
		f.Under = proof.Over
		return f, nil
	case "idle":
		f.Under = proof.Idle
		return f, nil
	}
	if under, rest, flies := strings.Cut(head, ">"); flies {
		if f.Under, err = strconv.Atoi(under); err != nil {
			return f, err
		}
		head = rest
	}
	pair, err := parseNumbers(strings.Replace(head, "@", ",", 1))
	if err != nil || len(pair) != 2 {
		return f, fmt.Errorf("found %q", word)
	}
	f.Generation, f.At = pair[0], pair[1]
	return f, nil
}

func parseSymbolic(f []string, rest string) (c *proof.Certificate, err error) {
	c = &proof.Certificate{}
	if c.Use, err = strconv.Atoi(f[1]); err != nil {
		return nil, err
	}
	if err := parseName(f[2:], c); err != nil {
		return nil, err
	}
	rest, relays, _ := strings.Cut(rest, " relays ")
	rest, kills, _ := strings.Cut(rest, " kills ")
	for _, w := range strings.Fields(kills) {
		w, via, _ := strings.Cut(w, "+")
		k, err := parseNumbers(strings.Replace(w, "@", ",", 1))
		if err != nil {
			return nil, err
		}
		kill := proof.Kill{Comm: k[0], Nth: append(k, 1)[1]}
		if via != "" {
			if kill.Via, err = strconv.Atoi(via); err != nil {
				return nil, err
			}
		}
		c.Kills = append(c.Kills, kill)
	}
	for _, w := range strings.Fields(relays) {
		r, err := parseNumbers(strings.Replace(w, "+", ",", 1))
		if err != nil || len(r) != 2 {
			return nil, fmt.Errorf("found relay %q", w)
		}
		c.Relays = append(c.Relays, proof.Relay{From: r[1], Comm: r[0]})
	}
	for item := range strings.SplitSeq(strings.TrimSpace(rest), ", ") {
		w := strings.Fields(item)
		if len(w) == 0 {
			continue
		}
		nodes, err := parseList(w[0])
		if err != nil || len(w) != 2 {
			return nil, fmt.Errorf("found claim %q", item)
		}
		var facts []proof.Fact
		for g, value := range strings.Split(w[1], "|") {
			value, known, _ := strings.Cut(value, "+")
			more, err := Facts(value, g)
			if err != nil {
				return nil, err
			}
			facts = append(facts, more...)
			for word := range strings.SplitSeq(known, "+") {
				if word == "" {
					continue
				}
				text, flies := strings.CutPrefix(word, ">")
				i, err := strconv.Atoi(text)
				if err != nil || i < 1 || flies && i > len(c.Relays) {
					return nil, fmt.Errorf("found relay %q", word)
				}
				f := proof.Fact{Generation: g, PEs: proof.RelayPEs(i)}
				if flies {
					f.Under = c.Relays[i-1].Comm
				}
				facts = append(facts, f)
			}
		}
		c.Claims = append(c.Claims, proof.Span{From: nodes[0], To: nodes[len(nodes)-1], Claim: proof.MakeClaim(facts...)})
	}
	return c, nil
}

// Facts are those of a value of the paper, "Cons" or "NoSyncP{2}", for a generation.
func Facts(value string, generation int) ([]proof.Fact, error) {
	f := proof.Fact{Generation: generation}
	name, tags, _ := strings.Cut(strings.TrimSuffix(value, "}"), "{")
	switch name {
	case "-", "Sync", "CS":
		return nil, nil
	case "Cons", "NoSyncP":
		f.PEs = proof.Consumer
	case "NoSync":
		f.PEs = proof.Consumer | proof.Next
	case "U":
		f.PEs = proof.Consumer | proof.Next | proof.Everybody
	default:
		return nil, fmt.Errorf("found value %q", value)
	}
	out := []proof.Fact{f}
	if tags != "" {
		list, err := parseNumbers(tags)
		if err != nil {
			return nil, err
		}
		for _, y := range list {
			out = append(out, proof.Fact{Under: y, Generation: generation, PEs: proof.Next})
		}
	}
	return out, nil
}

func parseSet(text string) (s uint64, err error) {
	list, err := parseList(text)
	for _, p := range list {
		s |= 1 << p
	}
	return s, err
}

func parseNumbers(text string) (out []int, err error) {
	for w := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// parseList reads ascending numbers, as in "0-3,7".
func parseList(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		ends, err := parseNumbers(strings.ReplaceAll(part, "-", ","))
		if err != nil || len(ends) > 2 {
			return nil, fmt.Errorf("found %q, want numbers", text)
		}
		for n := ends[0]; n <= slices.Max(ends); n++ {
			out = append(out, n)
		}
	}
	return out, nil
}
