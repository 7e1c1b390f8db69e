package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir/transform"
)

// Drawn says how the random program of a seed is verified: as the command line says,
// and what that leaves open is drawn, from the seed alone. So all ways of building a
// program are tried, and each is known again by the seed. Fixing one option does
// not change what is drawn for the others.
func (o *RandomOptions) Drawn(seed uint64) Options {
	own := o.Options
	if !o.Draw {
		if own.Plans == nil {
			own.Plans = plan.Kinds
		}
		return own
	}
	r := rand.New(rand.NewPCG(seed, 0x6275696c64))
	plans := []plan.Kind{plan.Elide}
	if other := plan.Kinds[1+r.IntN(len(plan.Kinds)-1)]; r.IntN(4) == 0 {
		plans = append(plans, other)
	}
	if own.Plans == nil {
		own.Plans = plans
	}
	// What a plain build records or waits for cannot be looked at.
	if r.IntN(2) == 0 && !o.Checkpoints && o.Mutations == 0 {
		own.Plain = true
	}
	some := []int{}
	for _, i := range rand.New(rand.NewPCG(seed, 0x50457)).Perm(len(o.PEs))[:min(3, len(o.PEs))] {
		some = append(some, o.PEs[i]) // proofs for all of them take long
	}
	slices.Sort(some)
	prove := [][]int{some, {}, numbersOfPEs(r)}[r.IntN(3)]
	if own.Prove == nil {
		own.Prove = prove
	}
	strip := []int{0, 0, 0, 1, 2, 3, 7, -1}[r.IntN(8)]
	if own.Compile.Strip == 0 {
		own.Compile.Strip = strip
	}
	block := []int{0, 1, 1, 2, 3, 7, -1}[rand.New(rand.NewPCG(seed, 0x626c6f636b)).IntN(7)]
	if own.Compile.Block == 0 {
		own.Compile.Block = block
	}
	memory := []int64{0, 0, 0, -1}[r.IntN(4)]
	if own.Compile.SlotsMemory == 0 {
		own.Compile.SlotsMemory = memory
	}
	barriers := []float64{0, 0, 0, 1, 5, 30, -1}[r.IntN(7)]
	if own.Compile.BarrierThreshold == 0 {
		own.Compile.BarrierThreshold = barriers
	}
	more := rand.New(rand.NewPCG(seed, 0x746172676574))
	fp := append([]codegen.FP{"", "", ""}, codegen.FPs[1:]...)[more.IntN(5)]
	if own.Compile.FP == "" {
		own.Compile.FP = fp
	}
	targets := [][]kernel.Target{nil, nil, kernel.Targets[1:]}[more.IntN(3)]
	if own.Targets == nil && own.Compile.Target == "" && own.Plain {
		own.Targets = targets
	}
	without := [][]transform.Kind{nil, nil, nil, transform.Kinds, {transform.Kinds[r.IntN(len(transform.Kinds))]}}[r.IntN(5)]
	if own.Compile.Without == nil {
		own.Compile.Without = without
	}
	return own
}

// numbersOfPEs draws some for which a plan is made, whatever it then runs on.
func numbersOfPEs(r *rand.Rand) []int {
	var list []int
	for range 1 + r.IntN(3) {
		list = append(list, 2+r.IntN(9))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// proved are the numbers of PEs that plans are made for.
func (o *Options) proved() []int {
	if o.Prove == nil {
		return o.PEs
	}
	return o.Prove
}

// Flags are the flags of the command line that say how programs are built, but for
// --sync.
func (o *Options) Flags() []string {
	prove := "none"
	if list := list(o.proved()); list != "" {
		prove = list
	}
	flags := []string{"--prove=" + prove}
	add := func(is bool, format string, args ...any) {
		if is {
			flags = append(flags, fmt.Sprintf(format, args...))
		}
	}
	c := &o.Compile
	add(o.Targets != nil, "--targets=%s", listed(o.Targets))
	add(c.Target != "", "--target=%s", c.Target)
	add(c.FP != "", "--fp=%s", c.FP)
	add(o.Plain, "--plain")
	add(c.Strip > 0, "--strip=%d", c.Strip)
	add(c.Strip < 0, "--strip=none")
	add(c.Block > 0, "--block=%d", c.Block)
	add(c.Block < 0, "--block=none")
	add(c.SlotsMemory > 0, "--slots-memory=%d", c.SlotsMemory>>20)
	add(c.SlotsMemory < 0, "--slots-memory=0")
	add(c.BarrierThreshold > 0, "--insert-barriers=%v", c.BarrierThreshold)
	add(c.BarrierThreshold < 0, "--insert-barriers=none")
	var kinds []string
	for _, k := range c.Without {
		kinds = append(kinds, string(k))
	}
	add(len(kinds) > 0, "--no-transform=%s", strings.Join(kinds, ","))
	return flags
}

// listed writes targets as the flag has them.
func listed(targets []kernel.Target) string {
	words := make([]string, len(targets))
	for i, t := range targets {
		words[i] = string(t)
	}
	return strings.Join(words, ",")
}

// features counts how a program is built, as randprog counts what is in it.
func (o *Options) features(count map[string]int) {
	build, prove := "check", "numbers it runs on"
	if o.Plain {
		build = "plain"
	}
	switch list := o.proved(); {
	case len(list) == 0:
		prove = "none"
	case slices.ContainsFunc(list, func(n int) bool { return !slices.Contains(o.PEs, n) }):
		prove = "other numbers too"
	}
	count["build:"+build]++
	count["prove:"+prove]++
	for _, f := range o.Flags() {
		if f == "--plain" || strings.HasPrefix(f, "--prove=") {
			continue
		}
		count["built with:"+strings.TrimPrefix(f, "--")]++
	}
}

// command is a command line that verifies the failing program alone, in the way it
// fails. But for --random, --seed and --no-draw it does so for a file too.
func (f *Failing) command(o *RandomOptions) string {
	words := []string{"spmdc verify --random=1", fmt.Sprintf("--seed=%d --no-draw", f.Seed), "--sync=" + string(f.Plan)}
	if o.Generator != "" {
		words = append(words, "--generator="+o.Generator)
	}
	if !f.Plan.Sound() {
		words = append(words, "--unsafe")
	}
	pes := o.PEs
	if f.PEs > 0 {
		pes = []int{f.PEs}
	}
	words = append(append(words, "-n "+list(pes)), f.Options.Flags()...)
	for _, n := range []struct {
		flag  string
		value int
	}{{"hold", o.Hold}, {"mutations", o.Mutations}} {
		if n.value > 0 {
			words = append(words, fmt.Sprintf("--%s=%d", n.flag, n.value))
		}
	}
	if o.Checkpoints {
		words = append(words, "--checkpoints")
	}
	return strings.Join(append(words, o.Launch.Flags()...), " ")
}
