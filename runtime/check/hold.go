package check

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Holds says where PEs stop between CO and UO. Its text forms, several of which
// may be given, are
//
//	PE,COMM,EPOCH   at that epoch of communication number COMM, as explain counts
//	PE              at every epoch of every communication: the PE is always last
//	random,SEED     at places that the seed picks, on all PEs
//
// One run with a PE that is always last lets every put to it come that nothing
// orders after its uses. It is a flag.Value. What PEs have stopped is counted per PE, so that they need
// no synchronisation.
type Holds struct {
	list   []hold
	seeds  []uint64
	frozen int // that PE less 1 stops often
}

// Lates says which puts arrive late. Its text form, which may be given several
// times, is FROM,COMM,EPOCH: those of PE FROM in that epoch of communication
// number COMM. It is a flag.Value.
type Lates struct{ list []hold }

// Set adds puts.
func (l *Lates) Set(text string) error {
	h, err := parseHold(text)
	if err == nil {
		l.list = append(l.list, h)
	}
	return err
}

// PEs are those whose puts are late, and Sites the communications.
func (l *Lates) PEs() []int { return pesOf(l.list) }
func (l *Lates) Sites() []int {
	if l == nil {
		return nil
	}
	return sitesOf(l.list)
}

// String lists the puts.
func (l *Lates) String() string {
	if l == nil {
		return ""
	}
	var parts []string
	for _, x := range l.list {
		parts = append(parts, x.String())
	}
	return strings.Join(parts, " ")
}

// Here reports whether the puts of a PE in an epoch of the communication at a
// site arrive late.
func (l *Lates) Here(pe, site int, epoch uint64) bool {
	return l != nil && slices.Contains(l.list, hold{pe, site, epoch})
}

type hold struct {
	pe, site int
	epoch    uint64
}

// everywhere is the site of a hold at all places.
const everywhere = -1

// mostRandom is how often a PE stops for a seed: each stop takes as long as the
// others need to come to a stand.
const mostRandom = 24

// Freeze are the places at which a PE stops in the freeze test: at the arrivals of
// every communication, when they are many at the first three and at those with
// numbers 2**k and 2**k+1.
func Freeze(pe int) *Holds { return &Holds{frozen: pe + 1} }

// often reports whether an epoch is one of those that Freeze picks.
func often(epoch uint64) bool { return epoch&(epoch-1) == 0 || (epoch-1)&(epoch-2) == 0 }

// Set adds a place.
func (h *Holds) Set(text string) error {
	f := strings.Split(text, ",")
	if len(f) == 2 && f[0] == "random" {
		seed, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no seed: want a number from 0", f[1])
		}
		h.seeds = append(h.seeds, seed)
		return nil
	}
	switch len(f) {
	case 1:
		pe, err := strconv.Atoi(text)
		if err != nil || pe < 0 {
			return fmt.Errorf("%q is no PE: want a number from 0", text)
		}
		h.list = append(h.list, hold{pe, everywhere, 0})
		return nil
	case 3:
	default:
		return fmt.Errorf("want PE,COMM,EPOCH or PE or random,SEED")
	}
	place, err := parseHold(text)
	if err == nil {
		h.list = append(h.list, place)
	}
	return err
}

// parseHold reads PE,COMM,EPOCH.
func parseHold(text string) (hold, error) {
	f := strings.Split(text, ",")
	if len(f) != 3 {
		return hold{}, fmt.Errorf("want PE,COMM,EPOCH")
	}
	var n [3]int
	for i, least := range []int{0, 1, 1} {
		v, err := strconv.Atoi(strings.TrimPrefix(f[i], "#"))
		if err != nil || v < least {
			return hold{}, fmt.Errorf("%q is no %s: want a number from %d", f[i], [...]string{"PE", "communication", "epoch"}[i], least)
		}
		n[i] = v
	}
	return hold{n[0], n[1] - 1, uint64(n[2])}, nil
}

func (h hold) String() string {
	if h.site == everywhere {
		return strconv.Itoa(h.pe)
	}
	return fmt.Sprintf("%d,%d,%d", h.pe, h.site+1, h.epoch)
}

// String lists the places.
func (h *Holds) String() string {
	if h == nil {
		return ""
	}
	var parts []string
	for _, x := range h.list {
		parts = append(parts, x.String())
	}
	for _, s := range h.seeds {
		parts = append(parts, fmt.Sprintf("random,%d", s))
	}
	return strings.Join(parts, " ")
}

// PEs are those that places are given for, and Sites the communications.
func (h *Holds) PEs() []int { return pesOf(h.list) }
func (h *Holds) Sites() []int {
	if h == nil {
		return nil
	}
	return sitesOf(h.list)
}

func pesOf(list []hold) (pes []int) {
	for _, x := range list {
		pes = append(pes, x.pe)
	}
	return pes
}

func sitesOf(list []hold) (sites []int) {
	for _, x := range list {
		if x.site != everywhere {
			sites = append(sites, x.site)
		}
	}
	return sites
}

// Empty reports whether nobody is to stop.
func (h *Holds) Empty() bool { return h == nil || len(h.list)+len(h.seeds)+h.frozen == 0 }

// Here reports whether a PE stops at an epoch of the communication at a site;
// stops counts the random ones of that PE.
func (h *Holds) Here(pe, site int, epoch uint64, stops *int) bool {
	if h.frozen == pe+1 && often(epoch) {
		return true
	}
	if slices.Contains(h.list, hold{pe, site, epoch}) || slices.Contains(h.list, hold{pe, everywhere, 0}) {
		return true
	}
	for _, s := range h.seeds {
		if *stops < mostRandom && draw(s, pe, site, epoch) < odds(epoch) {
			*stops++
			return true
		}
	}
	return false
}

// odds is how likely a random stop is: less so where a communication has come
// round many times, lest a PE use up its stops on the first loop.
func odds(epoch uint64) float64 { return 1 / (3 + float64(epoch)/4) }

// draw is a number in 0..1 that depends on its arguments only.
func draw(seed uint64, pe, site int, epoch uint64) float64 {
	f := fnv.New64a()
	fmt.Fprintf(f, "%d %d %d %d", seed, pe, site, epoch)
	x := f.Sum64()
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	return float64(x>>11) / math.Exp2(53)
}
