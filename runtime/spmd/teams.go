package spmd

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/runtime/transport"
)

// team is a team of images as one image sees it. Images count teams from 1, the initial team, in
// the order in which each has formed them, so that the same team may have other numbers elsewhere.
type team struct {
	number  int // that FORM TEAM gave it; -1: the initial team
	parent  *team
	handle  int   // its place among the teams of this image, from 1
	members []int // PEs, in the order of their indices
	index   int   // of this image, from 0; -1: it is not in the team
	calls   uint64
	formed  map[int]*team // by number, what the latest FORM TEAM of this team has made
	as      []uint64      // the numbers and indices of that FORM TEAM
}

// teams is what an image knows of teams.
type teams struct {
	all     []*team // by handle-1
	current *team
	formed  int // handle of the latest team formed

	// Signals of barriers of teams: ready messages of these buffers. A PE comes to the next
	// barrier but one with another only when that has left the first.
	signal    [2]transport.Buffer
	sent, got []uint64 // by PE

	desk transport.Buffer // as images.desk, but one: all have read it before a collective ends
	mine *transport.Slice[uint64]
}

// newTeams registers what teams need. All images do so before Start.
func newTeams(pe *PE) *teams {
	first := &team{number: -1, handle: 1, members: make([]int, pe.n), index: pe.id}
	for q := range first.members {
		first.members[q] = q
	}
	ts := &teams{all: []*team{first}, current: first, sent: make([]uint64, pe.n), got: make([]uint64, pe.n), mine: words(pe)}
	for i := range ts.signal {
		ts.signal[i] = pe.t.Register(-1, &transport.Slice[uint64]{})
	}
	ts.desk = pe.t.Register(-1, ts.mine)
	return ts
}

// initial reports whether the current team is the initial one.
func (ts *teams) initial() bool { return ts.current.parent == nil }

// of is the team with a handle.
func (ts *teams) of(handle int) *team {
	if handle < 1 || handle > len(ts.all) {
		panic(&Fault{Msg: "the team variable has no team", Hint: "execute FORM TEAM with it first"})
	}
	return ts.all[handle-1]
}

// member is the PE of the image with an index in t, from 1.
func (t *team) member(index int, what string) int {
	if index < 1 || index > len(t.members) {
		msg := fmt.Sprintf("%s: there is no image %d", what, index)
		if t.parent != nil {
			msg += fmt.Sprintf(" in team %d", t.number)
		}
		panic(&Fault{Msg: msg, Hint: imageHint(len(t.members))})
	}
	return t.members[index-1]
}

// plain reports whether barriers of the current team are those of the transport: it is the initial
// one, and no image can fail.
func (pe *PE) plain() bool { return pe.images.teams.initial() && !pe.prog.Fails }

// rendezvous is a barrier among the members of t, by dissemination: in round k each signals the
// member 2^k places behind it (Hensgen, Finkel and Manber, 1988). Where images can fail each signals
// all others, and those are absent that have failed or stopped before they signalled this one: the
// same for all that come here, since no image fails in the midst of its signals.
func (pe *PE) rendezvous(site int, t *team) (absent []int) {
	c := pe.count(site)
	c.Calls++
	pe.t.Complete(site, -1)
	n := len(t.members)
	if !pe.prog.Fails {
		for d := 1; d < n; d *= 2 {
			pe.signal(site, t.members[(t.index+d)%n])
			buffer, from, epoch := pe.signalled(t.members[(t.index-d+n)%n])
			if pe.t.AwaitReady(site, buffer, from, epoch) {
				c.Waits++
			}
		}
		return nil
	}
	for d := 1; d < n; d++ {
		pe.signal(site, t.members[(t.index+d)%n])
	}
	for d := 1; d < n; d++ {
		buffer, from, epoch := pe.signalled(t.members[(t.index+d)%n])
		if pe.locker(site).AwaitReadyOrEnd(site, buffer, from, epoch) {
			absent = append(absent, from)
			pe.lacks(site, from)
		}
	}
	return absent
}

// signal sends PE to a signal.
func (pe *PE) signal(site, to int) {
	ts := pe.images.teams
	ts.sent[to]++
	pe.count(site).Ready++
	pe.t.Ready(site, ts.signal[ts.sent[to]%2], to, ts.sent[to])
}

// signalled is where the next signal of PE from comes.
func (pe *PE) signalled(from int) (transport.Buffer, int, uint64) {
	ts := pe.images.teams
	ts.got[from]++
	return ts.signal[ts.got[from]%2], from, ts.got[from]
}

// FormTeam is FORM TEAM: images of the current team with the same number form a team. Their
// order is that in the current team; those that give an index, at most one, have that.
func (pe *PE) FormTeam(site, number int, index ...int) {
	if number < 1 {
		panic(&Fault{Msg: fmt.Sprintf("form team: the number %d", number), Hint: "teams have numbers from 1"})
	}
	place := 0
	if len(index) > 0 {
		if place = index[0]; place < 1 {
			panic(&Fault{Msg: fmt.Sprintf("form team: the index %d", place), Hint: "images of a team are counted from 1"})
		}
	}
	ts := pe.images.teams
	from := ts.current
	as := make([]uint64, 2*len(from.members))
	pe.collect(site, 0, coFormTeam, 2, func(i int) uint64 {
		return uint64([2]int{number, place}[i])
	}, func(i int, word func(q int) uint64) {
		for q := range from.members {
			as[2*q+i] = word(q)
		}
	})
	if !slices.Equal(as, from.as) {
		from.formed, from.as = map[int]*team{}, as
		for q := range from.members {
			k := int(as[2*q])
			if k == 0 || from.formed[k] != nil {
				continue
			}
			ts.all = append(ts.all, from.divided(k))
			from.formed[k] = ts.all[len(ts.all)-1]
			from.formed[k].handle = len(ts.all)
			from.formed[k].index = slices.Index(from.formed[k].members, pe.id)
		}
	}
	ts.formed = from.formed[number].handle
}

// divided is the part of t with a number.
func (t *team) divided(number int) *team {
	part := &team{number: number, parent: t}
	for q := range t.members {
		if int(t.as[2*q]) == number {
			part.members = append(part.members, -1)
		}
	}
	var rest []int
	for q, p := range t.members {
		if int(t.as[2*q]) != number {
			continue
		}
		k := int(t.as[2*q+1])
		switch {
		case k == 0:
			rest = append(rest, p)
		case k > len(part.members) || part.members[k-1] >= 0:
			panic(&Fault{Msg: fmt.Sprintf("form team: the index %d in team %d, which has %d images", k, number, len(part.members)),
				Hint: "each image needs an index of its own, from 1 to the number of images"})
		default:
			part.members[k-1] = p
		}
	}
	for k := range part.members {
		if part.members[k] < 0 {
			part.members[k], rest = rest[0], rest[1:]
		}
	}
	return part
}

// ChangeTeam is CHANGE TEAM: it waits for the members of the team.
func (pe *PE) ChangeTeam(site, handle int) {
	ts := pe.images.teams
	t := ts.of(handle)
	if t.parent != ts.current || t.index < 0 {
		panic(&Fault{Msg: "change team: the current team has not formed this team", Hint: "execute FORM TEAM in the team that executes CHANGE TEAM"})
	}
	ts.current = t
	pe.rendezvous(site, t)
}

// EndTeam is END TEAM: it waits for the members of the team, and goes back to the one before.
func (pe *PE) EndTeam(site int) {
	ts := pe.images.teams
	pe.rendezvous(site, ts.current)
	ts.current = ts.current.parent
}

// SyncTeam is SYNC TEAM of the current team, one around it, or one that it has formed.
func (pe *PE) SyncTeam(site, handle int) {
	ts := pe.images.teams
	t := ts.of(handle)
	switch {
	case t.index < 0:
		panic(&Fault{Msg: fmt.Sprintf("sync team: this image is not in team %d", t.number), Hint: "synchronise teams that the image is in"})
	case t.parent == nil && !pe.prog.Fails:
		pe.syncInitial(site)
	default:
		pe.rendezvous(site, t)
	}
}

// TeamSize is the number of images of a team.
func (pe *PE) TeamSize(handle int) int { return len(pe.images.teams.of(handle).members) }

// TeamImage is the index of this image in a team that it is in.
func (pe *PE) TeamImage(handle int) int {
	t := pe.images.teams.of(handle)
	if t.index < 0 {
		panic(&Fault{Msg: fmt.Sprintf("this_image: this image is not in team %d", t.number), Hint: "name a team that the image is in"})
	}
	return t.index + 1
}

// TeamNumber is the number that FORM TEAM gave a team, -1 of the initial team.
func (pe *PE) TeamNumber(handle int) int { return pe.images.teams.of(handle).number }

// ParentTeam is the team around a team, itself of the initial team.
func (pe *PE) ParentTeam(handle int) int {
	t := pe.images.teams.of(handle)
	if t.parent == nil {
		return handle
	}
	return t.parent.handle
}

// SiblingTeam is the team with a number that was formed with a team; -1 is the initial team.
func (pe *PE) SiblingTeam(handle, number int) int {
	t := pe.images.teams.of(handle)
	switch {
	case number == -1:
		return 1
	case t.parent == nil || t.parent.formed[number] == nil:
		panic(&Fault{Msg: fmt.Sprintf("there is no team %d beside the current one", number), Hint: "team numbers are those of the FORM TEAM that formed the current team"})
	}
	return t.parent.formed[number].handle
}

// InitialImage is the image of the initial team, from 1, that has an index in a team.
func (pe *PE) InitialImage(handle, index int) int {
	return pe.images.teams.of(handle).member(index, "image selector") + 1
}

// TeamIndex is ImageIndex in a team.
func (pe *PE) TeamIndex(handle int, codims ...int) int {
	return imageIndex(pe.TeamSize(handle), codims)
}
