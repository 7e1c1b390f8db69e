package spmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// coarrays is a program with coarrays of a site for each kind, on lines 100, 101, ...
func coarrays(kinds ...string) Program {
	p := Program{Name: "test", File: "prog.f90", Coarray: true}
	for i, k := range kinds {
		p.Sites = append(p.Sites, Site{ID: i, Line: 100 + i, Kind: k})
	}
	return p
}

// begin and meet mark what comes behind them as remote accesses.
func begin(pe *PE) {
	pe.Start()
	pe.MarkRemote()
}

func meet(pe *PE) {
	pe.SyncAll(0)
	pe.MarkRemote()
}

// TestExtend: the elements of an array that grows stay, also while other images use them.
func TestExtend(t *testing.T) {
	_, err := Run(coarrays("put", "get", "get"), 3, nil, nil, func(pe *PE) {
		x := NewApart[int](pe, "x", [2]int{1, 2}, [2]int{1, 0})
		begin(pe)
		me := pe.ID() + 1
		if rest := x.Extend([2]int{1, 2}, [2]int{1, 2}); len(rest) != 4 {
			t.Errorf("%d elements are new, not 4", len(rest))
		}
		copy(x.Data, []int{me, 10 * me, 20 * me, 30 * me})
		meet(pe)
		p := me%3 + 1
		for n := 3; n < 400; n++ {
			switch me {
			case 1:
				if rest := x.Extend([2]int{1, 2}, [2]int{1, n}); len(rest) != 2 {
					t.Errorf("%d elements are new, not 2", len(rest))
				}
			default:
				x.Store(0, p, n, 2, 2)
				if got := x.Load(1, p, 1, 2); got != 20*p {
					t.Errorf("element (1,2) of image %d is %d", p, got)
				}
			}
		}
		meet(pe)
		if q := (me+1)%3 + 1; q != 1 && x.Data[3] != 399 || x.Data[0] != me || x.Data[1] != 10*me || x.Data[2] != 20*me {
			t.Errorf("image %d has %d", me, x.Data[:4])
		}
		if x.Extend([2]int{1, 2}, [2]int{1, x.Dims[1].N}) != nil {
			t.Error("the same bounds give new elements")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Sections of all kinds move as an assignment element by element would move them.
func TestSections(t *testing.T) {
	const rounds = 300
	_, err := Run(coarrays("put", "get"), 3, nil, nil, func(pe *PE) {
		x := NewCoarray[int](pe, "x", [2]int{-2, 4}, [2]int{1, 5}, [2]int{0, 2})
		y := NewLocal[int](pe, "y", [2]int{1, 6}, [2]int{1, 6})
		begin(pe)
		rng := rand.New(rand.NewPCG(1, 2)) // the same on all images
		// spans draws two dimensions with the given extents in an array.
		span := func(lo, hi, n int) Span {
			step := rng.IntN(5) - 2
			for step == 0 || (n-1)*max(step, -step) > hi-lo {
				step = rng.IntN(3) - 1
			}
			room := hi - lo - (n-1)*max(step, -step)
			s := Span{lo + rng.IntN(room+1), n, step}
			if step < 0 {
				s.Lo += (n - 1) * -step
			}
			return s
		}
		for r := range rounds {
			for i := range x.Data {
				x.Data[i] = 1000000*(pe.ID()+1) + i
			}
			for i := range y.Data {
				y.Data[i] = -1000*(pe.ID()+1) - i
			}
			meet(pe)
			n1, n2 := 1+rng.IntN(4), 1+rng.IntN(4)
			there := []Span{span(-2, 4, n1), span(1, 5, n2), One(rng.IntN(3))}
			here := []Span{span(1, 6, n1), span(1, 6, n2)}
			from := 1 + rng.IntN(3)
			at := func(s Span, k int) int { return s.Lo + k*s.Step }
			if r%2 == 0 {
				x.Get(1, from, there, y, here)
				for k := range n1 {
					for l := range n2 {
						want := 1000000*from + x.At3(at(there[0], k), at(there[1], l), there[2].Lo)
						if got := y.Data[y.At2(at(here[0], k), at(here[1], l))]; got != want {
							t.Errorf("round %d: got %d, want %d", r, got, want)
						}
					}
				}
			} else {
				if pe.ID() == 1 {
					x.Put(0, from, there, y, here)
				}
				meet(pe)
				for k := range n1 {
					for l := range n2 {
						want := -2000 - y.At2(at(here[0], k), at(here[1], l))
						if got := x.Load(1, from, at(there[0], k), at(there[1], l), there[2].Lo); got != want {
							t.Errorf("round %d: got %d, want %d", r, got, want)
						}
					}
				}
			}
			meet(pe)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// A section of this image's own coarray may overlap the one it is copied to.
func TestOwnSections(t *testing.T) {
	_, err := Run(coarrays("put"), 1, nil, nil, func(pe *PE) {
		x := NewCoarray[int](pe, "x", [2]int{1, 6})
		begin(pe)
		for i := range x.Data {
			x.Data[i] = i + 1
		}
		x.Put(0, 1, []Span{{2, 5, 1}}, &x.Array, []Span{{1, 5, 1}})
		if want := []int{1, 1, 2, 3, 4, 5}; !slices.Equal(x.Data, want) {
			t.Errorf("%v, want %v", x.Data, want)
		}
		x.Get(0, 1, []Span{{6, 6, -1}}, &x.Array, []Span{{1, 6, 1}})
		if want := []int{5, 4, 3, 2, 1, 1}; !slices.Equal(x.Data, want) {
			t.Errorf("%v, want %v", x.Data, want)
		}
		x.Get(0, 1, []Span{{6, 0, 1}}, &x.Array, []Span{{9, 0, 1}}) // no elements, no bounds
	})
	if err != nil {
		t.Error(err)
	}
}

// Collectives give the same bits everywhere, for more elements than fit on a desk.
func TestCollectives(t *testing.T) {
	for _, np := range peCounts {
		const n = 2*deskWords + 5
		var first []float64
		sums := make([][]float64, np)
		_, err := Run(coarrays("co_sum", "co_max", "co_min", "co_broadcast"), np, nil, nil, func(pe *PE) {
			a := NewLocal[float64](pe, "a", [2]int{1, n})
			b := NewLocal[int](pe, "b", [2]int{1, 4}, [2]int{1, 3})
			begin(pe)
			me := pe.ID() + 1
			for i := range a.Data {
				a.Data[i] = 1 / float64(i+me)
			}
			CoSumOf(pe, 0, 0, a, Span{1, n, 1})
			sums[pe.ID()] = slices.Clone(a.Data)
			for i := range b.Data {
				b.Data[i] = me*100 + i
			}
			CoMaxOf(pe, 1, 0, b, One(2), Span{1, 3, 1})
			CoMinOf(pe, 2, np, b, Span{4, 2, -2}, One(3))
			CoBroadcastOf(pe, 3, np, b, Span{1, 4, 1}, One(1))
			want := make([]int, 12)
			for i := range want {
				switch {
				case i < 4:
					want[i] = np*100 + i
				case i%4 == 1:
					want[i] = np*100 + i
				case i == 11 && me == np:
					want[i] = 100 + i
				default:
					want[i] = me*100 + i
				}
			}
			if me == np {
				want[9] = np*100 + 9 // the minimum of what is a maximum already
			}
			if !slices.Equal(b.Data, want) {
				t.Errorf("image %d of %d: %v, want %v", me, np, b.Data, want)
			}
			if got := CoSum(pe, 0, 1, me); me == 1 && got != np*(np+1)/2 || me > 1 && got != me {
				t.Errorf("image %d of %d: sum %d on image 1", me, np, got)
			}
			if got := CoMin(pe, 2, 0, -1.5*float32(me)); got != -1.5*float32(np) {
				t.Errorf("image %d of %d: minimum %g", me, np, got)
			}
			if !CoBroadcast(pe, 3, np, me == np) {
				t.Errorf("image %d of %d: broadcast of true gave false", me, np)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		first = sums[0]
		for q := range sums {
			if !slices.Equal(sums[q], first) {
				t.Errorf("%d images: image %d has another sum", np, q+1)
			}
		}
	}
}

// In check builds RESULT_IMAGE leaves the others without a value, and arguments must
// have one.
func TestCollectivesChecked(t *testing.T) {
	p := coarrays("co_sum", "co_max")
	p.Check = true
	_, err := Run(p, 3, nil, nil, func(pe *PE) {
		a := NewLocal[int](pe, "a", [2]int{1, 4})
		begin(pe)
		for i := range a.Data {
			a.Data[i] = i
		}
		x := CoSum(pe, 0, 2, 5)
		CoMaxOf(pe, 1, 2, a, Span{2, 2, 2})
		want, rest := 15, []int{0, 1, 2, 3}
		if pe.ID() != 1 {
			want, rest = UndefInt, []int{0, UndefInt, 2, UndefInt}
		}
		if x != want || !slices.Equal(a.Data, rest) {
			t.Errorf("image %d: %d and %v, want %d and %v", pe.ID()+1, x, a.Data, want, rest)
		}
		if CoBroadcast(pe, 1, 2, x) != 15 {
			t.Error("the broadcast of what image 2 has is another value")
		}
		CoSum(pe, 0, 0, x)
	})
	if err == nil || !strings.Contains(err.Error(), "the argument of co_sum is used before it has a value") {
		t.Errorf("error %v", err)
	}
}

// SYNC IMAGES orders what came before in pairs, any number of times, and CRITICAL
// lets one image in: the race detector looks on when it is there.
func TestPairwiseOrder(t *testing.T) {
	for _, np := range []int{2, 3, 7} {
		const rounds = 200
		_, err := Run(coarrays("sync images", "critical", "put"), np, nil, nil, func(pe *PE) {
			box := NewCoarray[int](pe, "box", [2]int{1, np})
			total := NewCoarray[int](pe, "total", [2]int{1, 1})
			begin(pe)
			me := pe.ID() + 1
			left, right := 1+(me-2+np)%np, 1+me%np
			for r := range rounds {
				box.Store(2, right, r*me, me)
				if left == right {
					pe.SyncImages(0, left)
				} else {
					pe.SyncImages(0, left, right)
				}
				if got := box.Data[left-1]; got != r*left {
					t.Errorf("image %d, round %d: %d, want %d", me, r, got, r*left)
				}
				pe.SyncImagesAll(0)
			}
			for range rounds {
				pe.Lock(1, 3)
				total.Store(2, 1, total.Load(2, 1, 1)+1, 1)
				pe.Unlock(1, 3)
			}
			meet(pe)
			if got := total.Load(2, 1, 1); got != np*rounds {
				t.Errorf("%d, want %d", got, np*rounds)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestCoarrayFaults: whatever an image does wrong ends the run with one error.
func TestCoarrayFaults(t *testing.T) {
	kinds := []string{"sync all", "sync images", "critical", "co_sum", "co_max", "read"}
	for name, c := range map[string]struct {
		body func(pe *PE, x *Coarray[int])
		want string
	}{
		"not marked":          {func(pe *PE, x *Coarray[int]) { pe.SyncAll(0); x.Load(0, 2, 1) }, "internal error: the access to coarray x is not marked"},
		"not marked, here":    {func(pe *PE, x *Coarray[int]) { pe.SyncAll(0); x.Marked(1) }, "internal error: the access to coarray x is not marked"},
		"no such image":       {func(pe *PE, x *Coarray[int]) { x.Load(0, 4, 1) }, "x[4]: there is no such image"},
		"image zero":          {func(pe *PE, x *Coarray[int]) { x.Store(0, 0, 3, 1) }, "x[0]: there is no such image"},
		"subscript":           {func(pe *PE, x *Coarray[int]) { x.Load(0, 2, 6) }, "subscript 1 of x is 6"},
		"section":             {func(pe *PE, x *Coarray[int]) { x.Get(0, 2, []Span{{3, 2, 3}}, &x.Array, []Span{{1, 2, 1}}) }, "dimension 1 of a section of x comes to 6"},
		"sync images: none":   {func(pe *PE, x *Coarray[int]) { pe.SyncImages(1, 9) }, "there is no image 9"},
		"sync images: twice":  {func(pe *PE, x *Coarray[int]) { pe.SyncImages(1, 2, 2) }, "image 2 stands twice"},
		"result image":        {func(pe *PE, x *Coarray[int]) { CoSum(pe, 3, 5, 1) }, "co_sum: there is no image 5"},
		"other collective":    {func(pe *PE, x *Coarray[int]) { sumOrMax(pe) }, "calls co_"},
		"other result":        {func(pe *PE, x *Coarray[int]) { CoSum(pe, 3, 1+pe.ID(), 1) }, "as the one that gives or gets the result"},
		"other length":        {func(pe *PE, x *Coarray[int]) { CoSumOf(pe, 3, 0, &x.Array, Span{1, 1 + pe.ID(), 1}) }, "elements, this one"},
		"ring of sync images": {func(pe *PE, x *Coarray[int]) { pe.SyncImages(1, 1+(pe.ID()+1)%3) }, "deadlock: these images wait for each other\n  image 1 at prog.f90:101 waits for image 2 in sync images"},
		"stopped":             {stopOne(meet), "prog.f90:100: deadlock: an image has stopped while others wait for it\n  image 1 at prog.f90:100 waits for image 2 in sync all\n  image 2 has stopped"},
		"stopped, pairwise":   {stopOne(func(pe *PE) { pe.SyncImages(1, 2) }), "waits for image 2 in sync images\n  image 2 has stopped"},
		"stopped, collective": {stopOne(func(pe *PE) { CoSum(pe, 3, 0, 1) }), "waits for image 2 in co_sum\n  image 2 has stopped"},
		"stopped, critical":   {stopCritical, "waits for image 2 in critical\n  image 2 has stopped"},
		"end of file":         {func(pe *PE, x *Coarray[int]) { var n int; pe.Read(5, nil, &n) }, "prog.f90:105: image"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			_, err := Run(coarrays(kinds...), 3, strings.NewReader(""), &out, func(pe *PE) {
				x := NewCoarray[int](pe, "x", [2]int{1, 5})
				begin(pe)
				c.body(pe, x)
				meet(pe)
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func sumOrMax(pe *PE) {
	if pe.ID() == 0 {
		CoSum(pe, 3, 0, 1)
	} else {
		CoMax(pe, 4, 0, 1)
	}
}

// stopOne stops image 2 and does something on the others.
func stopOne(do func(pe *PE)) func(*PE, *Coarray[int]) {
	return func(pe *PE, _ *Coarray[int]) {
		if pe.ID() == 1 {
			pe.Stop()
		}
		do(pe)
	}
}

func stopCritical(pe *PE, _ *Coarray[int]) {
	if pe.ID() != 1 {
		pe.SyncImages(1, 2) // behind the entry of image 2
	}
	pe.Lock(2, 0)
	if pe.ID() == 1 {
		pe.SyncImages(1, 1, 3)
		pe.Stop()
	}
	pe.Unlock(2, 0)
}

// ERROR STOP of one image ends all; STOP of one image ends that one. What each has
// said is shown, also where the run fails behind it.
func TestImagesStop(t *testing.T) {
	for name, c := range map[string]struct {
		body   func(pe *PE)
		status int
		said   string
	}{
		"error stop":      {on(2, func(pe *PE) { pe.ErrorStop("no way") }, meet), 1, "ERROR STOP no way"},
		"error stop 0":    {on(2, func(pe *PE) { pe.ErrorStop(0) }, meet), 0, "ERROR STOP 0"},
		"a number":        {on(2, func(pe *PE) { pe.Stop(3) }, nil), 3, "STOP 3"},
		"a text of each":  {func(pe *PE) { pe.Stop([]string{"a", "b", "c"}[pe.ID()]) }, 0, "STOP a\nSTOP b\nSTOP c"},
		"the first not 0": {func(pe *PE) { pe.Stop(pe.ID() * 5) }, 5, "STOP 0\nSTOP 5\nSTOP 10"},
		"said before": {on(2, func(pe *PE) { pe.Stop("done") }, meet), 1,
			"STOP done\nprog.f90:100: deadlock: an image has stopped while others wait for it\n" +
				"  image 1 at prog.f90:100 waits for image 2 in sync all\n  image 2 has stopped"},
		"not said": {on(2, func(pe *PE) { pe.Stop() }, meet), 1,
			"prog.f90:100: deadlock: an image has stopped while others wait for it\n" +
				"  image 1 at prog.f90:100 waits for image 2 in sync all\n  image 2 has stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := run(coarrays("sync all"), []string{"-n", "3"}, nil, &out, &errs, func(pe *PE) {
				begin(pe)
				pe.Print("on")
				c.body(pe)
			})
			if status != c.status || errs.String() != c.said+"\n" || out.String() != " on\n on\n on\n" {
				t.Errorf("status %d, output %q, said\n%swant status %d and\n%s", status, out.String(), errs.String(), c.status, c.said)
			}
		})
	}
}

// on does one thing on an image, behind a barrier of all, and another on all others.
func on(image int, do, others func(pe *PE)) func(*PE) {
	return func(pe *PE) {
		meet(pe)
		switch {
		case pe.ID() == image-1:
			do(pe)
		case others != nil:
			others(pe)
		}
	}
}

// Lines of several images are whole.
func TestImagesPrint(t *testing.T) {
	var out bytes.Buffer
	const lines = 300
	_, err := Run(coarrays(), 7, nil, &out, func(pe *PE) {
		begin(pe)
		for i := range lines {
			l := pe.NewLine()
			l.Add(int32(pe.ID()))
			l.Add(int32(i))
			l.End()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	next := make([]int, 7)
	for line := range strings.Lines(out.String()) {
		var q, i int
		if n, err := fmt.Sscan(line, &q, &i); n != 2 || err != nil || next[q] != i {
			t.Fatalf("line %q", line)
		}
		next[q]++
	}
	if out.Len() != 7*lines*25 {
		t.Errorf("%d bytes", out.Len())
	}
}

// Image 1 alone has the standard input.
func TestImagesRead(t *testing.T) {
	var out bytes.Buffer
	_, err := Run(coarrays("read"), 3, strings.NewReader("11 12\n13"), &out, func(pe *PE) {
		begin(pe)
		var list [4]int
		var status [4]int
		for i := range list {
			list[i] = -1
			pe.Read(0, &status[i], &list[i])
		}
		want, statuses := [4]int{-1, -1, -1, -1}, [4]int{iostatEnd, iostatPast, iostatPast, iostatPast}
		if pe.ID() == 0 {
			want, statuses = [4]int{11, 13, -1, -1}, [4]int{0, 0, iostatEnd, iostatPast}
		}
		if list != want || status != statuses {
			t.Errorf("image %d: %v with status %v, want %v with %v", pe.ID()+1, list, status, want, statuses)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// Without STAT= an image that has failed ends the run, by SYNC ALL, SYNC IMAGES or a collective.
func TestFailedImage(t *testing.T) {
	for kind, wait := range map[string]func(*PE){
		"sync all":    func(pe *PE) { pe.SyncAll(0) },
		"sync images": func(pe *PE) { pe.SyncImages(0, 3) },
		"co_sum":      func(pe *PE) { CoSum(pe, 0, 0, 1) },
	} {
		p := coarrays(kind)
		p.Fails = true
		_, err := Run(p, 3, nil, nil, func(pe *PE) {
			pe.Start()
			if pe.ID() == 2 {
				pe.FailImage(0)
			}
			wait(pe)
		})
		if want := kind + ": image 3 has failed"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", kind, err, want)
		}
	}
}

// A team that was not formed, or not by the current team, and images that it does not have.
func TestTeamFaults(t *testing.T) {
	for want, body := range map[string]func(*PE){
		"has no team":                     func(pe *PE) { pe.ChangeTeam(0, 0) },
		"has not formed this team":        func(pe *PE) { pe.ChangeTeam(0, 1) },
		"there is no image 3 in team 1":   func(pe *PE) { pe.FormTeam(0, 1); pe.InitialImage(2, 3) },
		"the index 1 in team 1":           func(pe *PE) { pe.FormTeam(0, 1, 1) },
		"the number 0":                    func(pe *PE) { pe.FormTeam(0, 0) },
		"no team 7 beside":                func(pe *PE) { pe.FormTeam(0, 1); pe.ChangeTeam(0, 2); pe.SiblingTeam(2, 7) },
		"this image is not in team":       func(pe *PE) { pe.FormTeam(0, pe.ID()+1); pe.SyncTeam(0, 3-pe.ID()) },
		"co_broadcast: there is no image": func(pe *PE) { pe.FormTeam(0, pe.ID()+1); pe.ChangeTeam(0, 2+pe.ID()); CoBroadcast(pe, 0, 2, 1) },
	} {
		_, err := Run(coarrays("team"), 2, nil, nil, func(pe *PE) {
			pe.Start()
			body(pe)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
