package abstract

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestGenerator: the random programs contain what the analysis has to cope with.
func TestGenerator(t *testing.T) {
	seen := map[string]int{}
	for i := range 500 {
		p := Generate(rand.New(rand.NewPCG(3, uint64(i))))
		seen[fmt.Sprintf("%d PEs", p.PEs)]++
		var list func(l []*Stmt, depth int)
		list = func(l []*Stmt, depth int) {
			for _, s := range l {
				seen[[...]string{"loop", "if", "exit", "cycle", "stop", "group", "pipe", "reduce", "barrier", "used twice", "used either", "one of"}[s.Kind]]++
				for name, there := range map[string]bool{
					"zero trips": s.Kind == Loop && s.Least == 0, "endless": s.Endless, "together": s.Kind != Pipe && len(s.Comms) > 1,
					"something in flight": len(s.Flight) > 0, "nest of 3": s.Kind == Loop && depth == 2,
				} {
					if there {
						seen[name]++
					}
				}
				for _, c := range s.Comms {
					seen[[...]string{"shift", "rotate", "broadcast", "gather", "reverse", "pair", "all", "random"}[c.Shape.Kind]]++
					for name, there := range map[string]bool{"varies": c.Shape.By != nil, "holes": c.Shape.Holes != nil, "uncertain": c.Shape.Maybe, "shared cells": c.Class > 0} {
						if there {
							seen[name]++
						}
					}
				}
				next := depth
				if s.Kind == Loop {
					next++
				}
				list(s.Flight, depth)
				list(s.Body, next)
				list(s.Other, depth)
			}
		}
		list(p.Body, 0)
		if Build(p).Comms() == 0 {
			t.Errorf("program %d communicates nothing", i)
		}
	}
	for _, want := range []string{
		"1 PEs", "2 PEs", "3 PEs", "4 PEs", "5 PEs", "loop", "if", "exit", "cycle", "stop", "group", "pipe", "reduce", "barrier", "used twice", "used either", "one of",
		"zero trips", "endless", "together", "something in flight", "nest of 3", "varies", "holes", "uncertain", "shared cells",
		"shift", "rotate", "broadcast", "gather", "reverse", "pair", "all", "random",
	} {
		if seen[want] < 5 {
			t.Errorf("%d times %q", seen[want], want)
		}
	}
}
