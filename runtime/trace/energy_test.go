package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnergy reads a tree such as Linux has: of each package what was used, also where its counter
// began anew; zones inside of packages and other kinds do not count.
func TestEnergy(t *testing.T) {
	root := t.TempDir()
	put := func(zone, file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(root, zone), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, zone, file), []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for zone, name := range map[string]string{"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:1": "package-1", "intel-rapl-mmio:0": "package-0", "dtpm": "dtpm"} {
		put(zone, "name", name)
		put(zone, "max_energy_range_uj", "262143328850")
		put(zone, "energy_uj", "262143000000")
	}
	e := openEnergy(root)
	put("intel-rapl:0", "energy_uj", "262143100000") // 0.1 J
	put("intel-rapl:1", "energy_uj", "171150")       // 0.32885 J to the limit, and 0.17115 J
	e.read()
	put("intel-rapl:0", "energy_uj", "2000000") // 0.22885 J and 2 J
	got := e.end()
	if len(got.Zones) != 2 || got.Unreadable != "" || got.Text(0) != "energy: 2.83 J (package-0 2.33 J, package-1 0.500 J) of the whole machine" {
		t.Errorf("%+v: %s", got, got.Text(0))
	}
	if text := got.Text(10); !strings.HasSuffix(text, " of the whole machine, 0.283 J for each of 10 iterations") {
		t.Error(text)
	}
}

// TestNoEnergy: where there is nothing to read the reason is given, and no number.
func TestNoEnergy(t *testing.T) {
	root := t.TempDir()
	none := filepath.Join(root, "none")
	for want, root := range map[string]string{"energy: not readable here (" + none + ": no such file or directory)": none, "energy: not readable here (" + root + " has no counters of packages)": root} {
		if got := openEnergy(root).end(); got.Text(5) != want || got.Joules != 0 {
			t.Errorf("%s, want %s", got.Text(5), want)
		}
	}
	zone := filepath.Join(root, "intel-rapl:0")
	if err := os.Mkdir(zone, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"name", "max_energy_range_uj", "energy_uj"} {
		if got := openEnergy(root).end().Text(0); !strings.Contains(got, "not readable here ("+filepath.Join(zone, file)) {
			t.Errorf("without %s: %s", file, got)
		}
		if err := os.WriteFile(filepath.Join(zone, file), []byte("17"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
