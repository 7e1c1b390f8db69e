package bench

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// ticks is how many the system counts in a second of a processor: USER_HZ, which is the
// same on all machines that Go runs on.
const ticks = 100

// load is what the processors have done since the machine was started, and what of it
// was done here: by this process and by those that it has waited for, in seconds.
func load() (all, own float64, known bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	words := bytes.Fields(line)
	if len(words) < 9 || string(words[0]) != "cpu" {
		return 0, 0, false
	}
	for i, w := range words[1:9] { // user nice system idle iowait irq softirq steal
		n, err := strconv.ParseFloat(string(w), 64)
		if err != nil {
			return 0, 0, false
		}
		if i != 3 && i != 4 {
			all += n / ticks
		}
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0, 0, false
		}
		own += seconds(u.Utime) + seconds(u.Stime)
	}
	return all, own, true
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
