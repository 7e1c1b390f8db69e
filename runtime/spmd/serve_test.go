package spmd

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// A server runs what it is asked for, each run with input and arguments of its own,
// and ends with its input.
func TestServe(t *testing.T) {
	units := map[string]Unit{
		"double": {sites(2), func(pe *PE) {
			pe.Start()
			var x int
			pe.Read(1, nil, &x)
			if pe.ID() == 0 {
				pe.Print(int32(2*x), int32(pe.N()))
			}
		}},
		"stops": {Program{Name: "stops", File: "prog.hpf"}, func(pe *PE) {
			pe.Start()
			pe.Stop(3)
		}},
	}
	var requests, replies bytes.Buffer
	w := bufio.NewWriter(&requests)
	writeList(w, "double", "21\n", "-n", "3")
	writeList(w, "stops", "", "-n", "2")
	writeList(w, "double", "4\n", "-n", "1")
	writeList(w, "double", "", "-n", "0")
	w.Flush()
	if err := serve(units, &requests, &replies); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(&replies)
	for i, want := range [][]string{
		{"0", "          42           3\n", "", "spmdc trace 1, 3 PEs\n"},
		{"3", "", "STOP 3\n", ""},
		{"0", "           8           1\n", "", "spmdc trace 1, 1 PEs\n"},
		{"2", "", "test: -n 0", ""},
	} {
		got, err := readList(in)
		if err != nil || len(got) != 4 {
			t.Fatalf("reply %d: %q, %v", i, got, err)
		}
		for k := range want {
			if !strings.HasPrefix(got[k], want[k]) || want[k] == "" && got[k] != "" {
				t.Errorf("reply %d, word %d: %q, want %q", i, k, got[k], want[k])
			}
		}
	}
	if rest, err := readList(in); err == nil {
		t.Errorf("one more reply: %q", rest)
	}

	for name, text := range map[string]string{
		"it ends within a list":        "\x02\x06doub",
		"there is no program \"half\"": "\x02\x04half\x00",
		"1 words":                      "\x01\x06double",
	} {
		if err := serve(units, strings.NewReader(text), &replies); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v, want %s", text, err, name)
		}
	}
}
