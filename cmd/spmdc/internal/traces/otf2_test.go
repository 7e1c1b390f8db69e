package traces

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// otf2Folder is the archive of a trace.
func otf2Folder(t *testing.T, trace *Trace) string {
	t.Helper()
	folder := t.TempDir()
	if err := trace.OTF2(folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// otf2Print is what the reader of the OTF2 project prints of an archive.
func otf2Print(t *testing.T, folder string, args ...string) string {
	t.Helper()
	effort.Tool(t, "otf2-print", "otf2-tools")
	out, err := exec.Command("otf2-print", append(args, filepath.Join(folder, "traces.otf2"))...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "error:") {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// manyEvents adds events to a trace so that its files have several chunks: executions of the
// loop on PE 0, and regions with long names.
func manyEvents(trace *Trace, events, regions int) {
	for i := range int64(events) {
		trace.PE[0] = append(trace.PE[0], tracefile.Event{Kind: tracefile.Region, ID: 1, Began: 1000 + 10*i, Took: 1 + i%10, Peer: -1})
	}
	for i := range regions {
		trace.Regions = append(trace.Regions, tracefile.RegionDef{Kind: "loop", Name: fmt.Sprint(strings.Repeat("x", 1000), i), File: "b.hpf", Line: i + 1, Last: i + 2})
	}
}

// TestOTF2: what otf2-print reads are the events of the trace in their order, the times of a
// location do not go back, and regions have their lines.
func TestOTF2(t *testing.T) {
	trace := twoPEs(t, "two")
	trace.PE[0] = append(trace.PE[0], tracefile.Event{Kind: tracefile.Get, ID: 0, Began: 1000, Took: 5, Peer: 1, Buffer: 2, Bytes: 300},
		tracefile.Event{Kind: tracefile.Ready, ID: 0, Began: 1010, Took: 5, Number: 700, Peer: 1, Buffer: 2})
	const events, regions = 50_000, 5_000
	manyEvents(trace, events, regions)
	folder := otf2Folder(t, trace)
	line := regexp.MustCompile(`^([A-Z_0-9]+) +([0-9]+) +([0-9]+) +(.*)$`)
	last := map[string]int{}
	counts := map[string]int{}
	got := map[string]string{}
	for _, text := range strings.Split(otf2Print(t, folder), "\n") {
		m := line.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		at, _ := strconv.Atoi(m[3])
		if at < last[m[2]] {
			t.Fatalf("time goes back from %d to %d: %s", last[m[2]], at, text)
		}
		last[m[2]] = at
		counts[m[1]]++
		if at <= 1015 && !strings.Contains(m[4], "loop i") {
			got[m[2]] += fmt.Sprintf("%s %d %s\n", m[1], at, m[4])
		}
	}
	want := map[string]string{"0": `ENTER 0 Region: "program two" <0>
ENTER 800 Region: "put: shift u(i-1)two" <5002>
PARAMETER_UINT64 800 Parameter: "epoch" <0>, Value: 1
RMA_PUT 800 Window: "buffer 0" <1>, Remote: 1 ("PE 1" <1>), Bytes: 80, Matching: 0
RMA_OP_COMPLETE_REMOTE 810 Window: "buffer 0" <1>, Matching: 0
LEAVE 810 Region: "put: shift u(i-1)two" <5002>
ENTER 900 Region: "reduction: sum s" <5003>
RMA_COLLECTIVE_BEGIN 900 
RMA_COLLECTIVE_END 1000 Operation: ALLREDUCE, Window: "all PEs" <0>, Level of Synchronicity: {PROCESS, MEMORY}, Root: NONE, Sent: 0, Received: 0
LEAVE 1000 Region: "reduction: sum s" <5003>
LEAVE 1000 Region: "program two" <0>
ENTER 1000 Region: "get: shift u(i-1)two" <5004>
PARAMETER_UINT64 1000 Parameter: "epoch" <0>, Value: 0
RMA_GET 1000 Window: "buffer 2" <3>, Remote: 1 ("PE 1" <1>), Bytes: 300, Matching: 1
RMA_OP_COMPLETE_BLOCKING 1005 Window: "buffer 2" <3>, Matching: 1
LEAVE 1005 Region: "get: shift u(i-1)two" <5004>
ENTER 1010 Region: "ready: shift u(i-1)two" <5005>
PARAMETER_UINT64 1010 Parameter: "epoch" <0>, Value: 700
RMA_SYNC 1010 Window: "buffer 2" <3>, Remote: 1 ("PE 1" <1>), Sync Type: NOTIFY_OUT
LEAVE 1015 Region: "ready: shift u(i-1)two" <5005>
`, "1": `ENTER 0 Region: "program two" <0>
ENTER 100 Region: "wait for arrival: shift u(i-1)two" <5006>
PARAMETER_UINT64 100 Parameter: "epoch" <0>, Value: 1
RMA_WAIT_CHANGE 820 Window: "buffer 0" <1>
LEAVE 820 Region: "wait for arrival: shift u(i-1)two" <5006>
ENTER 830 Region: "reduction: sum s" <5003>
RMA_COLLECTIVE_BEGIN 830 
RMA_COLLECTIVE_END 1000 Operation: ALLREDUCE, Window: "all PEs" <0>, Level of Synchronicity: {PROCESS, MEMORY}, Root: NONE, Sent: 0, Received: 0
LEAVE 1000 Region: "reduction: sum s" <5003>
LEAVE 1000 Region: "program two" <0>
`}
	for pe, text := range want {
		if got[pe] != text {
			t.Errorf("PE %s:\n%s\nwant\n%s", pe, got[pe], text)
		}
	}
	if n := events + 9; counts["ENTER"] != n || counts["LEAVE"] != n {
		t.Errorf("%d enters and %d leaves, want %d", counts["ENTER"], counts["LEAVE"], n)
	}
	definitions := otf2Print(t, folder, "-G")
	for _, want := range []string{`"put: shift u(i-1)two" <`, `Role: LOOP, Paradigm: COMPILER, Flags: NONE, File: "a.hpf" <`, `Begin: 5, End: 7`,
		fmt.Sprintf(`Begin: %d, End: %d`, regions, regions+1), `LOCATION                               1  Name: "PE 1"`} {
		if !strings.Contains(definitions, want) {
			t.Errorf("%s is not in the definitions", want)
		}
	}
}

// TestOTF2Python: the other reader finds as many.
func TestOTF2Python(t *testing.T) {
	effort.Full(t, "a second reader of OTF2")
	trace := twoPEs(t, hostile)
	manyEvents(trace, 50_000, 10)
	out, err := exec.Command("/usr/bin/python3", "-c", `
import otf2, sys, collections
from otf2.events import *
n = collections.Counter()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events: n[type(event).__name__] += 1
    for r in trace.definitions.regions: assert r.begin_line_number > 0 and r.source_file
print(n["Enter"], n["Leave"], n["RmaPut"], [l.name for l in trace.definitions.locations])`, filepath.Join(otf2Folder(t, trace), "traces.otf2")).CombinedOutput()
	if err != nil || string(out) != "50007 50007 1 ['PE 0', 'PE 1']\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOTF2Full: an archive that cannot be written is an error.
func TestOTF2Full(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "traces"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := twoPEs(t, "two").OTF2(folder); err == nil {
		t.Error("there is no error")
	}
}
