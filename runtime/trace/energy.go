package trace

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// The energy that the processors use is read from the counters of Linux, one for each package,
// which count microjoules and begin anew at a limit: they are read often enough that none does
// so twice in between. They count what the whole machine does.
// Source: Documentation/power/powercap/powercap.rst of Linux.

// powercap is where the counters are.
const powercap = "/sys/class/powercap"

// energyPeriod is how often counters are read. At 1 kW a counter of 32 bits goes round in 71 min.
const energyPeriod = time.Minute

// energy reads the counters during a run.
type energy struct {
	zones []*zone
	why   string // why there are none
	stop  chan struct{}
	mu    sync.Mutex
}

// zone is a package of processors.
type zone struct {
	name   string
	file   string // of its counter
	limit  uint64 // the counter is never greater
	last   uint64
	joules float64
}

var packageZone = regexp.MustCompile(`^intel-rapl:[0-9]+$`)

// openEnergy begins to count, with the counters below a folder.
func openEnergy(root string) *energy {
	e := &energy{stop: make(chan struct{})}
	fail := func(err error) *energy {
		e.zones, e.why = nil, reason(err)
		return e
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return fail(err)
	}
	for _, entry := range entries {
		if !packageZone.MatchString(entry.Name()) {
			continue
		}
		folder := filepath.Join(root, entry.Name())
		name, err := os.ReadFile(filepath.Join(folder, "name"))
		if err != nil {
			return fail(err)
		}
		z := &zone{name: strings.TrimSpace(string(name)), file: filepath.Join(folder, "energy_uj")}
		if z.limit, err = counter(filepath.Join(folder, "max_energy_range_uj")); err == nil {
			z.last, err = counter(z.file)
		}
		if err != nil {
			return fail(err)
		}
		e.zones = append(e.zones, z)
	}
	if len(e.zones) == 0 {
		return fail(errors.New(root + " has no counters of packages"))
	}
	go e.watch()
	return e
}

// counter reads a number.
func counter(file string) (uint64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, errors.New(file + " has no number")
	}
	return n, nil
}

func (e *energy) watch() {
	t := time.NewTicker(energyPeriod)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			e.read()
		case <-e.stop:
			return
		}
	}
}

// read adds what has been used since it was called last.
func (e *energy) read() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, z := range e.zones {
		now, err := counter(z.file)
		if err != nil {
			e.zones, e.why = nil, err.Error()
			return
		}
		used := now - z.last
		if now < z.last { // it began anew behind limit
			used = z.limit - z.last + now
		}
		z.joules += float64(used) / 1e6
		z.last = now
	}
}

// end is what was used. It is called once.
func (e *energy) end() *tracefile.Energy {
	close(e.stop)
	e.read()
	e.mu.Lock()
	defer e.mu.Unlock()
	out := &tracefile.Energy{Unreadable: e.why}
	for _, z := range e.zones {
		out.Joules += z.joules
		out.Zones = append(out.Zones, tracefile.Zone{Name: z.name, Joules: z.joules})
	}
	return out
}
