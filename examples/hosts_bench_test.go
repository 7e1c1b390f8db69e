package examples_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/hosts"
	"github.com/spmdc/spmdc/internal/rounds"
)

// BenchmarkHosts compares a value that goes from one host to another and back: in C with MPI_Send and MPI_Recv, in C by
// MPI's one-sided communication with a flag behind the value, by the run time's put with its flag, in an HPF program, which
// does that between loops, and in one with coarrays, by an assignment and SYNC IMAGES. The hosts are network namespaces that a
// cable of veth joins. The programs run in rounds, in each in another order; it gives the median of the times one way, and of
// their ratios to that of MPI_Send and MPI_Recv in the same round.
//
//	go test ./examples -run - -bench Hosts -benchtime=1x
//
// SPMDC_BENCH_ROUNDS=n sets the number of rounds, 7 if it is not set. Both processes poll: the machine needs two
// processors that nobody else uses.
func BenchmarkHosts(b *testing.B) {
	effort.Tool(b, "mpicc", "libopenmpi-dev")
	for _, v := range []string{"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"} {
		b.Setenv(v, "1")
	}
	// Each host takes all processors for its own, and would bind its process to the first.
	b.Setenv("OMPI_MCA_hwloc_base_binding_policy", "none")
	start, _ := hosts.Two(b)
	dir := b.TempDir()
	source := func(name string) string { return filepath.Join("testdata", "mpi", "pingpong", name) }
	c := func(program, from string) *exec.Cmd { return exec.Command("mpicc", "-O2", "-o", program, source(from)) }
	module := func(program, from string, args ...string) *exec.Cmd {
		spmdc(b, append([]string{"build", "-q", "--transport=mpi", source(from), "-o", program}, args...)...)
		return nil
	}
	programs := []struct {
		name  string
		build func(program string) *exec.Cmd
	}{
		{"C", func(p string) *exec.Cmd { return c(p, "pingpong.c") }},
		{"C-put", func(p string) *exec.Cmd { return c(p, "put.c") }},
		{"put", func(p string) *exec.Cmd {
			return exec.Command("go", "build", "-tags", "mpi", "-o", p, "./"+source("put"))
		}},
		// Without the messages one PE would be faster, which the compiler sees.
		{"hpf", func(p string) *exec.Cmd { return module(p, "pingpong.hpf", "--no-transform=gather") }},
		{"coarrays", func(p string) *exec.Cmd { return module(p, "pingpong.f90") }},
	}
	b.Setenv("CC", "mpicc")
	for _, p := range programs {
		if build := p.build(filepath.Join(dir, p.name)); build != nil {
			if out, err := build.CombinedOutput(); err != nil {
				b.Fatalf("%s: %v\n%s", p.name, err, out)
			}
		}
	}
	for range b.N {
		times, err := rounds.Run(len(programs), syncRounds(b), func(i, _ int) (float64, error) {
			command := slices.Concat(start, []string{"--leave-session-attached", "--map-by", "node", "-n", "2", "--mca", "osc", "^ucx", filepath.Join(dir, programs[i].name)})
			out, err := exec.Command(command[0], command[1:]...).Output()
			var micros, last float64
			if n, _ := fmt.Sscan(string(out), &micros, &last); err != nil || n != 2 || last < 20000 {
				return 0, fmt.Errorf("%s: %v, %q", programs[i].name, err, out)
			}
			return micros, nil
		})
		if err != nil {
			b.Fatal(err)
		}
		for i, list := range times {
			name := programs[i].name
			b.ReportMetric(rounds.Quantile(list, 0.5), "µs-"+name)
			if i > 0 {
				ratio, spread := rounds.Ratio(list, times[0])
				b.ReportMetric(ratio, name+"/C")
				b.ReportMetric(spread, name+"/C±")
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}
