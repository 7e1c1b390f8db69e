package spmd

import (
	"fmt"
	"math"
	"slices"

	"github.com/spmdc/spmdc/runtime/transport"
)

// images is what an image of a program with coarrays has besides a PE.
type images struct {
	// Two images send each other ready messages of these buffers alternately:
	// the next but one can come only when this one was taken.
	met   [2]transport.Buffer
	times []uint64 // by PE: SYNC IMAGES with it so far
	named []uint64 // by PE: the last SYNC IMAGES that names it
	meets uint64   // SYNC IMAGES so far

	// Collectives pass values through these buffers alternately: an image can come
	// to the next but one only when all have left this one.
	desk [2]transport.Buffer
	mine [2]*transport.Slice[uint64]
	got  *transport.Slice[uint64]

	teams *teams

	status int  // of the last statement with STAT=
	keeps  bool // the statement in hand has STAT=, see KeepStatus

	seen uint64 // notices that had come when this image last waited for one

	ended bool // a READ has come to the end of the input
}

const (
	// deskWords is how many values a collective passes at once.
	deskWords = 512

	// In front of them stand the number of the call, its kind, and how many
	// values there are in all.
	deskHead = 3
)

// newImages registers what images need. All images do so before Start.
func newImages(pe *PE) *images {
	im := &images{times: make([]uint64, pe.n), named: make([]uint64, pe.n), got: words(pe), teams: newTeams(pe)}
	pe.keep(im)
	for i := range 2 {
		im.met[i] = pe.t.Register(-1, &transport.Slice[uint64]{})
		im.mine[i] = words(pe)
		im.desk[i] = pe.t.Register(-1, im.mine[i])
	}
	return im
}

func words(pe *PE) *transport.Slice[uint64] {
	return &transport.Slice[uint64]{Data: exchanged[uint64](pe, deskHead+deskWords)}
}

// SyncMemory is SYNC MEMORY.
func (pe *PE) SyncMemory(site int) {
	pe.count(site).Calls++
	pe.t.Complete(site, -1)
}

// SyncImagesAll is SYNC IMAGES(*).
func (pe *PE) SyncImagesAll(site int) {
	pe.SyncImages(site, pe.AllImages()...)
}

// Images is a list of images as SyncImages takes it.
func Images[I integer](list []I) []int {
	out := make([]int, len(list))
	for i, x := range list {
		out[i] = int(x)
	}
	return out
}

const (
	// The status of SYNC IMAGES with an image that has stopped or failed is that of iso_fortran_env;
	// with a list that is wrong that of OpenCoarrays.
	statStoppedImage = 6000
	statFailedImage  = 6001
	statWrongImages  = 3
)

// SyncImagesStat is SYNC IMAGES with STAT=: where an image has stopped, or the list is wrong, it goes
// on, and sync_status gives the status.
func (pe *PE) SyncImagesStat(site int, with ...int) {
	im := pe.images
	im.status = 0
	seen := map[int]bool{}
	var pes []int
	for _, p := range with {
		if p < 1 || p > len(im.teams.current.members) || seen[p] {
			im.status = statWrongImages
			return
		}
		seen[p] = true
		pes = append(pes, im.teams.current.members[p-1])
	}
	pe.syncImages(site, pes, func(b transport.Buffer, q int, epoch uint64) bool {
		switch l := pe.locker(site); {
		case !l.Near(q):
			pe.t.AwaitReady(site, b, q, epoch)
		case l.AwaitReadyOrEnd(site, b, q, epoch):
			pe.lacks(site, q)
		}
		return true
	})
}

// KeepStatus begins a statement with STAT= in a program in which images can fail.
func (pe *PE) KeepStatus(int) {
	pe.images.status, pe.images.keeps = 0, true
}

// lacks notes that PE q, which this image waits for, has failed or stopped. Without STAT= that ends
// the run.
func (pe *PE) lacks(site, q int) {
	im, what, status := pe.images, "stopped", statStoppedImage
	if pe.stops.hasFailed(q) {
		what, status = "failed", statFailedImage
	}
	if pe.prog.Fails && !im.keeps {
		e := pe.errorAt(site, fmt.Sprintf("%s: image %d has %s", pe.prog.Sites[site].Kind, q+1, what))
		e.Hint = "with STAT= the other images go on"
		pe.t.Abort(e)
	}
	im.status = max(im.status, status)
}

// near ends the run unless it can be seen from here whether an image has stopped.
func (pe *PE) near(site, image int, what string) {
	if l, ok := pe.t.(transport.Locker); ok && !l.Near(image-1) {
		e := pe.errorAt(site, fmt.Sprintf("%s: image %d is on another host, where nobody sees whether it has stopped", what, image))
		e.Hint = "run all images on one host, or leave out " + what
		pe.t.Abort(e)
	}
}

// AllImages are the images of SYNC IMAGES(*).
func (pe *PE) AllImages() []int {
	all := make([]int, len(pe.images.teams.current.members))
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// SyncImages is SYNC IMAGES: it returns when each of the images, counted from 1,
// has executed a SYNC IMAGES with this one as often as this one with it.
func (pe *PE) SyncImages(site int, with ...int) {
	im := pe.images
	if pe.prog.Fails && im.keeps {
		pe.SyncImagesStat(site, with...)
		return
	}
	im.meets++
	pes := make([]int, len(with))
	for i, p := range with {
		q := im.teams.current.member(p, "sync images")
		if im.named[q] == im.meets {
			panic(&Fault{Msg: fmt.Sprintf("sync images: image %d stands twice in the list", p), Hint: "give each image once"})
		}
		im.named[q], pes[i] = im.meets, q
	}
	pe.syncImages(site, pes, func(b transport.Buffer, q int, epoch uint64) bool {
		if !pe.prog.Fails {
			return pe.t.AwaitReady(site, b, q, epoch)
		}
		if pe.locker(site).AwaitReadyOrEnd(site, b, q, epoch) {
			pe.lacks(site, q)
		}
		return true
	})
}

// syncImages sends all PEs of a list that this one is here, and waits for each as await does.
func (pe *PE) syncImages(site int, with []int, await func(b transport.Buffer, q int, epoch uint64) (waited bool)) {
	im, c := pe.images, pe.count(site)
	c.Calls++
	only := -1 // what this image has put to the only other one comes before what follows
	if len(with) == 1 {
		only = with[0]
	}
	pe.t.Complete(site, only)
	for _, q := range with {
		if q != pe.id {
			im.times[q]++
			c.Ready++
			pe.t.Ready(site, im.met[im.times[q]%2], q, im.times[q])
		}
	}
	for _, q := range with {
		if q != pe.id && await(im.met[im.times[q]%2], q, im.times[q]) {
			c.Waits++
		}
	}
}

// Lock begins a CRITICAL construct, of which lock is the number; Unlock ends it.
func (pe *PE) Lock(site, lock int) {
	pe.count(site).Calls++
	pe.locker(site).Lock(site, lock)
}

// Unlock lets the next image into the construct.
func (pe *PE) Unlock(site, lock int) {
	pe.t.Complete(site, -1)
	pe.locker(site).Unlock(site, lock)
}

// Notify sends a notice to an image, counted from 1, which may wait for it.
func (pe *PE) Notify(site, image int) {
	pe.count(site).Calls++
	pe.locker(site).Notify(image - 1)
}

// NotifyAll sends a notice to all images.
func (pe *PE) NotifyAll(site int) {
	for image := range pe.n {
		pe.Notify(site, image+1)
	}
}

// AwaitNotice waits until a notice has come since it last returned: what the sender had changed
// before may not have been seen then.
func (pe *PE) AwaitNotice(site int) {
	pe.count(site).Calls++
	pe.images.seen = pe.locker(site).AwaitNotice(site, pe.images.seen)
}

func (pe *PE) locker(site int) transport.Locker {
	l, ok := pe.t.(transport.Locker)
	if !ok {
		pe.internal(site, "this transport has no locks")
	}
	return l
}

// CoSum is CO_SUM of a scalar: x of all images, added from image 1 upwards. With
// image above 0 that image alone gets the sum, and what the others have is undefined:
// in check builds they get the undefined value, else they keep theirs.
func CoSum[T summable](pe *PE, site, image int, x T) T { return coScalar(pe, site, image, x, coSum) }

// CoMax is CO_MAX of a scalar.
func CoMax[T number](pe *PE, site, image int, x T) T { return coScalar(pe, site, image, x, coMax) }

// CoMin is CO_MIN of a scalar.
func CoMin[T number](pe *PE, site, image int, x T) T { return coScalar(pe, site, image, x, coMin) }

// CoBroadcast is CO_BROADCAST of a scalar: x of image.
func CoBroadcast[T element](pe *PE, site, image int, x T) T {
	return coScalar(pe, site, image, x, coBroadcast)
}

func coScalar[T element](pe *PE, site, image int, x T, kind coKind) T {
	box := [1]T{x}
	coAll(pe, site, image, 1, func(int) *T { return &box[0] }, kind)
	return box[0]
}

// given is a value for a collective, which in check builds must be defined.
func given[T any](pe *PE, image int, kind coKind, x T) T {
	if !pe.prog.Check || kind == coBroadcast && image != pe.images.teams.current.index+1 {
		return x
	}
	return Def(x, "the argument of "+kind.String())
}

// CoSumOf is CO_SUM of each element of a section.
func CoSumOf[T summable](pe *PE, site, image int, a *Array[T], part ...Span) {
	coArray(pe, site, image, a, part, coSum)
}

// CoMaxOf is CO_MAX of each element of a section.
func CoMaxOf[T number](pe *PE, site, image int, a *Array[T], part ...Span) {
	coArray(pe, site, image, a, part, coMax)
}

// CoMinOf is CO_MIN of each element of a section.
func CoMinOf[T number](pe *PE, site, image int, a *Array[T], part ...Span) {
	coArray(pe, site, image, a, part, coMin)
}

// CoBroadcastOf is CO_BROADCAST of a section.
func CoBroadcastOf[T element](pe *PE, site, image int, a *Array[T], part ...Span) {
	coArray(pe, site, image, a, part, coBroadcast)
}

// coArray is a collective over the elements of a section.
func coArray[T element](pe *PE, site, image int, a *Array[T], part []Span, kind coKind) {
	count, at := a.each(part)
	coAll(pe, site, image, count, at, kind)
}

// each is the number of elements of a section, and each of them in order.
func (a *Array[T]) each(part []Span) (count int, at func(i int) *T) {
	off := a.section(part)
	count = 1
	for _, s := range part {
		count *= max(0, s.N)
	}
	return count, func(i int) *T {
		o := off
		for d, s := range part {
			o += a.Stride(d, s.Step) * (i % s.N)
			i /= s.N
		}
		return &a.Data[o]
	}
}

// coAll is a collective over count values, of which at names one. A COMPLEX value is two
// words: its parts are added or sent apart.
func coAll[T element](pe *PE, site, image, count int, at func(i int) *T, kind coKind) {
	per := wordsOf[T]()
	pe.collect(site, image, kind, count*per, func(i int) uint64 {
		return wordOf(given(pe, image, kind, *at(i / per)), i%per)
	}, func(i int, word func(int) uint64) {
		w := uint64(0)
		if kind == coBroadcast {
			w = word(image - 1)
		} else {
			w = combined[T](len(pe.images.teams.current.members), kind, word)
		}
		setWord(at(i/per), i%per, w)
	})
	if pe.prog.Check && kind != coBroadcast && image != 0 && image != pe.images.teams.current.index+1 {
		for i := range count {
			var lost [1]T
			undefine(lost[:])
			*at(i) = lost[0]
		}
	}
}

type coKind uint64

const (
	coSum coKind = iota + 1
	coMax
	coMin
	coBroadcast
	coAllocate
	coDeallocate
	coFormTeam
)

func (k coKind) String() string {
	return [...]string{"", "co_sum", "co_max", "co_min", "co_broadcast", "allocate", "deallocate", "form team"}[k]
}

// combined is the result of a reduction of words; word gives what each PE has.
func combined[T element](n int, kind coKind, word func(int) uint64) uint64 {
	op := &sums
	switch kind {
	case coMax:
		op = &maxima
	case coMin:
		op = &minima
	}
	acc, next := word(0), combine[T](op)
	for q := 1; q < n; q++ {
		acc = next(acc, word(q))
	}
	return acc
}

// collect is a collective of count values among the current team: value gives those of this image,
// and result takes what all have; image and q are indices in the team, from 1 and from 0. Results
// come in the same order, with the same bits, on all images that get them.
func (pe *PE) collect(site, image int, kind coKind, count int, value func(i int) uint64, result func(i int, word func(q int) uint64)) {
	im := pe.images
	t := im.teams.current
	if image != 0 || kind == coBroadcast {
		t.member(image, kind.String())
	}
	c := pe.count(site)
	c.Calls++
	all := make([][]uint64, len(t.members))
	for first := 0; first == 0 || first < count; first += deskWords {
		n := max(0, min(deskWords, count-first))
		t.calls++
		desk, mine := im.desk[t.calls%2], im.mine[t.calls%2].Data
		if !pe.plain() {
			desk, mine = im.teams.desk, im.teams.mine.Data
		}
		mine[0], mine[1], mine[2] = t.calls, uint64(kind)<<32|uint64(image), uint64(count)
		for i := range n {
			mine[deskHead+i] = value(first + i)
		}
		var absent []int
		if pe.plain() {
			pe.t.Complete(site, -1)
			pe.t.Barrier(site)
			pe.synchronised()
		} else {
			absent = pe.rendezvous(site, t)
		}
		move := transport.Move{}
		move.Loop(deskHead+n, 1, 1)
		for q, p := range t.members {
			switch {
			case q == t.index:
				all[q] = mine
				continue
			case slices.Contains(absent, p):
				// Nothing is there of an image that has failed: it forms no team, and other results
				// are undefined.
				if all[q] = mine; kind == coFormTeam {
					all[q] = make([]uint64, deskHead+n)
				}
				continue
			}
			pe.t.Get(site, desk, p, im.got, &move)
			all[q] = append(all[q][:0], im.got.Data[:deskHead+n]...)
			c.Data++
			c.Bytes += int64(8 * n)
			if all[q][0] != mine[0] || all[q][1] != mine[1] || all[q][2] != mine[2] {
				pe.apart(site, p, kind, all[q], mine)
			}
		}
		if !pe.plain() {
			pe.rendezvous(site, t) // the desk is free again, also for the next collective of another team
		}
		if image != 0 && kind != coBroadcast && image != t.index+1 {
			continue
		}
		at := 0
		word := func(q int) uint64 { return all[q][deskHead+at] }
		for at = range n {
			result(first+at, word)
		}
	}
}

// apart ends the run: image q takes part in another collective than this one.
func (pe *PE) apart(site, q int, kind coKind, theirs, ours []uint64) {
	what := "is not there: it waits in a SYNC ALL or in another collective"
	switch {
	case theirs[0] != ours[0]:
	case theirs[1]>>32 != ours[1]>>32:
		what = "calls " + coKind(theirs[1]>>32).String()
	case theirs[1] != ours[1]:
		what = fmt.Sprintf("names image %d as the one that gives or gets the result, this one %d", theirs[1]&math.MaxUint32, ours[1]&math.MaxUint32)
	default:
		what = fmt.Sprintf("passes %d elements, this one %d", theirs[2], ours[2])
	}
	e := pe.errorAt(site, fmt.Sprintf("%s: image %d %s", kind, q+1, what))
	e.Hint = "all images must call the same collectives, and SYNC ALL, in the same order"
	pe.t.Abort(e)
}

// ImageState is IMAGE_STATUS of an image of the initial team.
func (pe *PE) ImageState(image int) int { return int(pe.imageStatus(image)) }

// imageStatus is IMAGE_STATUS.
func (pe *PE) imageStatus(image int) int64 {
	l, ok := pe.t.(transport.Locker)
	if image >= 1 && image <= pe.n {
		pe.near(-1, image, "image_status")
	}
	switch {
	case image < 1 || image > pe.n:
		panic(&Fault{Msg: fmt.Sprintf("image_status: there is no image %d", image), Hint: imageHint(pe.n)})
	case pe.stops.hasFailed(image - 1):
		return statFailedImage
	case ok && image != pe.id+1 && l.Ended(image-1):
		return statStoppedImage
	}
	return 0
}
