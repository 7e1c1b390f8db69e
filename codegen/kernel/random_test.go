package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/spmdc/spmdc/codegen/kernel"
)

// stride is the distance of a stream's elements, mostly 1.
func stride(r *rand.Rand, t Type) int {
	if t == Mask || r.IntN(3) > 0 {
		return 1
	}
	return []int{-1, 2, 2, 3, -2, -3, 4, -4, 5, 9, -7, 0}[r.IntN(12)]
}

// random makes a kernel of random operations on random types.
func random(r *rand.Rand, name string) *Kernel {
	k := New(name)
	types := [][]Type{{F64}, {F64}, {F32}, {F64, I32}, {F32, I32}, {I32}, {I64, I32}, {F64, F32}, {F64, F32, I32, I64}, {F64, I64}}[r.IntN(10)]
	pool := map[Type][]*Node{}
	add := func(n *Node) *Node { pool[n.Type] = append(pool[n.Type], n); return n }
	anyType := func() Type { return types[r.IntN(len(types))] }
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e300, -3}

	for i := range 1 + r.IntN(10) {
		s := k.Stream(fmt.Sprintf("in%d", i), anyType())
		k.Streams[s].Stride = stride(r, k.Streams[s].Type)
		for range 1 + r.IntN(2) {
			add(k.Load(s, r.IntN(4), nil))
		}
	}
	for i := range r.IntN(2) * r.IntN(3) {
		s := k.Stream(fmt.Sprintf("flag%d", i), Mask)
		add(k.Load(s, r.IntN(3), nil))
	}
	windows := 0
	for range r.IntN(4) * r.IntN(2) {
		windows = k.Window()
		s := k.Stream(fmt.Sprintf("win%d", windows), anyType())
		k.Streams[s].Window = windows
		add(k.Load(s, r.IntN(3), nil))
	}
	var sure []*Node // whose NaNs have one sign
	for t := range pool {
		if t == F64 || t == F32 {
			sure = append(sure, pool[t]...)
		}
	}
	for i := range r.IntN(4) {
		add(k.Scalar(fmt.Sprintf("c%d", i), anyType()))
	}
	if r.IntN(3) == 0 {
		of := 2 + r.IntN(5)
		block := k.Block("block", anyType(), of)
		for range 3 {
			add(k.InBlock(block, r.IntN(of)))
		}
	}
	for _, t := range types {
		if t == F64 || t == F32 {
			add(k.Float(t, special[r.IntN(len(special))]))
		} else {
			add(k.Int(t, r.IntN(1<<20)-1<<19))
			if r.IntN(2) == 0 {
				add(k.Lane(t))
			}
		}
	}
	if r.IntN(4) == 0 {
		// Indices that exist, by their bits, or hardly ever.
		for i := range 1 + r.IntN(2) {
			x := pool[k.Streams[0].Type][0]
			if x.Type == F64 || x.Type == F32 {
				x = k.Op(Conv, I32, x)
			}
			if x.Type == I32 {
				x = k.Op(Conv, I64, x)
			}
			switch r.IntN(6) {
			case 0:
			case 1, 2: // consecutive, but at the end of the table
				x = k.Op(BitAnd, I64, k.Op(Add, I64, k.Lane(I64), k.Int(I64, r.IntN(40))), k.Int(I64, 15|16*r.IntN(2)))
			default:
				x = k.Op(BitAnd, I64, x, k.Int(I64, 15))
			}
			add(k.Pick(k.Table(fmt.Sprintf("tab%d", i), anyType()), x, nil, false))
		}
	}
	for i := range r.IntN(3) {
		add(k.Acc(k.Reduce(fmt.Sprintf("r%d", i), anyType(), Sum)))
	}
	var ordered []int
	if t := anyType(); r.IntN(2) == 0 && (t == F64 || t == F32) {
		// Up to those that are added together.
		for i := range []int{1, 2, 3, 4, 8, 9, 17}[r.IntN(7)] {
			ordered = append(ordered, k.Ordered(fmt.Sprintf("o%d", i), t))
		}
	}
	alike := make([]Op, []int{0, 1, 1, 2}[r.IntN(4)]) // the steps of all of them, if not none
	for i := range alike {
		alike[i] = []Op{Add, Add, Sub, Mul}[r.IntN(4)]
	}
	constant := func(n *Node) bool { return n.Op == Const }
	pick := func(t Type) *Node {
		if len(pool[t]) == 0 {
			return nil
		}
		return pool[t][r.IntN(len(pool[t]))]
	}
	for range 4 + r.IntN(25) {
		t := anyType()
		x, y, m := pick(t), pick(t), pick(Mask)
		if x == nil || y == nil || constant(x) && constant(y) {
			continue
		}
		if r.IntN(5) == 0 {
			add(k.Op([]Op{Eq, Ne, Lt, Le, Gt, Ge}[r.IntN(6)], Mask, x, y))
			continue
		}
		if m != nil && r.IntN(5) == 0 {
			switch r.IntN(4) {
			case 0:
				add(k.Op(Not, Mask, m))
			case 1, 2:
				add(k.Op([]Op{And, Or}[r.IntN(2)], Mask, m, pick(Mask)))
			case 3:
				tab := slices.IndexFunc(k.Streams, func(s Stream) bool { return s.Table })
				switch {
				case r.IntN(3) == 0:
					t = Mask
				case tab >= 0 && len(pool[I64]) > 0:
					add(k.Pick(tab, k.Op(BitAnd, I64, pick(I64), k.Int(I64, 31)), m, r.IntN(2) == 0))
					continue
				}
				s := k.Stream(fmt.Sprintf("part%d", len(k.Streams)), t)
				k.Streams[s].Masked = true
				k.Streams[s].Stride = stride(r, k.Streams[s].Type)
				add(k.Load(s, r.IntN(3), m))
			}
			continue
		}
		if windows > 0 && r.IntN(5) == 0 {
			add(k.InWindow(1+r.IntN(windows), x, y))
			continue
		}
		if m != nil && r.IntN(3) == 0 {
			add(k.Op(Select, t, m, x, y))
			continue
		}
		if r.IntN(6) == 0 {
			if to := anyType(); to != t && !constant(x) {
				add(k.Op(Conv, to, x))
			}
			continue
		}
		unary := r.IntN(3) == 0 && !constant(x)
		switch {
		case (t == F64 || t == F32) && unary:
			switch how := r.IntN(6); how {
			case 0:
				add(k.Nearest(x))
			case Down, Up, Trunc:
				add(k.Whole(how, x))
			default:
				add(k.Op([]Op{Neg, Abs, Sqrt}[r.IntN(3)], t, x))
			}
		case t == F64 || t == F32:
			op := []Op{Add, Sub, Mul, Div, Max, Min, CopySign, FMA}[r.IntN(8)]
			switch {
			case op == FMA && t == F64:
				add(k.Op(FMA, t, x, y, pick(t)))
			case op == CopySign:
				for _, n := range sure {
					if n.Type == t {
						add(k.Op(CopySign, t, x, n))
						break
					}
				}
			case op != FMA:
				add(k.Op(op, t, x, y))
			}
		case unary:
			if t == I32 && r.IntN(3) == 0 {
				by := []int{2, 3, 7, 10, 8, 1 << 20, 1<<31 - 1, -2, -9, -64, -1 << 31}[r.IntN(11)]
				add(k.Quotient(x, by, r.IntN(2) == 0))
				continue
			}
			if t == I64 && r.IntN(3) == 0 {
				by := []int{2, 3, 7, 10, 1 << 10, 3072, 3073, 3074, 65537, 1<<31 - 1, 1 << 31, 1<<52 - 1, LargestDivisor, -2, -9, -65536, -LargestDivisor}[r.IntN(17)]
				add(k.Quotient(x, by, r.IntN(2) == 0))
				continue
			}
			switch r.IntN(5) {
			case 0:
				add(k.Shift(Shl, x, r.IntN(32)))
			case 1:
				add(k.Shift(Shr, x, r.IntN(32)))
			default:
				add(k.Op([]Op{Neg, Abs, BitNot}[r.IntN(3)], t, x))
			}
		default:
			add(k.Op([]Op{Add, Sub, Mul, Max, Min, BitAnd, BitOr, BitXor}[r.IntN(8)], t, x, y))
		}
	}
	last := func(t Type) *Node { // one of the last
		n := len(pool[t])
		return pool[t][max(0, n-1-r.IntN(4))]
	}
	for _, o := range ordered {
		t := k.Reductions[o].Type
		value := k.Acc(o)
		ops := alike
		for len(ops) == 0 || len(alike) == 0 && r.IntN(3) == 0 {
			ops = append(ops, []Op{Add, Add, Sub, Mul}[r.IntN(4)])
		}
		for _, op := range ops {
			term, m := last(t), pick(Mask)
			if r.IntN(3) == 0 && len(k.Streams) < 30 {
				term = k.Load(k.Stream(fmt.Sprintf("term%d", len(k.Streams)), t), r.IntN(2), nil)
			}
			old := value
			if value = k.Op(op, t, value, term); op == Mul {
				value = k.Op(op, t, term, old)
			}
			switch {
			case m != nil && r.IntN(3) == 0:
				value = k.Op(Select, t, m, value, old)
			case m != nil && r.IntN(3) == 0:
				value = k.Op(Select, t, m, old, value)
			case windows > 0 && r.IntN(2) == 0:
				value = k.InWindow(1+r.IntN(windows), value, old)
			}
		}
		if !k.UpdateInOrder(o, value) {
			panic("no steps")
		}
	}
	for i, red := range k.Reductions {
		if red.Ordered {
			continue
		}
		u := last(red.Type)
		if r.IntN(2) == 0 {
			u = k.Op(Add, red.Type, k.Acc(i), u)
		} else if red.Type == F64 && r.IntN(2) == 0 {
			u = k.Op(FMA, F64, u, last(F64), k.Acc(i))
		}
		k.Update(i, u)
	}
	for i := range min(len(pool[Mask]), r.IntN(3)) {
		m := pick(Mask)
		if r.IntN(2) == 0 {
			m = nil
		}
		s := k.Stream(fmt.Sprintf("to%d", i), Mask)
		k.Streams[s].Masked = m != nil && r.IntN(2) == 0
		k.Store(s, 0, last(Mask), m)
	}
	stores := r.IntN(3)
	idle := true // no reduction changes
	for i, red := range k.Reductions {
		idle = idle && !red.Ordered && red.Update.Op == Acc && red.Update.N == i
	}
	if idle {
		stores++
	}
	for w := range windows {
		if t := anyType(); r.IntN(2) == 0 && len(pool[t]) > 0 {
			s := k.Stream(fmt.Sprintf("outside%d", w), t)
			k.Streams[s].Window = w + 1
			k.Store(s, 0, last(t), nil)
			k.Stores[len(k.Stores)-1].Window = w + 1
		}
	}
	for i := range stores {
		t := anyType()
		if len(pool[t]) == 0 {
			t = k.Streams[0].Type
		}
		m := pick(Mask)
		if r.IntN(2) == 0 {
			m = nil
		}
		s := -1
		if i == 0 && r.IntN(2) == 0 { // one that is loaded too, at the same place
			for _, n := range pool[t] {
				if n.Op == Load && n.Off == 0 && len(n.Args) == 0 && k.Streams[n.N].Window == 0 && k.Streams[n.N].Stride > 0 {
					s = n.N
				}
			}
		}
		if s < 0 {
			s = k.Stream(fmt.Sprintf("out%d", i), t)
			k.Streams[s].Masked = m != nil && r.IntN(2) == 0
			k.Streams[s].Stride = stride(r, k.Streams[s].Type)
		}
		k.Store(s, 0, last(t), m)
	}
	if m := pick(Mask); m != nil && windows+len(ordered) == 0 && r.IntN(3) == 0 { // changes nothing elsewhere
		for i, red := range k.Reductions {
			k.Update(i, k.Op(Select, red.Type, m, red.Update, k.Acc(i)))
		}
		for i, s := range k.Stores {
			k.Stores[i].Mask = m
			if s.Mask != nil {
				k.Stores[i].Mask = k.Op(And, Mask, m, s.Mask)
			}
		}
	}
	k.Columns = len(k.Reductions)+windows == 0 && !k.Picks() && r.IntN(2) == 0
	return k
}

// pairs makes a kernel of random operations on values of two parts, of COMPLEX numbers or the
// like, with Together where codegen has it.
func pairs(r *rand.Rand, name string) *Kernel {
	k := New(name)
	t := []Type{F64, F64, F32}[r.IntN(3)]
	type value [2]*Node
	var pool, given []value
	for i := range 1 + r.IntN(4) {
		s := k.Stream(fmt.Sprintf("in%d", i), t)
		if k.Streams[s].Stride = 2; t == F64 && r.IntN(4) == 0 {
			k.Streams[s].Stride = 0
		}
		for range 1 + r.IntN(2) {
			off := r.IntN(4)
			pool = append(pool, value{k.Load(s, off, nil), k.Load(s, off+1, nil)})
		}
	}
	for i := range 1 + r.IntN(3) {
		c := value{k.Scalar(fmt.Sprintf("c%d", 2*i), t), k.Scalar(fmt.Sprintf("c%d", 2*i+1), t)}
		given = append(given, c, value{c[0], k.Float(t, float64(r.IntN(3)))}, value{c[1], c[1]})
	}
	block := k.Block("block", t, 4)
	given = append(given, value{k.InBlock(block, 3), k.InBlock(block, r.IntN(4))})
	op := func(o Op, x, y *Node) *Node { return k.Op(o, t, x, y) }
	pick := func() value {
		if r.IntN(4) == 0 {
			return given[r.IntN(len(given))]
		}
		return pool[r.IntN(len(pool))]
	}
	for range 1 + r.IntN(10) {
		x, y := pool[r.IntN(len(pool))], pick()
		if r.IntN(2) == 0 {
			k.Together(x[0], x[1])
			k.Together(y[0], y[1])
		}
		if r.IntN(2) == 0 {
			x, y = y, x
		}
		var z value
		switch o := []Op{Add, Sub, Mul, Mul, Mul, FMA, Neg, Swap, Div, NegOdd, Even}[r.IntN(11)]; o {
		case Add, Sub, Div:
			z = value{op(o, x[0], y[0]), op(o, x[1], y[1])}
		case Mul:
			z = value{op(Sub, op(Mul, x[0], y[0]), op(Mul, x[1], y[1])), op(Add, op(Mul, x[0], y[1]), op(Mul, x[1], y[0]))}
		case FMA:
			if t != F64 {
				continue
			}
			z = value{k.Op(FMA, t, x[0], y[0], k.Op(Neg, t, op(Mul, x[1], y[1]))), k.Op(FMA, t, x[0], y[1], op(Mul, x[1], y[0]))}
		case Neg:
			z = value{k.Op(Neg, t, x[0]), k.Op(Neg, t, x[1])}
		case Swap:
			z = value{x[1], x[0]}
		case NegOdd:
			z = value{x[0], k.Op(Neg, t, x[1])}
		case Even:
			z = value{x[r.IntN(2)], x[1]}
		}
		pool = append(pool, z)
	}
	for i := range 1 + r.IntN(2) {
		s := k.Stream(fmt.Sprintf("out%d", i), t)
		if k.Streams[s].Stride = 2; t == F64 && r.IntN(4) == 0 {
			k.Streams[s].Stride = 0
		}
		z := pool[max(0, len(pool)-1-r.IntN(3))]
		k.Store(s, 1, z[1], nil)
		k.Store(s, 0, z[0], nil)
	}
	k.Columns = r.IntN(2) == 0
	return k
}
