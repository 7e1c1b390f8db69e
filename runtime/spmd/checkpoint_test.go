package spmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/dist"
)

// points is sites with an identity; the last site is that of checkpoints.
func points() Program {
	p := sites(8)
	p.Identity = "of the test"
	return p
}

// start runs a program as Main does, and returns its exit status and what it writes.
func start(p Program, body func(*PE), input string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(p, args, strings.NewReader(input), &out, &errs, body)
	return status, out.String(), errs.String()
}

// modeOnDemand is the mode of communications that leave out ready messages where they
// have an acknowledgement of the other PE.
const modeOnDemand = Mode(2)

// everything is a program with every kind of object, in which values live across the
// checkpoints, have arrived or are only under way. It is written as emitted programs are:
// one call, number 1, in a loop over it.
func everything(mode Mode, slots int) func(*PE) {
	return func(pe *PE) {
		const n, steps = 13, 6
		l := dist.NewLayout(axes(block(1, n, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 2}})
		count := NewArray[int](pe, "count", l, nil)
		flags := NewLocal[bool](pe, "flags", [2]int{1, 4})
		single := NewArray[float32](pe, "single", dist.NewLayout(axes(cyclic(0, n, 0)), pe.Grid(pe.N())), nil)
		var left *Comm[float64]
		if slots > 0 {
			left = NewStaged(pe, 0, a, slots, 0).Sync(mode % modeOnDemand)
		} else {
			left = NewComm(pe, 0, a, nil).Sync(mode)
		}
		t1 := NewTemps[float64](pe, 1, n, max(1, slots))
		reversed := NewComm(pe, 1, a, t1).Sync(mode % modeOnDemand)
		once := NewTemp[float32](pe, 1, n+1)
		if mode == modeOnDemand {
			left.OnDemand()
			reversed.OnDemand()
		}
		all := NewComm(pe, 2, single, once)
		picked := NewIrregular(pe, 3, a).Sync(mode % modeOnDemand)
		b := NewArray[float64](pe, "b", l, [][2]int{{2, 0}})
		near, far := NewStaged(pe, 6, b, 2, 0).Sync(mode%modeOnDemand), NewStaged(pe, 6, b, 2, 0).Sync(mode%modeOnDemand)
		pair := pe.MessageGroup(near, far)
		pe.Start()
		resume := pe.Resume()

		var step int
		var sum float64
		var word string
		var small float32
		var odd bool
		if resume == 0 {
			each(ownedBox(single.Layout, pe.ID()), func(x []int) { single.Data[single.At(x...)] = float32(x[0]) / 3 })
			all.Needs(func(int) Box { return pe.Box(dist.Range(0, n, 1)) })
			all.Post()
			all.Wait() // used to the end of the program
			sum, word, small = 0, "start", 0.25
		}
		if resume == 0 {
			near.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			far.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(2, 0)) })
			step = 1
		}
		for ; resume > 0 || step <= steps; step++ {
			if resume == 0 {
				pe.Loop(0, step)
				set(a, step)
				set(b, step+100)
				if mode == Elided {
					pe.Barrier(4)
				}
				left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				left.Post()
				reversed.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0)) }, Sub{0, -1, n + 1})
				reversed.Post()
				idx := []int{1 + (step/3+pe.ID())%n, n - step/4}
				picked.Post(idx, false)
				pair.Post()
				if step%2 == 0 {
					left.Wait()
					near.Wait()
				}
			}
			if pe.Checkpoints() {
				stepAt, sumAt, wordAt, smallAt, oddAt := step, sum, word, small, odd
				pe.Checkpoint(7, 1, &stepAt, &sumAt, &wordAt, &smallAt, &oddAt)
				step, sum, word, small, odd = stepAt, sumAt, wordAt, smallAt, oddAt
				resume = 0
			}
			if step%2 != 0 {
				left.Wait()
				near.Wait()
			}
			far.Wait()
			reversed.Wait()
			picked.Wait()
			part := 0.0
			each(ownedBox(l, pe.ID()), func(x []int) {
				i := x[0]
				part += t1.Data[t1.At1(i)] + float64(once.Data[once.At1(n-i)])
				if i > 1 {
					part += a.Data[a.At1(i-1)]
				}
				for k := max(1, i-2); k < i; k++ {
					part += b.Data[b.At1(k)] / float64(k+step)
				}
				count.Data[count.At1(i)] += i
				part += float64(count.Data[count.At1(i)])
			})
			for _, at := range picked.At {
				x := picked.Data[at]
				part += x
			}
			left.Done()
			reversed.Done()
			picked.Done()
			near.Done()
			far.Done()
			sum += Sum(pe, 5, part)
			flags.Data[flags.At1(1+step%4)] = odd
			odd = !odd
			word += fmt.Sprint(step)
			small /= 3
			if pe.ID() == 0 {
				pe.Print(step, sum, word, small, odd, flags.Data[0], flags.Data[1], flags.Data[2], flags.Data[3])
			}
		}
		pe.Leave(0)
		all.Done()
	}
}

// A run that is stopped behind a checkpoint and goes on from there prints what the run
// in one piece prints, counts the same messages, and passes all checks, whatever is
// under way at the checkpoint.
func TestCheckpoints(t *testing.T) {
	for _, np := range []int{1, 2, 5} {
		for _, mode := range []Mode{Handshake, Elided, modeOnDemand} {
			for slots := range 4 {
				if mode == modeOnDemand && slots == 0 {
					continue // it needs slots of its own
				}
				t.Run(fmt.Sprintf("%d PEs/mode %d/%d stages", np, mode, slots), func(t *testing.T) {
					restartEach(t, np, slots != 1, everything(mode, slots), start, start)
				})
			}
		}
	}
}

// starter runs a program as Main does, and returns its exit status and what it writes.
type starter func(p Program, body func(*PE), input string, args ...string) (status int, stdout, stderr string)

// restartEach stops runs that first starts, and goes on with them by then.
func restartEach(t *testing.T, np int, check bool, body func(*PE), first, then starter) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "checkpoint")
	p := points()
	p.Check = check
	n := fmt.Sprint(np)
	start := func(p Program, body func(*PE), input string, args ...string) (int, string, string) {
		how := first
		if slices.Contains(args, "-restart") {
			how = then
		}
		return how(p, body, input, append(args, "-checkpoint-sync=false")...)
	}
	status, want, table := start(p, body, "", "-n", n, "-stats", "-checkpoint", file)
	if status != 0 {
		t.Fatal(table)
	}
	if _, alone, _ := start(p, body, "", "-n", n); alone != want {
		t.Fatalf("with checkpoints it prints\n%swithout\n%s", want, alone)
	}
	for _, k := range []int{1, 2, 5} {
		status, first, text := start(p, body, "", "-n", n, "-checkpoint", file, "-stop-after-checkpoint", fmt.Sprint(k))
		if status != 0 || text != fmt.Sprintf("test: stopped behind checkpoint %d, line 107\n", k) {
			t.Fatalf("status %d: %s", status, text)
		}
		status, rest, text := start(p, body, "", "-n", n, "-stats", "-checkpoint", file, "-restart")
		if note := fmt.Sprintf("test: going on from checkpoint %d, line 107; %d bytes of output came before it\n", k, len(first)); status != 0 || !strings.HasPrefix(text, note) {
			t.Fatalf("status %d: %s", status, text)
		}
		if first+rest != want {
			t.Errorf("stopped behind checkpoint %d it prints\n%sand then\n%sand in one piece\n%s", k, first, rest, want)
		}
		if _, again, _ := strings.Cut(text, "\n"); withoutWaits(again) != withoutWaits(table) {
			t.Errorf("stopped behind checkpoint %d it counts\n%sand in one piece\n%s", k, again, table)
		}
	}
}

// reader reads two numbers for each of its checkpoints, and prints.
func reader(pe *PE) {
	a := NewLocal[int](pe, "a", [2]int{1, 9})
	pe.Start()
	resume := pe.Resume()
	var k int
	for ; resume > 0 || k < 9; k++ {
		if resume == 0 {
			var x, y int
			pe.Read(0, nil, &x)
			pe.Read(0, nil, &y)
			a.Data[k] = 10*x + y
		}
		if pe.Checkpoints() {
			kAt := k
			pe.Checkpoint(7, 1, &kAt)
			k = kAt
			resume = 0
		}
		if pe.ID() == 0 {
			pe.Print(k, a.Data[k], a.Data[0])
		}
		if a.Data[k] == 99 {
			panic(&Fault{Msg: "a fault"})
		}
	}
}

const readerInput = "1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n2\n3\n4\n5\n6\n7\n8\n"

// Input goes on where it was, output is complete and is not repeated, in a pipe and in
// a file.
func TestCheckpointStreams(t *testing.T) {
	dir := t.TempDir()
	file, printed := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "output")
	_, want, text := start(points(), reader, readerInput, "-n", "2")
	if strings.Count(want, "\n") != 9 {
		t.Fatal(text)
	}
	for k := 1; k <= 9; k++ {
		_, first, _ := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-stop-after-checkpoint", fmt.Sprint(k))
		status, rest, text := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-restart")
		if first+rest != want || status != 0 {
			t.Errorf("checkpoint %d: %s and then %s\n%s", k, first, rest, text)
		}
		// Who starts it again may have seen more than that.
		start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-stop-after-checkpoint", fmt.Sprint(k))
		seen := min(len(want), len(first)+20)
		if _, rest, text := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-restart", "-shown", fmt.Sprint(seen)); rest != want[seen:] {
			t.Errorf("checkpoint %d: %s where %d bytes have been seen\n%s", k, rest, seen, text)
		}
		// What was printed behind the checkpoint goes out of the file.
		os.Remove(printed)
		start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-output", printed, "-stop-after-checkpoint", fmt.Sprint(k))
		f, err := os.OpenFile(printed, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("printed before the run was killed")
		f.Close()
		status, rest, text = start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-output", printed, "-restart")
		if got, err := os.ReadFile(printed); err != nil || string(got) != want || rest != "" || status != 0 {
			t.Errorf("checkpoint %d: %s, %v\n%s", k, got, err, text)
		}
	}
}

// A file of output is written only where nothing is lost: where it is new, empty, or
// begins with what the run had printed before its checkpoint.
func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	file, printed, source := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "output"), filepath.Join(dir, "prog.hpf")
	link, hard := filepath.Join(dir, "link"), filepath.Join(dir, "hard")
	const text = "program p\nend program p\n"
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(source, text)
	if os.Symlink(source, link) != nil || os.Link(source, hard) != nil {
		t.Skip("no links")
	}
	for _, name := range []string{source, link, hard} {
		for _, more := range [][]string{nil, {"-checkpoint", file}, {"-checkpoint", file, "-restart"}} {
			os.Remove(file)
			status, _, said := start(points(), reader, readerInput, append(more, "-n", "2", "-output", name)...)
			if status != exitUsage || !strings.Contains(said, "something else in it") {
				t.Errorf("%s %v: status %d\n%s", filepath.Base(name), more, status, said)
			}
		}
	}
	_, want, _ := start(points(), reader, readerInput, "-n", "2")
	run := func(what string, ok bool, args ...string) {
		t.Helper()
		before, _ := os.ReadFile(printed)
		status, _, said := start(points(), reader, readerInput, append(args, "-n", "2", "-output", printed)...)
		got, err := os.ReadFile(printed)
		switch {
		case ok && (status != 0 || string(got) != want):
			t.Errorf("%s: status %d, %v, %q\n%s", what, status, err, got, said)
		case !ok && (status == 0 || string(got) != string(before)):
			t.Errorf("%s: status %d, and the file had %q and has %q", what, status, before, got)
		}
	}
	run("new", true)
	run("of an earlier run", false)
	run("of an earlier run, with a restart from the beginning", false, "-checkpoint", file+"2", "-restart")
	run("of who starts it again", true, "-checkpoint", file+"2", "-restart", "-again")
	put(printed, "")
	run("empty", true)
	_, before, _ := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-stop-after-checkpoint", "3")
	put(printed, before+"and more")
	run("of this run", true, "-checkpoint", file, "-restart")
	start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-stop-after-checkpoint", "3")
	put(printed, text+want)
	run("of another run", false, "-checkpoint", file, "-restart")

	// A run that is killed before its first checkpoint has said whose the output is.
	os.Remove(file)
	os.Remove(printed)
	if status, _, said := start(points(), reader, "no number", "-n", "2", "-checkpoint", file, "-restart", "-output", printed); status == 0 {
		t.Fatalf("it should have failed\n%s", said)
	}
	put(printed, "printed before the run was killed")
	run("of a run that was killed before its first checkpoint", true, "-checkpoint", file, "-restart")
	os.Remove(file)
	if status, _, said := start(points(), reader, "no number", "-n", "2", "-checkpoint", file, "-restart", "-output", filepath.Join(dir, "another")); status == 0 {
		t.Fatalf("it should have failed\n%s", said)
	}
	run("of another run than the one that was killed", false, "-checkpoint", file, "-restart")
	if status, _, said := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-restart", "-output", file); status == 0 || !strings.Contains(said, "the file of checkpoints") {
		t.Errorf("one file for both: status %d\n%s", status, said)
	}
	if status, _, said := start(points(), reader, readerInput, "-n", "2", "-output", os.DevNull); status != 0 {
		t.Errorf("a device: status %d\n%s", status, said)
	}
	if got, err := os.ReadFile(source); err != nil || string(got) != text {
		t.Errorf("the source has changed: %q, %v", got, err)
	}
}

// What is written aside takes no name of the user's, and follows no link.
func TestCheckpointAside(t *testing.T) {
	dir := t.TempDir()
	file, letter := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "letter")
	for _, name := range []string{letter, file + ".tmp"} {
		if err := os.WriteFile(name, []byte("Dear all"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(letter, file+".new"); err != nil {
		t.Skip(err)
	}
	if status, _, said := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file); status != 0 {
		t.Fatal(said)
	}
	for _, name := range []string{letter, file + ".tmp", file + ".new"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != "Dear all" {
			t.Errorf("%s: %q, %v", filepath.Base(name), got, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("%v, %v: want the checkpoint and the three files of before", entries, err)
	}
}

// Without a file -restart begins from the start, and says so.
func TestRestartFromTheBeginning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	_, want, _ := start(points(), reader, readerInput, "-n", "2")
	status, got, text := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-restart")
	os.Remove(file)
	if _, rest, _ := start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-restart", "-shown", "11"); rest != want[11:] {
		t.Errorf("%s where 11 bytes have been seen", rest)
	}
	if status != 0 || got != want || text != "test: there is no checkpoint "+file+": starting from the beginning\n" {
		t.Errorf("status %d\n%s%s", status, got, text)
	}
}

// A checkpoint that is not of this program, run and input is refused, and stays.
func TestRefusedCheckpoints(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "checkpoint")
	start(points(), reader, readerInput, "-n", "2", "-checkpoint", file, "-stop-after-checkpoint", "3")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other, renamed, readier := points(), points(), points()
	readier.Handshake = true
	other.Identity, renamed.Name = "of another one", "other"
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 4
	for _, c := range []struct {
		what   string
		p      Program
		text   []byte
		input  string
		pes    string
		status int
		want   string
	}{
		{"version", other, whole, readerInput, "2", 1, "another version of program test"},
		{"program", renamed, whole, readerInput, "2", 1, "it is of program test, and this is other"},
		{"ready messages", readier, whole, readerInput, "2", 1, "or one compiled or run with other options"},
		{"PEs", points(), whole, readerInput, "3", 1, "it is of a run on 2 PEs, and this one is to be on 3 PEs"},
		{"damage", points(), damaged, readerInput, "2", 1, "it is damaged: its checksum is wrong"},
		{"end", points(), whole[:len(whole)-1], readerInput, "2", 1, "it is damaged"},
		{"empty", points(), nil, readerInput, "2", 1, "it is no checkpoint"},
		{"another file", points(), []byte("Dear all"), readerInput, "2", 1, "cannot go on from this checkpoint: it is no checkpoint"},
		{"input", points(), whole, "1\n3" + readerInput[3:], "2", 1, "standard input is not the one that was read before"},
		{"short input", points(), whole, "1\n", "2", 1, "12 bytes of standard input had been read, and now there are 2"},
		{"none", points(), whole, readerInput, "", 0, "going on from checkpoint 3"}, // on as many PEs
		{"none", points(), whole, readerInput, "2", 0, "going on from checkpoint 3"},
	} {
		if err := os.WriteFile(file, c.text, 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"-checkpoint", file, "-restart"}
		if c.pes != "" {
			args = append(args, "-n", c.pes)
		}
		status, stdout, text := start(c.p, reader, c.input, args...)
		if status != c.status || !strings.Contains(text, c.want) || status != 0 && stdout != "" {
			t.Errorf("%s: status %d, printed %q\n%s\nwant %s", c.what, status, stdout, text, c.want)
		}
		if got, err := os.ReadFile(file); c.status != 0 && (err != nil || !bytes.Equal(got, c.text)) {
			t.Errorf("%s: the file has changed: %v", c.what, err)
		}
	}
}

// What does not go together is an error of usage.
func TestCheckpointFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-restart"}, "need -checkpoint FILE"},
		{[]string{"-shown", "3"}, "-shown needs -checkpoint FILE"},
		{[]string{"-checkpoint", file, "-restarts", "-1"}, "must not be negative"},
		{[]string{"-checkpoint", file, "-freeze"}, "leave out -checkpoint"},
		{[]string{"-checkpoint", file, "-late", "0,1,1"}, "leave out -checkpoint"},
		{[]string{"-checkpoint", file, "-restart", "-record", file + ".trace"}, "leave out -restart"},
	} {
		if status, _, text := start(points(), reader, readerInput, c.args...); status != exitUsage || !strings.Contains(text, c.want) {
			t.Errorf("%v: status %d\n%s", c.args, status, text)
		}
	}
	if status, _, text := start(sites(8), reader, readerInput, "-checkpoint", file); status != exitUsage || !strings.Contains(text, "no call of spmd_checkpoint") {
		t.Errorf("status %d\n%s", status, text)
	}
	// What can be known of the file is said at once, the rest where it comes up.
	for _, name := range []string{filepath.Join(file, "no folder"), t.TempDir(), os.DevNull} {
		status, stdout, text := start(points(), reader, readerInput, "-n", "2", "-checkpoint", name)
		if status != exitUsage || stdout != "" || !strings.Contains(text, name+": cannot write checkpoints there") {
			t.Errorf("status %d, %q\n%s", status, stdout, text)
		}
	}
	status, _, text := start(points(), func(pe *PE) {
		if pe.ID() == 0 {
			os.Mkdir(file, 0o777)
		}
		reader(pe)
	}, readerInput, "-n", "2", "-checkpoint", file)
	if status != exitFault || !regexp.MustCompile(`prog\.hpf:107: PE [01]: the checkpoint cannot be written`).MatchString(text) {
		t.Errorf("status %d\n%s", status, text)
	}
}

// A run that fails goes on from its last checkpoint, with the input and the output where
// they were, also those of a pipe; before the first checkpoint it begins anew.
func TestRestarts(t *testing.T) {
	failures, before := 0, 0
	body := func(pe *PE) {
		failing(pe, func(k int) {
			if pe.ID() == 1 && failures > 0 && k > before {
				failures--
				before = k
				panic(&Fault{Msg: "a failure that comes and goes"})
			}
		})
	}
	_, want, text := start(points(), body, readerInput, "-n", "2")
	if strings.Count(want, "\n") != 9 {
		t.Fatal(text)
	}
	for _, c := range []struct{ failures, allowed, status int }{{1, 1, 0}, {3, 5, 0}, {3, 2, 1}, {0, 4, 0}} {
		file := filepath.Join(t.TempDir(), "checkpoint")
		failures, before = c.failures, 2
		status, got, text := start(points(), body, readerInput, "-n", "2", "-checkpoint", file, "-restarts", fmt.Sprint(c.allowed))
		if status != c.status || status == 0 && got != want || !strings.HasPrefix(want, got) {
			t.Errorf("%+v: status %d\n%s\n%s", c, status, got, text)
		}
		if n := strings.Count(text, "going on from checkpoint"); n != min(c.failures, c.allowed) {
			t.Errorf("%+v: %d restarts\n%s", c, n, text)
		}
	}
	failures, before = 1, -1
	status, got, text := start(points(), body, readerInput, "-n", "2", "-checkpoint", filepath.Join(t.TempDir(), "checkpoint"), "-restarts", "3")
	if status != 0 || got != want || !strings.Contains(text, "no checkpoint has been taken: starting from the beginning") {
		t.Errorf("without a checkpoint: status %d\n%s", status, text)
	}
}

// failing reads a number and prints it, nine times, with a checkpoint in between; at is
// called in front of it, and may fail.
func failing(pe *PE, at func(k int)) {
	pe.Start()
	resume := pe.Resume()
	var k, sum int
	for ; resume > 0 || k < 9; k++ {
		if resume == 0 {
			var x int
			pe.Read(0, nil, &x)
			sum += x
			if pe.ID() == 0 {
				pe.Print(k, sum)
			}
			at(k)
			pe.Barrier(1)
		}
		if k%2 == 0 && pe.Checkpoints() || resume > 0 {
			kAt, sumAt := k, sum
			pe.Checkpoint(7, 1, &kAt, &sumAt)
			k, sum = kAt, sumAt
			resume = 0
		}
	}
}

// What the checks know of the time ahead of a checkpoint they know behind it: what a
// run in one piece reports of a value that lives across it is reported by one that has
// gone on from there.
func TestViolationsBehindCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name string
		wait bool // ahead of the checkpoint
		harm func(a *Array[float64])
		want string
	}{
		{"use", true, nil, "PE 0: put of #1 test r0(i) (line 100) to PE 1 in epoch 3 is not ordered: PE 0 cannot know that PE 1 is done with epoch 2"},
		{"arrival", false, nil, "PE 0: put of #1 test r0(i) (line 100) to PE 1 in epoch 3 is not ordered: PE 0 cannot know that PE 1"},
		{"contents", true, func(a *Array[float64]) {
			if a.pe.id == 1 {
				a.Data[0] = 77
			}
		}, "what PE 0 put for #1 test r0(i) (line 100) in epoch 2 has changed in the overlap of a before its use was over"},
	} {
		body := func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
			left := NewComm(pe, 0, a, nil).Sync(Elided)
			pe.Start()
			resume := pe.Resume()
			post := func() {
				left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				left.Post()
			}
			if resume == 0 {
				set(a, 0)
				post()
				left.Wait()
				left.Done()
				pe.Barrier(1)
				post()
				if c.wait {
					left.Wait()
				}
			}
			if pe.Checkpoints() {
				pe.Checkpoint(7, 1)
			}
			if !c.wait {
				left.Wait()
			}
			if c.harm != nil {
				c.harm(a)
			}
			left.Done()
			if pe.ID() == 0 {
				pe.orders.Stall(holdLimit) // so that the put does not come too early, by luck
			}
			post()
			left.Wait()
			left.Done()
		}
		file := filepath.Join(t.TempDir(), "checkpoint")
		if _, _, text := start(points(), body, "", "-n", "2"); !strings.Contains(text, c.want) {
			t.Fatalf("%s: in one piece: %s", c.name, text)
		}
		if status, _, text := start(points(), body, "", "-n", "2", "-checkpoint", file, "-stop-after-checkpoint", "1"); status != 0 {
			t.Errorf("%s: %s", c.name, text)
		}
		if status, _, text := start(points(), body, "", "-n", "2", "-checkpoint", file, "-restart"); status != exitFault || !strings.Contains(text, c.want) {
			t.Errorf("%s: gone on from the checkpoint: %s\nwant %s", c.name, text, c.want)
		}
	}
}

// Nobody goes on before all have their state.
func TestResumeMessageGroup(t *testing.T) {
	body := func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 2, 0)), pe.Grid(pe.N()))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		left := NewComm(pe, 0, a, nil)
		pe.Start()
		if pe.ID() == 1 && pe.prog.keeper.from != nil {
			time.Sleep(20 * time.Millisecond) // PE 0 comes first
		}
		resume := pe.Resume()
		if resume == 0 {
			set(a, 0)
		}
		pe.Checkpoint(7, 1)
		left.mode = Elided
		left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
		left.Post()
		left.Wait()
		if pe.ID() == 1 && a.Data[0] != value(0, 1) {
			pe.Abort(0, "a(1) is %g", a.Data[0])
		}
		left.Done()
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	start(points(), body, "", "-n", "2", "-checkpoint", file)
	if status, _, text := start(points(), body, "", "-n", "2", "-checkpoint", file, "-restart"); status != 0 {
		t.Error(text)
	}
}

// The lines of the input are counted from its beginning.
func TestInputLinesBehindCheckpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	input := "1\n2\n3\n4\n5\n6\n7\nbad\n"
	start(points(), reader, input, "-n", "2", "-checkpoint", file)
	if _, _, text := start(points(), reader, input, "-n", "2", "-checkpoint", file, "-restart"); !strings.Contains(text, "standard input, line 8") {
		t.Error(text)
	}
}
