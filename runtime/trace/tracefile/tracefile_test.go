package tracefile

import (
	"bytes"
	"reflect"
	"testing"
)

// sample is a trace of two PEs, and its events by PE and level.
func sample(t *testing.T) ([]byte, map[[2]int][]Event) {
	t.Helper()
	d := &Definitions{
		Program: "p", PEs: 2, Seconds: 1,
		Regions: []RegionDef{{Parent: -1, Kind: "program", Name: "p", File: "p.hpf", Line: 1, Last: 9}, {Parent: 0, Kind: "loop", Line: 2, Last: 3}},
		Sites:   []SiteDef{{File: "p.hpf", Line: 2, Kind: "shift", Reference: "<b>\"u(i-1)\"", Counts: make([]Count, 2)}},
		Kept:    []Kept{{Every: 1}, {Every: 1}},
	}
	var list []Event
	for i := range 100 {
		list = append(list, Event{Kind: Region, ID: 1, Began: int64(1000*i + 5), Took: int64(i), Number: uint64(i), Peer: -1})
	}
	all := map[[2]int][]Event{
		{0, 0}:        {{Kind: Region, Began: -3, Took: 1 << 40, Peer: -1}},
		{0, 1}:        list,
		{0, Messages}: {{Kind: Put, Began: 7, Took: 1, Number: 1, Peer: 1, Buffer: 3, Bytes: 800}, {Kind: Reduction, ID: -1, Began: 5, Took: 9, Number: 1 << 62, Peer: -1}},
		{1, Messages}: {{Kind: Arrival, Began: 7, Took: 1, Number: 1, Buffer: 3}},
	}
	var b bytes.Buffer
	w := NewWriter(&b, d)
	for _, key := range [][2]int{{0, 0}, {0, 1}, {0, Messages}, {1, Messages}} {
		w.Events(key[0], key[1], all[key])
	}
	w.Events(1, 0, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), all
}

func read(t *testing.T, text []byte) (*File, error) {
	t.Helper()
	return Read(bytes.NewReader(text), int64(len(text)))
}

// TestRoundTrip: what was written is read, chunk by chunk.
func TestRoundTrip(t *testing.T) {
	text, all := sample(t)
	f, err := read(t, text)
	if err != nil || f.Cut != "" || len(f.Chunks) != len(all) || f.Sites[0].Reference != "<b>\"u(i-1)\"" {
		t.Fatalf("%v, cut %q, %d chunks", err, f.Cut, len(f.Chunks))
	}
	for _, c := range f.Chunks {
		got, err := f.Events(c)
		if want := all[[2]int{c.PE, c.Level}]; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("PE %d, level %d: %v, %v\nwant %v", c.PE, c.Level, err, got, want)
		}
		for _, e := range got {
			if e.Began < c.From || e.Began+e.Took > c.To {
				t.Errorf("PE %d, level %d: event at %d lies outside of %d to %d", c.PE, c.Level, e.Began, c.From, c.To)
			}
		}
	}
}

// TestCut: of a file that was cut off anywhere the chunks that are whole are read.
func TestCut(t *testing.T) {
	text, all := sample(t)
	whole, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for n := range text {
		f, err := read(t, text[:n])
		if err != nil {
			if n >= int(whole.Chunks[0].at) {
				t.Errorf("%d bytes: %v, though the definitions are whole", n, err)
			}
			continue
		}
		if f.Cut == "" {
			t.Errorf("%d bytes of %d are taken for all", n, len(text))
		}
		want := 0
		for _, c := range whole.Chunks {
			if c.at+headerSize+c.size <= int64(n) {
				want++
			}
		}
		if len(f.Chunks) != want {
			t.Errorf("%d bytes: %d chunks, want %d", n, len(f.Chunks), want)
		}
		most = max(most, len(f.Chunks))
		for _, c := range f.Chunks {
			if got, err := f.Events(c); err != nil || !reflect.DeepEqual(got, all[[2]int{c.PE, c.Level}]) {
				t.Errorf("%d bytes, PE %d, level %d: %v, %v", n, c.PE, c.Level, got, err)
			}
		}
	}
	if most != len(all) {
		t.Errorf("at most %d chunks of %d were read", most, len(all))
	}
}

// TestDamage: a byte that is wrong is noticed, and nothing is read that was not written.
func TestDamage(t *testing.T) {
	text, all := sample(t)
	for at := range text {
		bad := bytes.Clone(text)
		bad[at] ^= 0x41
		f, err := read(t, bad)
		if err != nil {
			continue
		}
		events := 0
		noticed := f.Cut != ""
		for _, c := range f.Chunks {
			got, err := f.Events(c)
			if err != nil {
				noticed = true
				continue
			}
			events += len(got)
			if !reflect.DeepEqual(got, all[[2]int{c.PE, c.Level}]) {
				t.Errorf("byte %d: PE %d, level %d: %v", at, c.PE, c.Level, got)
			}
		}
		if !noticed {
			t.Errorf("byte %d: %d events are read, and nothing is noticed", at, events)
		}
	}
}
