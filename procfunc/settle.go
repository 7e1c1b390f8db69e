package procfunc

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// certainty: elements outside of the array's bounds are not moved. A reference
// that is evaluated in each iteration has none.
func (b *relationBuilder) certainty() {
	if b.c.Kind == comm.Pipeline {
		b.fails("its values arrive before the loop that sends the next ones")
	}
	clip := func(why string) {
		if b.r.Clip == "" {
			b.r.Clip = why + ", and what lies outside of the array is not sent"
		}
	}
	if b.c.Partial {
		clip("its references are read under a condition")
	}
	for _, g := range b.c.Ranges {
		if g.Unknown {
			b.fails("the range of " + g.Index + " is not known before the loop")
			continue
		}
		if g.OfOwner() {
			clip("a PE forwards what it owns also where the loop over " + b.c.Array.Source() + " is not executed")
		}
		if g.OfOverlap() {
			continue // within the array wherever the references are; else Clip
		}
		if g.Loop == nil {
			b.fails("its index is that of an implied DO")
			continue
		}
		own := b.f.Program.Info.Bounds(g.Loop)
		if !own.LoOK || !own.HiOK || own.Step != int64(g.Step) || !own.Lo.Equal(g.Lo) || !own.Hi.Equal(g.Hi) {
			clip("the range of " + g.Index + " is wider than the loop's own")
		}
	}
	if b.c.Region != nil && jumps(b.c.Region.Stmts) {
		clip("an EXIT or CYCLE may skip the references")
	}
	switch {
	case b.r.Clip != "":
		b.r.Elements = append(b.owned, b.r.Elements...)
	case b.c.Unowned:
		b.r.Elements, b.r.Clip = b.owned, "its consumers assign under a condition, and nobody executes what would assign outside of an array"
	default:
		b.r.Elements = nil
	}
}

func jumps(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s.(type) {
		case *ir.Exit, *ir.Cycle, *ir.Stop:
			found = true
		}
		return !found
	})
	return found
}

// settle resolves Same where the other party is known, names what is left, and
// notes which Vars matter.
func (b *relationBuilder) settle() {
	for d := range b.r.P {
		p, q := &b.r.P[d], &b.r.Q[d]
		if p.Kind == Same {
			switch q.Kind {
			case At:
				*p = *q
			case All:
				// Each coordinate to itself.
				// The blank keeps the name apart from all others.
				name := fmt.Sprintf("coordinate %d", d+1)
				b.r.Vars = append(b.r.Vars, Var{Name: name, Unknown: true})
				*p = Pos{Kind: At, Form: linalg.Var(name), Space: space(b.r.Grid, d, dist.Collapsed, 0, 0)}
				*q = *p
			default:
				p.Kind = Nowhere
			}
		}
		if p.Kind == All || p.Kind == Nowhere {
			b.fails("its producers are not known exactly")
		}
		if q.Kind == Nowhere {
			b.fails("its consumers are not known exactly")
		}
	}
	for i := range b.r.Vars {
		v := &b.r.Vars[i]
		for d := range b.r.P {
			for _, p := range []Pos{b.r.P[d], b.r.Q[d]} {
				if p.Kind == At && p.Form.Uses(v.Name) {
					v.Idle = false
				}
			}
		}
	}
}

// position is the template position of the PEs that satisfy k.
func position(k comm.Constraint) (*ir.Grid, int, Pos) {
	m := k.Array.Mapping
	if k.Axis < 0 {
		fx := m.Map.Fixed[-1-k.Axis]
		return m.Grid, fx.Grid, Pos{Kind: At, Form: linalg.Const(int64(fx.Pos)), Space: space(m.Grid, fx.Grid, fx.Format, fx.TLo, fx.THi)}
	}
	ax := m.Map.Axes[k.Axis]
	p := Pos{Kind: Nowhere, Space: space(m.Grid, ax.Grid, ax.Format, ax.TLo, ax.THi)}
	if f, ok := k.Sub.Scale(int64(ax.A)); ok {
		if f, ok = f.Add(linalg.Const(int64(ax.B))); ok {
			p.Kind, p.Form = At, f
		}
	}
	return m.Grid, ax.Grid, p
}

// sameGrid reports whether equal coordinates of a and b are equal PEs.
func sameGrid(a, b *ir.Grid) bool { return a == b || a.Rank == 1 && b.Rank == 1 }

func space(g *ir.Grid, dim int, format dist.Format, lo, hi int) Space {
	if g.Rank == 1 {
		g = nil
	}
	return Space{Grid: g, Dim: dim, Format: format, TLo: lo, THi: hi}
}
