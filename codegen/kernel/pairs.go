package kernel

import (
	"cmp"
	"fmt"
	"slices"
)

// A kernel that stores two neighbours in each iteration, as the parts of a COMPLEX number are,
// has two lanes for an iteration in vector code, if it does the same for both:
//
//	do i = 1, n                    // lanes: re(y(1)), im(y(1)), re(y(2)), ...
//	   y(i) = w*(a(i) - b(i))      y = re(w)*d + alternate(im(w)*swapped(d)), d = a - b
//	end do
//
// It loads and stores consecutive elements then, or the two of an iteration at once where those of
// the next are at a distance that is passed. Go computes the two as they were described,
// with the same operations on each: only a difference may be the sum with the negative number,
// and the sides of a sum or product may change places.

// pairing makes such a form.
type pairing struct {
	from, to *Kernel
	done     map[[2]*Node]*Node // nil: there is none
}

// Together notes that two values are the parts of one.
func (k *Kernel) Together(re, im *Node) {
	if re != im && k.second[re] == nil && k.first[im] == nil {
		k.second[re], k.first[im] = im, re
	}
}

// Paired reports whether vector code has two lanes for each iteration.
func (k *Kernel) Paired() bool { return k.pairs() != nil }

// pairs is the kernel with lanes for both parts, nil if they do not do the same.
func (k *Kernel) pairs() *Kernel {
	if len(k.Reductions)+k.windows > 0 || len(k.Streams) == 0 || len(k.Stores) == 0 {
		return nil
	}
	p := pairing{k, &Kernel{Name: k.Name, Doc: k.Doc, Params: k.Params, Columns: k.Columns, paired: true, intern: map[string]*Node{}}, map[[2]*Node]*Node{}}
	for _, s := range k.Streams {
		switch {
		case s.Masked || s.Table || !s.Type.float() || s.Type != k.Streams[0].Type:
			return nil
		case s.Stride == 2:
			s.Stride = 1
		case s.Stride != 0 || s.Type != F64:
			return nil
		}
		s.paired = true
		p.to.Streams = append(p.to.Streams, s)
	}
	stores := slices.SortedStableFunc(slices.Values(k.Stores), func(x, y Store) int {
		return cmp.Or(cmp.Compare(x.Stream, y.Stream), cmp.Compare(x.Off, y.Off))
	})
	for ; len(stores) > 1; stores = stores[2:] {
		a, b := stores[0], stores[1]
		if a.Mask != nil || b.Mask != nil || a.Stream != b.Stream || b.Off != a.Off+1 {
			return nil
		}
		v := p.pair(a.Value, b.Value)
		if v == nil {
			return nil
		}
		p.to.Stores = append(p.to.Stores, Store{Stream: a.Stream, Off: a.Off, Value: v})
	}
	if len(stores) > 0 {
		return nil
	}
	return p.to
}

// pair is the value that is x in the even and y in the odd lanes.
func (p *pairing) pair(x, y *Node) *Node {
	key := [2]*Node{x, y}
	n, ok := p.done[key]
	if !ok {
		p.done[key] = nil // a value is no part of itself
		n = p.make(x, y)
		p.done[key] = n
	}
	return n
}

// op is an operation on pairs, nil without one of them.
func (p *pairing) op(op Op, t Type, args ...*Node) *Node {
	if slices.Contains(args, nil) {
		return nil
	}
	return p.to.node(Node{Op: op, Type: t, Args: args})
}

// steady reports whether a value is the same in all iterations.
func (n *Node) steady() bool { return n.Op == Scalar || n.Op == Const }

func (p *pairing) make(x, y *Node) *Node {
	t := x.Type
	switch {
	case t != y.Type || !t.float():
		return nil
	case x.steady() && y.steady():
		a, b := p.same(x), p.same(y)
		if a == b {
			return a
		}
		return p.op(Pair, t, a, b)
	case x.Op == Load && y.Op == Load:
		return p.load(x, y)
	case x == y:
		if im := p.from.second[x]; im != nil {
			return p.op(Even, t, p.pair(x, im))
		}
		if re := p.from.first[x]; re != nil {
			return p.op(Odd, t, p.pair(re, x))
		}
	case p.from.second[y] == x:
		return p.op(Swap, t, p.pair(y, x))
	case x.Op == Sub && y.Op == Add:
		return p.alternate(NegEven, x, y)
	case x.Op == Add && y.Op == Sub:
		return p.alternate(NegOdd, x, y)
	case x.Op == Neg && y.Op != Neg:
		return p.op(NegEven, t, p.pair(x.Args[0], y))
	case x.Op != Neg && y.Op == Neg:
		return p.op(NegOdd, t, p.pair(x, y.Args[0]))
	}
	if x.Op != y.Op {
		return nil
	}
	switch x.Op {
	case Add, Mul:
		for _, order := range p.orders(x, y) {
			if n := p.op(x.Op, t, p.pair(x.Args[0], y.Args[order]), p.pair(x.Args[1], y.Args[1-order])); n != nil {
				return n
			}
		}
	case Sub, Div, FMA, Neg, Sqrt, Abs:
		var args []*Node
		for i := range x.Args {
			args = append(args, p.pair(x.Args[i], y.Args[i]))
		}
		return p.op(x.Op, t, args...)
	}
	return nil
}

// same is a value of all iterations.
func (p *pairing) same(x *Node) *Node {
	return p.to.node(Node{Op: x.Op, Type: x.Type, N: x.N, Off: x.Off, Bits: x.Bits})
}

// load is two elements. What is loaded beside them is part of the stream.
func (p *pairing) load(x, y *Node) *Node {
	at := func(off int) *Node { return p.to.node(Node{Op: Load, Type: x.Type, N: x.N, Off: off}) }
	switch extent := p.from.Streams[x.N].extent; {
	case x.N != y.N:
		return nil
	case y.Off == x.Off+1:
		return at(x.Off)
	case x.Off == y.Off+1:
		return p.op(Swap, x.Type, at(y.Off))
	case x.Off != y.Off:
		return nil
	case x.Off%2 == 0 && x.Off < extent:
		return p.op(Even, x.Type, at(x.Off))
	case x.Off%2 == 1:
		return p.op(Odd, x.Type, at(x.Off-1))
	}
	return nil
}

// orders are the places of the operands of y, the best first, that go with the first of x.
func (p *pairing) orders(x, y *Node) []int {
	if x.Args[0] == y.Args[1] || x.Args[1] == y.Args[0] {
		return []int{1, 0}
	}
	return []int{0, 1}
}

// alternate is a sum and a difference, of which op makes a sum. Products of one factor that is
// the same in all iterations stand together, as both are multiplied by it.
func (p *pairing) alternate(op Op, x, y *Node) *Node {
	sum, difference := y, x
	if x.Op == Add {
		sum, difference = x, y
	}
	common := func(a, b *Node) bool {
		return a.Op == Mul && b.Op == Mul && slices.ContainsFunc(a.Args, func(n *Node) bool { return n.steady() && slices.Contains(b.Args, n) })
	}
	orders := []int{0, 1}
	if common(difference.Args[0], sum.Args[1]) {
		orders = []int{1, 0}
	}
	for _, order := range orders {
		pair := func(i int) *Node {
			a, b := difference.Args[i], sum.Args[i]
			if order == 1 {
				b = sum.Args[1-i]
			}
			if x == sum {
				a, b = b, a
			}
			return p.pair(a, b)
		}
		if n := p.op(Add, x.Type, pair(0), p.op(op, x.Type, pair(1))); n != nil {
			return n
		}
	}
	return nil
}

// pairOf is the code of an operation on pairs.
func (l *lowering) pairOf(n *Node, w int) operand {
	t := n.Type
	switch n.Op {
	case Pair:
		return l.pairPin(n, w)
	case NegEven, NegOdd:
		words := make([]uint32, w/4)
		for i := range words {
			high := t == F32 || i%2 == 1
			if lane := i * 4 / t.size(); high && (lane%2 == 0) == (n.Op == NegEven) {
				words[i] = 1 << 31
			}
		}
		signs := l.pinned(n.Op.String()+t.Go(), symbol(l.consts.add(words...)), w, whole)
		return l.bin(w, "VXORP"+suffix(t), l.at[n.Args[0]], signs, true)
	}
	imm := map[Op][2]string{Swap: {"$0x55", "$0xb1"}, Even: {"$0", "$0xa0"}, Odd: {"$0xff", "$0xf5"}}[n.Op]
	if t == F64 {
		return l.ins(w, "VPERMILPD", mem("%s", imm[0]), l.at[n.Args[0]])
	}
	return l.ins(w, "VPERMILPS", mem("%s", imm[1]), l.at[n.Args[0]])
}

// pairPin is two values of all iterations.
func (l *lowering) pairPin(n *Node, w int) operand {
	place := func(n *Node) string {
		if n.Op == Scalar {
			return l.param(n)
		}
		words := []uint32{uint32(n.Bits)}
		if n.Type.size() == 8 {
			words = append(words, uint32(n.Bits>>32))
		}
		return symbol(l.consts.add(words...))
	}
	a, b := n.Args[0], n.Args[1]
	from, odd := place(a), place(b)
	o := l.pinned(fmt.Sprint("pair ", from, " ", odd), from, w, n.Type.size())
	l.byKey[fmt.Sprint("pair ", from, " ", odd)].odd = odd
	return o
}

// loadPair loads a pin with two values.
func (p *pin) loadPair(put func(format string, args ...any)) {
	if p.size == 8 {
		put("\tVMOVSD %s, X0", p.from)
		put("\tVMOVHPD %s, X0, X0", p.odd)
	} else {
		put("\tVMOVSS %s, X0", p.from)
		put("\tVINSERTPS $0x10, %s, X0, X0", p.odd)
		put("\tVUNPCKLPD X0, X0, X0")
	}
	if p.width > 16 {
		put("\tVINSERTF128 $1, X0, Y0, Y0")
	}
	if p.width > 32 {
		put("\tVINSERTF64X4 $1, Y0, Z0, Z0")
	}
	if p.reg > 0 {
		put("\tVMOVAPD %s, %s", vectorName(0, p.width), vectorName(p.reg, p.width))
	}
}
