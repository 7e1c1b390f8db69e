package spmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

// played is a machine whose processes are goroutines of this one, which have nothing in
// common but memory.
type played struct {
	*inproc.Member
	rank, ranks int
	join        func(n int, alike bool) (m *inproc.Member, first, count int)
}

func (m *played) Begin() (rank, ranks int, err error) { return m.rank, m.ranks, nil }

func (m *played) Join(n int, alike bool) (first, count int, err error) {
	if n == 0 {
		return 0, 0, errors.New("it does not run")
	}
	m.Member, first, count = m.join(n, alike)
	return first, count, nil
}

func (m *played) Leave(last []byte, idle func()) [][]byte {
	left, _ := m.Member.Leave(last, idle)
	return left
}

func (m *played) Text(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (m *played) Value(text string, v any) {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		panic(err)
	}
}

func (m *played) End() {}

// wires carry messages to processes that are played, by receiver.
type wires []chan []byte

func (w wires) Begin() {}

func (w wires) Send(to int, message []byte) (keeps bool) {
	w[to] <- message
	return true
}

func (w wires) Poll() {}

func (w wires) Attend() {}

// playing is how processes are played.
type playing struct {
	each int  // how many PEs each has, but the last
	far  bool // each process is as if on a host of its own; else they have memory in common
}

var (
	near      = playing{1, false}
	alone     = playing{1, true}
	nearPairs = playing{2, false}
	farPairs  = playing{2, true}
)

// processes runs a program on n PEs and returns what PE 0 writes, and its status.
// Processes whose first PEs are dead do nothing.
func processes(how playing, n int, p Program, args []string, input string, body func(*PE), dead ...int) (stdout, stderr string, status int) {
	const part = 16 << 20
	board := inproc.BoardSize(n)
	memory := make([]uint64, n*(board+part)/8) // in one piece, which Go does not look into
	base := unsafe.Pointer(&memory[0])
	whole := inproc.Region{At: unsafe.Add(base, n*board), Bytes: n * part}
	posts := make(wires, n)
	process := make([]int, n)
	for q := range posts {
		posts[q] = make(chan []byte, 1<<16)
		defer close(posts[q])
		process[q] = q / how.each * how.each
	}
	alive := func(q int) bool { return !slices.Contains(dead, process[q]) }
	ranks := (n + how.each - 1) / how.each
	if how.each > 1 && ranks < n {
		args = append([]string{"-n", fmt.Sprint(n)}, args...)
	}
	var out, errs bytes.Buffer
	var running sync.WaitGroup
	for rank := range ranks {
		first := rank * how.each
		if !alive(first) {
			continue
		}
		m := &played{rank: rank, ranks: ranks, join: func(_ int, alike bool) (member *inproc.Member, _, count int) {
			own := inproc.Region{At: unsafe.Add(whole.At, first*part), Bytes: part}
			common := inproc.Common{Process: process, Room: inproc.NewArena(whole, own), Alive: alive, Courier: posts, Host: make([]int, n)}
			for q := range n {
				switch {
				case how.far && alike && ranks > 1:
					common.Host[q] = q
				case how.far:
					common.Host[q] = process[q]
				}
				if process[q] == first {
					common.Board = append(common.Board, unsafe.Add(base, common.Host[q]*board))
				}
			}
			member = inproc.Join(first, common)
			var one sync.Mutex
			for q := range common.Board {
				go func() {
					for message := range posts[first+q] {
						one.Lock()
						member.Receive(first+q, message)
						one.Unlock()
					}
				}()
			}
			return member, first, len(common.Board)
		}}
		running.Add(1)
		go func() {
			defer running.Done()
			if rank == 0 {
				status = apart(p, m, args, strings.NewReader(input), &out, &errs, body)
			} else if s := apart(p, m, args, nil, io.Discard, io.Discard, body); s != 0 {
				panic(fmt.Sprintf("process %d has status %d", rank, s))
			}
		}()
	}
	running.Wait()
	return out.String(), errs.String(), status
}

// variety is a program that communicates in many ways, and prints what comes of it.
func variety(pe *PE) {
	l := dist.NewLayout(axes(block(1, 40, 0)), pe.Grid(pe.N()))
	a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
	b := NewArray[float64](pe, "b", l, nil)
	all := NewTemp[float64](pe, 1, 40)
	shift, staged, gather := NewComm(pe, 0, a, nil), NewStaged(pe, 1, a, 2, -1), NewComm(pe, 2, b, all)
	picked := NewIrregular(pe, 3, b)
	sums := NewLocal[float32](pe, "sums", [2]int{1, 5})
	pe.Start()
	var scale float64
	var name string
	pe.Read(4, nil, &scale, Str(&name, 6))
	set(a, 1)
	border := func(q int) Box {
		mine := l.Owned(q, 0)
		return Box{dist.Range(mine.Lo-1, mine.Hi()+1, 1)}
	}
	for step := range 12 {
		c := []*Comm[float64]{shift, staged}[step%2]
		c.Needs(border)
		c.Post()
		c.Wait()
		own := a.Owned(0)
		for i := own.Lo; i <= own.Hi(); i++ {
			sum := a.Data[a.At1(i)]
			if i > 1 {
				sum += scale * a.Data[a.At1(i-1)]
			}
			if i < 40 {
				sum += scale * a.Data[a.At1(i+1)]
			}
			b.Data[b.At1(i)] = sum
		}
		c.Done()
		gather.NeedsAll(Box{dist.Range(1, 40, 1)})
		gather.Post()
		gather.Wait()
		idx := []int{1 + (7*step+pe.ID())%40, 40 - step, 1}
		list := picked.Post(idx[:1+step%3], false)
		_ = list
		picked.Wait()
		for i := range 5 {
			sums.Data[i] = float32(all.Data[all.At1(1+i)])/7 + float32(pe.ID()) + float32(picked.Data[picked.At[0]])
		}
		SumElements(pe, 5, sums, Box{dist.Range(1, 5, 1)})
		gather.Done()
		picked.Done()
		for i := own.Lo; i <= own.Hi(); i++ {
			a.Data[a.At1(i)] = b.Data[b.At1(i)] / 3
		}
		largest := Max(pe, 6, a.Data[a.At1(own.Lo)])
		z := Sum(pe, 6, complex(float64(pe.ID()), largest))
		name = Bcast(pe, 7, step%pe.N(), fmt.Sprint(name, pe.ID()))
		if pe.ID() == 0 {
			pe.Print(step, largest, z, name, sums.Data[0], sums.Data[4])
		}
	}
}

// TestProcesses: PEs that are processes print, to the last bit, what goroutines print, and
// count the same messages.
func TestProcesses(t *testing.T) {
	const input = "0.37, 'name'\n"
	for _, n := range []int{1, 2, 3, 6} {
		p := sites(8)
		p.Check = n%2 == 0
		var out, errs bytes.Buffer
		if status := run(p, []string{"-n", fmt.Sprint(n), "-stats"}, strings.NewReader(input), &out, &errs, variety); status != 0 {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		for _, how := range []playing{near, alone, nearPairs, farPairs} {
			stdout, stderr, status := processes(how, n, p, []string{"-stats"}, input, variety)
			if status != 0 || stdout != out.String() {
				t.Errorf("%d PEs, %v: status %d, output\n%s%sof goroutines\n%s", n, how, status, stdout, stderr, out.String())
			}
			if got, want := withoutWaits(stderr), withoutWaits(errs.String()); got != want {
				t.Errorf("%d PEs, %v, count\n%sgoroutines\n%s", n, how, got, want)
			}
		}
	}
}

// withoutWaits is a table of statistics without the column that says how often PEs had to
// wait.
func withoutWaits(table string) string {
	var b strings.Builder
	var waits int
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if slices.Contains(words, "waits") {
			waits = slices.Index(words, "waits")
		} else if waits > 0 {
			at := waits
			if strings.Contains(line, "total") {
				at-- // it has no number of a line in front
			}
			words = slices.Delete(words, at, at+1)
		}
		fmt.Fprintln(&b, strings.Join(words, " "))
	}
	return b.String()
}

// TestProcessesEnd: how a run of processes ends: its output, one error, and the status.
func TestProcessesEnd(t *testing.T) {
	for _, how := range []playing{near, alone, nearPairs, farPairs} {
		t.Run(fmt.Sprint(how), func(t *testing.T) { processesEnd(t, how) })
	}
}

func processesEnd(t *testing.T, how playing) {
	hpf, coarray, checked := sites(4), coarrays("sync all", "critical"), sites(4)
	hpf.Check = false
	for _, test := range []struct {
		name           string
		p              Program
		args           string
		dead           []int
		body           func(*PE)
		stdout, stderr string
		status         int
	}{
		{"an image fails", coarray, "", nil, func(pe *PE) {
			pe.Start()
			pe.Print("I am", pe.ID()+1)
			pe.SyncAll(0)
			if pe.ID() == 2 {
				pe.Abort(1, "no way")
			}
			pe.SyncAll(0)
		}, "?", "prog.f90:101: image 3: no way\n", 1},
		{"error stop", coarray, "", nil, func(pe *PE) {
			pe.Start()
			if pe.ID() == 1 {
				pe.ErrorStop(7)
			}
			pe.SyncAll(0)
		}, "", "ERROR STOP 7\n", 7},
		{"stop of an image", coarray, "", nil, func(pe *PE) {
			pe.Start()
			if pe.ID() == 2 {
				pe.Stop(int32(3))
			}
		}, "", "STOP 3\n", 3},
		{"stop", hpf, "", nil, func(pe *PE) {
			pe.Start()
			pe.Stop("enough")
		}, "", "STOP enough\n", 0},
		{"deadlock", coarray, "", nil, func(pe *PE) {
			pe.Start()
			if pe.ID() == 0 {
				pe.SyncImages(0, 3)
			}
		}, "", "prog.f90:100: deadlock: an image has stopped while others wait for it\n" +
			"  image 1 at prog.f90:100 waits for image 3 in sync all\n  image 3 has stopped\n", 1},
		{"prints in order", coarray, "", nil, func(pe *PE) {
			pe.Start()
			for q := range 2 * pe.N() {
				if q%pe.N() == pe.ID() {
					pe.Print(q)
				}
				pe.SyncAll(0)
			}
			for range 40 {
				pe.Lock(1, 3)
				pe.Unlock(1, 3)
			}
		}, "                    0\n                    1\n                    2\n                    3\n                    4\n                    5\n", "", 0},
		{"texts", hpf, "", nil, func(pe *PE) {
			a := NewArray[string](pe, "a", dist.NewLayout(axes(block(1, 9, 0)), pe.Grid(3)), [][2]int{{1, 1}})
			b := NewArray[string](pe, "b", a.Layout, nil)
			c := NewComm(pe, 3, a, nil)
			pe.Start()
			for i := range a.Data {
				a.Data[i] = fmt.Sprint("text ", pe.ID())
			}
			c.Needs(func(q int) Box {
				mine := a.Layout.Owned(q, 0)
				return Box{dist.Range(mine.Lo-1, mine.Hi(), 1)}
			})
			c.Post()
			c.Wait()
			b.Data[0] = a.Data[a.At1(a.Owned(0).Lo-min(1, pe.ID()))]
			c.Done()
			for q := range 3 {
				if got := Bcast(pe, 1, q, b.Data[0]); pe.ID() == 0 {
					pe.Print(got)
				}
			}
		}, " text 0\n text 0\n text 1\n", "", 0},
		{"input", coarray, "", nil, func(pe *PE) {
			pe.Start()
			x := 0
			if pe.ID() == 1 {
				pe.Read(0, nil, &x)
			}
		}, "", "image 2: end of file", 1},
		{"wrong number", hpf, "-n 2", nil, func(pe *PE) { t.Error("it runs") }, "", "test: -n 2: 3 processes have been started", 2},
		{"wrong flag", hpf, "-m 2", nil, func(pe *PE) { t.Error("it runs") }, "", "test: flag provided but not defined: -m", 2},
		{"barriers", hpf, "-barriers=learn", nil, func(pe *PE) { t.Error("it runs") }, "", "test: the program has no barriers", 2},
		{"trace", checked, "-record=t", nil, func(pe *PE) { t.Error("it runs") }, "", "test: -freeze and -record", 2},
		{"a put too early", checked, "-hold=2", nil, func(pe *PE) {
			a := NewArray[float64](pe, "a", dist.NewLayout(axes(block(1, 9, 0)), pe.Grid(3)), [][2]int{{1, 1}})
			c := NewComm(pe, 1, a, nil).Sync(Elided) // nothing orders its executions
			pe.Start()
			set(a, 0)
			for range 3 {
				c.Needs(func(q int) Box {
					mine := a.Layout.Owned(q, 0)
					return Box{dist.Range(mine.Lo-1, mine.Hi(), 1)}
				})
				c.Post()
				c.Wait()
				c.Done()
			}
		}, "", "prog.hpf:101: ", 1},
		{"lost", hpf, "", []int{1}, func(pe *PE) { pe.Start() }, "", "prog.hpf: PE 1: its process has ended", 1},
	} {
		switch {
		case test.name == "lost" && how != near: // whoever started the processes finds that out
			continue
		case test.name == "wrong number" && how.each > 1:
			continue
		}
		stdout, stderr, status := processes(how, 3, test.p, strings.Fields(test.args), "", test.body, test.dead...)
		if test.stdout == "?" {
			if strings.Count(stdout, "I am") != 3 {
				t.Errorf("%s: output %q", test.name, stdout)
			}
		} else if stdout != test.stdout {
			t.Errorf("%s: output %q", test.name, stdout)
		}
		if status != test.status || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" || strings.Count(stderr, test.p.File) > 3 {
			t.Errorf("%s: status %d, errors %q, want %d, %q", test.name, status, stderr, test.status, test.stderr)
		}
	}
}

// TestProcessesElide: processes leave out the barriers that goroutines leave out, and log the same;
// a plan is read by PE 0 alone.
func TestProcessesElide(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	logged := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log := regexp.MustCompile(`(?m)^run .*|\d+\.\d{6}`).ReplaceAllString(string(text), "")
		return log
	}
	body := stepping(func(pe *PE) bool {
		var x int
		pe.Read(atSum, nil, &x)
		if pe.ID() == 0 {
			pe.Print("half", x)
		}
		pe.Barrier(atInner)
		return true
	})
	plan := filepath.Join(dir, "plan")
	if err := os.WriteFile(plan, []byte("barriers-plan 1\nprogram test 1\nelide: ^ > prog.hpf:100\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := elidable(true)
	p.Elide = nil
	for _, mode := range []string{"-barriers=learn", "-barriers=audit", "-barriers=plan:" + plan} {
		args := []string{mode, "-barriers-log=" + path, "-stats"}
		var out, errs bytes.Buffer
		if status := run(p, append([]string{"-n", "3"}, args...), strings.NewReader("7\n"), &out, &errs, body); status != 0 {
			t.Fatalf("%s: status %d: %s", mode, status, &errs)
		}
		want := logged()
		for _, how := range []playing{near, alone, nearPairs, farPairs} {
			stdout, stderr, status := processes(how, 3, p, args, "7\n", body)
			if got := logged(); status != 0 || stdout != out.String() || withoutWaits(stderr) != withoutWaits(errs.String()) || got != want {
				t.Errorf("%s %v: status %d, %q, %s, log\n%sof goroutines\n%s", mode, how, status, stdout, stderr, got, want)
			}
		}
	}
}

// TestProcessesMisspeculate: each kind of misspeculation is found where PEs are processes too: what was printed
// behind the barrier is not shown, and the blacklist has the context.
func TestProcessesMisspeculate(t *testing.T) {
	p := elidable(false)
	p.Elide = nil
	for _, how := range []playing{near, alone, nearPairs, farPairs} {
		for _, test := range misspeculations {
			list := filepath.Join(t.TempDir(), "blacklist")
			body := stepping(func(pe *PE) bool {
				if pe.ID() == 0 {
					pe.Print("half")
				}
				return test.fault(pe)
			})
			stdout, stderr, status := processes(how, 3, p, []string{"-barriers=learn", "-barriers-blacklist=" + list}, "", body)
			if test.kind == 0 {
				if status != 0 || stdout != " half\n" {
					t.Errorf("%s %v: status %d, %q, %s", test.name, how, status, stdout, stderr)
				}
				continue
			}
			kind := strings.Contains(stderr, test.kind.String()) || test.kind == elide.BrokenConsensus && strings.Contains(stderr, elide.Stalled.String())
			text, err := os.ReadFile(list)
			if status != 4 || stdout != "" || !kind || !strings.Contains(stderr, "misspeculation at barrier 6") || err != nil || !strings.Contains(string(text), "prog.hpf:100") {
				t.Errorf("%s %v: status %d, %q, %v, %s\n%s", test.name, how, status, stdout, err, stderr, text)
			}
		}
	}
}

// TestProcessesCheckpoint: processes go on from checkpoints, their own and those of goroutines, and these from
// theirs: what they print and count is as in one piece.
func TestProcessesCheckpoint(t *testing.T) {
	by := func(how playing, n int) starter {
		return func(p Program, body func(*PE), input string, args ...string) (status int, stdout, stderr string) {
			stdout, stderr, status = processes(how, n, p, args, input, body)
			return status, stdout, stderr
		}
	}
	for _, c := range []struct {
		name        string
		first, then func(n int) starter
	}{
		{"near", func(n int) starter { return by(near, n) }, func(n int) starter { return by(near, n) }},
		{"alone", func(n int) starter { return start }, func(n int) starter { return by(alone, n) }},
		{"pairs", func(n int) starter { return by(nearPairs, n) }, func(n int) starter { return start }},
		{"far pairs", func(n int) starter { return by(farPairs, n) }, func(n int) starter { return by(near, n) }},
	} {
		for i, mode := range []Mode{Handshake, Elided, modeOnDemand} {
			t.Run(fmt.Sprint(c.name, mode), func(t *testing.T) {
				n := 2 + i
				restartEach(t, n, i != 1, everything(mode, i+1), c.first(n), c.then(n))
			})
		}
	}
}

// TestProcessesGoOn: input goes on where it was at the checkpoint, and processes do not start each other again.
func TestProcessesGoOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	_, want, _ := start(points(), reader, readerInput, "-n", "3")
	for _, how := range []playing{near, alone, nearPairs, farPairs} {
		ending := file + ".ending"
		t.Setenv(endingVariable, ending)
		first, text, _ := processes(how, 3, points(), []string{"-checkpoint", file, "-stop-after-checkpoint", "4"}, readerInput, reader)
		rest, more, status := processes(how, 3, points(), []string{"-checkpoint", file, "-restart"}, readerInput, reader)
		if first+rest != want || status != 0 {
			t.Errorf("%v: %s and then %s\n%s%s", how, first, rest, text, more)
		}
		_, text, status = processes(how, 3, points(), []string{"-checkpoint", file, "-restart"}, "8\n", reader)
		if status != 1 || !strings.Contains(text, "cannot go on from this checkpoint") {
			t.Errorf("%v: other input: status %d: %s", how, status, text)
		}
		_, text, status = processes(how, 3, points(), []string{"-checkpoint", file, "-restarts=1"}, readerInput, reader)
		if status != exitUsage || !strings.Contains(text, "spmdc run --transport=mpi --restarts=N") {
			t.Errorf("%v: -restarts: status %d: %s", how, status, text)
		}
		if err := os.WriteFile(ending, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, text, status = processes(how, 3, points(), []string{"-checkpoint", file}, "9\n9\n"+readerInput, reader)
		if said, err := os.ReadFile(ending); status != 1 || err != nil || !strings.HasPrefix(string(said), "1 failed\n") {
			t.Errorf("%v: a fault: status %d, %v, %q: %s", how, status, err, said, text)
		}
	}
}
