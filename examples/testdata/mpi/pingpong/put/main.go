//go:build mpi

// An element is put from PE 0 to PE 1 with its arrival flag, and another back, as emitted programs do. It prints µs one way, and
// a value that has gone through all trips.
package main

import (
	"fmt"
	"time"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/spmd"
	_ "github.com/spmdc/spmdc/runtime/transport/mpi"
)

const trips = 20000

func main() {
	spmd.Main(spmd.Program{Name: "put", Sites: []spmd.Site{{ID: 0, Kind: "shift", Ref: "a(1)"}, {ID: 1, Kind: "shift", Ref: "b(2)"}}}, run)
}

func run(pe *spmd.PE) {
	pair := pe.Layout(dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 2, Format: dist.Block, TLo: 1, THi: 2, A: 1}}}, pe.Grid(0))
	a := spmd.NewArray[float64](pe, "a", pair, [][2]int{{1, 0}})
	b := spmd.NewArray[float64](pe, "b", pair, [][2]int{{0, 1}})
	there := spmd.NewComm[float64](pe, 0, a, nil).Sync(spmd.Elided)
	back := spmd.NewComm[float64](pe, 1, b, nil).Sync(spmd.Elided)
	pe.Start()
	single := func(q, at int) spmd.Box {
		if q != 2-at {
			return nil
		}
		return pe.Box(dist.Single(at))
	}
	there.Needs(func(q int) spmd.Box { return single(q, 1) }) // PE 1 needs a(1)
	back.Needs(func(q int) spmd.Box { return single(q, 2) })  // PE 0 needs b(2)
	begin := time.Now()
	for range trips {
		there.Post()
		there.Wait()
		if pe.ID() == 1 {
			b.Data[b.At1(2)] = a.Data[a.At1(1)] + 1
		}
		there.Done()
		back.Post()
		back.Wait()
		if pe.ID() == 0 {
			a.Data[a.At1(1)] = b.Data[b.At1(2)]
		}
		back.Done()
	}
	if pe.ID() == 0 {
		fmt.Printf("%.4f %.0f\n", float64(time.Since(begin).Nanoseconds())/1e3/trips/2, a.Data[a.At1(1)])
	}
}
