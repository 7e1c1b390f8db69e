package traces

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// field is a field of a message of protocol buffers.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

// decode takes a message apart.
func decode(t *testing.T, b []byte) (list []field) {
	t.Helper()
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatal("the message has a bad tag")
		}
		b = b[n:]
		f := field{number: int(tag >> 3)}
		switch tag & 7 {
		case 0:
			f.value, n = binary.Uvarint(b)
			if n <= 0 {
				t.Fatal("the message has a bad number")
			}
		case 1:
			n = 8
			f.value = binary.LittleEndian.Uint64(b)
		case 2:
			size, k := binary.Uvarint(b)
			if k <= 0 || int(size) > len(b)-k {
				t.Fatalf("field %d is longer than the message", f.number)
			}
			f.bytes, n = b[k:k+int(size)], k+int(size)
		default:
			t.Fatalf("field %d has wire type %d", f.number, tag&7)
		}
		b = b[n:]
		list = append(list, f)
	}
	return list
}

// first is the first field with a number; ok: there is one.
func first(list []field, number int) (f field, ok bool) {
	for _, f := range list {
		if f.number == number {
			return f, true
		}
	}
	return f, false
}

// TestPerfetto decodes packets by their published numbers: slices are nested, time does not go
// back on a track, and the flow of the put ends in its wait.
func TestPerfetto(t *testing.T) {
	var b bytes.Buffer
	if err := twoPEs(t, "two").Perfetto(&b); err != nil {
		t.Fatal(err)
	}
	var slices []string
	tracks := map[uint64]string{}
	depth, last := map[uint64]int{}, map[uint64]uint64{}
	flows := map[uint64]string{}
	for _, p := range decode(t, b.Bytes()) {
		if p.number != 1 {
			t.Fatalf("field %d of a trace", p.number)
		}
		packet := decode(t, p.bytes)
		if d, ok := first(packet, 60); ok {
			track := decode(t, d.bytes)
			id, _ := first(track, 1)
			name, _ := first(track, 2)
			tracks[id.value] = string(name.bytes)
			continue
		}
		at, _ := first(packet, 8)
		x, ok := first(packet, 11)
		if !ok {
			t.Fatal("a packet is neither a track nor an event")
		}
		event := decode(t, x.bytes)
		kind, _ := first(event, 9)
		track, _ := first(event, 11)
		if tracks[track.value] == "" || at.value < last[track.value] {
			t.Errorf("an event at %d of track %d, after %d", at.value, track.value, last[track.value])
		}
		last[track.value] = at.value
		if kind.value == 2 {
			depth[track.value]--
			continue
		}
		name, _ := first(event, 23)
		slices = append(slices, tracks[track.value]+strings.Repeat(".", depth[track.value]+1)+string(name.bytes))
		depth[track.value]++
		if f, ok := first(event, 47); ok {
			flows[f.value] += "from " + string(name.bytes)
		}
		if f, ok := first(event, 48); ok {
			flows[f.value] += " to " + string(name.bytes)
		}
	}
	want := []string{"PE 0.program two", "PE 0..loop i", "PE 0..put: shift u(i-1)two", "PE 0..reduction: sum s",
		"PE 1.program two", "PE 1..wait for arrival: shift u(i-1)two", "PE 1..reduction: sum s"}
	if !reflect.DeepEqual(slices, want) {
		t.Errorf("slices %q,\nwant %q", slices, want)
	}
	if len(flows) != 1 || flows[1] != "from put: shift u(i-1)two to wait for arrival: shift u(i-1)two" {
		t.Errorf("flows %v", flows)
	}
	for track, n := range depth {
		if n != 0 {
			t.Errorf("%d slices of track %d are open at the end", n, track)
		}
	}
}

// TestCSV: a line for each event, and texts of a source are neither formulas nor lines of
// their own.
func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := twoPEs(t, "="+hostile).CSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 8 {
		t.Fatalf("%v: %d rows", err, len(rows))
	}
	for _, row := range rows[1:] {
		for _, c := range row {
			if c != "-1" && strings.ContainsAny(c[:min(1, len(c))], "=+-@") || strings.ContainsAny(c, "\x00\x1b\n") {
				t.Errorf("%q is a cell", c)
			}
		}
	}
	if got := strings.Join(rows[3], "|"); !strings.HasPrefix(got, "0|put|put: shift u(i-1)=") || !strings.HasSuffix(got, "|a.hpf|9|800|10|1|1|0|80") {
		t.Errorf("the put is %q", got)
	}
}

// TestPProf: by the published message format, the profile has the time of each place itself.
func TestPProf(t *testing.T) {
	var b bytes.Buffer
	if err := twoPEs(t, "two").PProf(&b); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var names []string               // field 6 of a profile
	functions := map[uint64]uint64{} // field 5: by id (1), the name (2)
	locations := map[uint64]uint64{} // field 4: by id (1), the function (1) of line (4)
	time := map[uint64]uint64{}      // field 2, sample: by the first location (1), the second value (2)
	for _, f := range decode(t, text) {
		var id, value uint64
		values := 0
		if f.number == 2 || f.number == 4 || f.number == 5 {
			for _, x := range decode(t, f.bytes) {
				switch {
				case x.number == 1 && id == 0:
					id = x.value
				case x.number == 2 && f.number != 4:
					values++
					value = x.value
				case x.number == 4 && f.number == 4:
					value = decode(t, x.bytes)[0].value
				}
			}
		}
		switch f.number {
		case 2:
			if values != 2 {
				t.Errorf("a sample has %d values", values)
			}
			time[id] += value
		case 4:
			locations[id] = value
		case 5:
			functions[id] = value
		case 6:
			names = append(names, string(f.bytes))
		}
	}
	got, sum := map[string]uint64{}, uint64(0)
	for place, ns := range time {
		got[names[functions[locations[place]]]] = ns
		sum += ns
	}
	if got["wait for arrival: shift u(i-1)two, line 9"] != 720 || got["loop i, line 5"] != 700 || sum != 2000 {
		t.Errorf("%d ns: %v", sum, got)
	}
}

// TestPProfTool: Go's own tool reads the profile, and shows lines of the source.
func TestPProfTool(t *testing.T) {
	effort.Full(t, "the go command compiles pprof when it is first used")
	file := filepath.Join(t.TempDir(), "profile")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := twoPEs(t, "two").PProf(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	out, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=20", "-nodefraction=0", "-unit=ns", "-sample_index=time", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := strings.Join(strings.Fields(string(out)), " ")
	for _, want := range []string{"720ns 36.00%", "wait for arrival: shift u(i-1)two, line 9", "700ns 35.00%", "loop i, line 5", "2000ns 100% program two, line 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestKnown: each form begins as is said, so that nothing else is replaced by it.
func TestKnown(t *testing.T) {
	for _, f := range Formats {
		if f.Folder != nil {
			continue
		}
		var b bytes.Buffer
		if err := f.Write(twoPEs(t, hostile), &b); err != nil || !strings.HasPrefix(b.String(), f.Begins) || len(f.Begins) < 12 {
			t.Errorf("%s: %v: begins with %q, want %q", f.Name, err, b.String()[:min(30, b.Len())], f.Begins)
		}
	}
}
