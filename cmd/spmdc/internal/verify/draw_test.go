package verify

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir/transform"
)

// TestDrawn: a seed has one way to build its program; few seeds have all ways; what
// the command line says stays, and changes nothing else.
func TestDrawn(t *testing.T) {
	o := RandomOptions{Draw: true, Options: Options{PEs: []int{1, 3, 4, 7}}}
	seen := map[string]int{}
	plans := map[plan.Kind]int{}
	for seed := range uint64(400) {
		own := o.Drawn(seed)
		if !reflect.DeepEqual(own, o.Drawn(seed)) {
			t.Fatalf("seed %d has two ways to be built", seed)
		}
		own.features(seen)
		for _, k := range own.Plans {
			plans[k]++
		}
		fixed := o
		fixed.Plans, fixed.Compile.Strip = []plan.Kind{plan.Barrier}, 5
		got := fixed.Drawn(seed)
		if !slices.Equal(got.Plans, fixed.Plans) || got.Compile.Strip != 5 {
			t.Errorf("seed %d: %v is not what was asked for", seed, got)
		}
		got.Plans, got.Compile.Strip = own.Plans, own.Compile.Strip
		if !reflect.DeepEqual(own, got) {
			t.Errorf("seed %d: a fixed plan and strip change other options: %v, %v", seed, got.Flags(), own.Flags())
		}
	}
	var kinds []string
	for _, k := range transform.Kinds {
		kinds = append(kinds, string(k))
	}
	for _, name := range []string{
		"build:plain", "build:check", "prove:none", "prove:other numbers too", "prove:numbers it runs on",
		"built with:block=1", "built with:block=none", "built with:strip=1", "built with:strip=none", "built with:slots-memory=0", "built with:insert-barriers=1", "built with:insert-barriers=none",
		"built with:fp=strict", "built with:fp=fast", "built with:targets=go,avx2,avx512",
		"built with:no-transform=guard", "built with:no-transform=" + strings.Join(kinds, ","),
	} {
		if seen[name] == 0 {
			t.Errorf("400 programs do not have %q: %v", name, seen)
		}
	}
	for _, k := range plan.Kinds {
		if plans[k] < 10 {
			t.Errorf("plan %s is drawn %d times", k, plans[k])
		}
	}
	o.Draw = false
	if own := o.Drawn(7); own.Plain || own.Prove != nil || len(own.Plans) != len(plan.Kinds) || len(own.Flags()) != 1 {
		t.Errorf("nothing is to be drawn: %v", own.Flags())
	}
	o.Draw, o.Mutations = true, 1
	for seed := range uint64(40) {
		if o.Drawn(seed).Plain {
			t.Errorf("seed %d: mutations of a plain build", seed)
		}
	}
}

// TestFailingCommand: a failure comes with the command that repeats it.
func TestFailingCommand(t *testing.T) {
	o := RandomOptions{Draw: true, Hold: 1, Options: Options{PEs: []int{1, 3, 4}}}
	f := Failing{Seed: 12, Way: Way{plan.PopL96, kernel.AVX2}, PEs: 3, Options: Options{PEs: o.PEs, Plain: true}}
	f.Options.Compile.Strip, f.Options.Targets = 2, []kernel.Target{kernel.Go, kernel.AVX2}
	want := "spmdc verify --random=1 --seed=12 --no-draw --sync=popl96 -n 3 --prove=1,3,4 --targets=go,avx2 --plain --strip=2 --hold=1"
	if got := f.command(&o); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	o.Launch = driver.Launch{Transport: driver.Transport{MPI: "mpicc.mpich"}, Each: 2}
	want += " --transport=mpi --mpicc=mpicc.mpich --pes-per-rank=2"
	if got := f.command(&o); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	o.Launch = driver.Launch{}
	f.Way, f.PEs, f.Options = Way{Plan: plan.PopL96Literal}, 0, Options{Prove: []int{}}
	want = "spmdc verify --random=1 --seed=12 --no-draw --sync=popl96-literal --unsafe -n 1,3,4 --prove=none --hold=1"
	if got := f.command(&o); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}
