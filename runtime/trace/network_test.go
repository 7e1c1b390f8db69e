package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNetwork reads a file such as Linux has: what each interface has sent and received meanwhile. Where
// that is not known the reason is given, and no number.
func TestNetwork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dev")
	put := func(lines ...string) {
		t.Helper()
		text := "Inter-|   Receive                                                |  Transmit\n" +
			" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
		if err := os.WriteFile(file, []byte(text+strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	line := func(name string, received, sent int64) string {
		return fmt.Sprintf("%6s: %d 3 0 0 0 0 0 0 %d 7 0 0 0 0 0 0\n", name, received, sent)
	}
	put(line("eth0", 20, 1000), line("ib0", 8, 7), line("lo", 5, 5))
	n := openNetwork(file)
	put(line("eth0", 520, 2501000), line("ib0", 8, 2007), line("lo", 5, 5))
	const want = "network: eth0 sent 2.5 MB and received 500 bytes, ib0 sent 2 kB and received 0 bytes, of the whole machine"
	if got := n.end().Text(0); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := n.end().Text(10); !strings.HasSuffix(got, " of the whole machine, 250.2 kB for each of 10 iterations") {
		t.Error(got)
	}
	for _, x := range []struct{ line, why string }{
		{line("ib0", 8, 3), "the counters of ib0 were reset"}, {"", file + " has no interfaces"},
		{"lo: 5 many\n", file + " has no counters of lo"}, {strings.Replace(line("lo", 5, 5), "5", "x", 1), file + " has no counters of lo"},
	} {
		put(x.line)
		if got := n.end(); got.Text(0) != "network: not readable here ("+x.why+")" || got.Interfaces != nil {
			t.Errorf("%s, want %s", got.Text(0), x.why)
		}
	}
	if got := openNetwork(file + "0").end().Text(0); !strings.HasPrefix(got, "network: not readable here ("+file+"0: ") {
		t.Error(got)
	}
}
