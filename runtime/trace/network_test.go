package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNetwork reads a tree such as Linux has: what each interface has sent and received meanwhile. Where
// that is not known the reason is given, and no number.
func TestNetwork(t *testing.T) {
	root := t.TempDir()
	put := func(name, sent, received string) {
		t.Helper()
		folder := filepath.Join(root, name, "statistics")
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"tx_bytes": sent, "rx_bytes": received} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := openNetwork(root).end().Text(0); got != "network: not readable here ("+root+" has no interfaces)" {
		t.Error(got)
	}
	put("eth0", "1000", "20")
	put("ib0", "7", "8")
	put("lo", "5", "5")
	if err := os.WriteFile(filepath.Join(root, "bonding_masters"), nil, 0o666); err != nil { // no interface
		t.Fatal(err)
	}
	n := openNetwork(root)
	put("eth0", "2501000", "520")
	put("ib0", "2007", "8")
	const want = "network: eth0 sent 2.5 MB and received 500 bytes, ib0 sent 2 kB and received 0 bytes, of the whole machine"
	if got := n.end().Text(0); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := n.end().Text(10); !strings.HasSuffix(got, " of the whole machine, 250.2 kB for each of 10 iterations") {
		t.Error(got)
	}
	put("ib0", "3", "8")
	if got := n.end().Text(0); got != "network: not readable here (the counters of ib0 were reset)" {
		t.Error(got)
	}
	if got := openNetwork(filepath.Join(root, "none")).end().Text(0); !strings.HasPrefix(got, "network: not readable here ("+filepath.Join(root, "none")) {
		t.Error(got)
	}
	put("lo", "5", "many")
	if got := openNetwork(root).end(); !strings.Contains(got.Text(0), "lo/statistics/rx_bytes has no number") || got.Interfaces != nil {
		t.Error(got.Text(0))
	}
}
