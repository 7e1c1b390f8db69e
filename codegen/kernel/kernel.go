// Package kernel makes vector kernels: innermost loops over columns of arrays, as assembly
// for the vector units of amd64 and as Go that gives the same bits. The loop
//
//	do i = 1, n
//	   y(i) = y(i) + a*x(i)
//	   s = s + y(i)*x(i)
//	end do
//
// is described by
//
//	k := New("kernel1")
//	x, y := k.Stream("x", F64), k.Stream("y", F64)
//	a := k.Scalar("a", F64)
//	v := k.Op(Add, F64, k.Load(y, 0, nil), k.Op(Mul, F64, a, k.Load(x, 0, nil)))
//	k.Store(y, 0, v, nil)
//	s := k.Reduce("s", F64, Sum)
//	k.Update(s, k.Op(Add, F64, k.Acc(s), k.Op(Mul, F64, v, k.Load(x, 0, nil))))
//
// and Files writes a type kernel1Args, a function kernel1(*kernel1Args) that calls the
// best of kernel1AVX512, kernel1AVX2 and kernel1Go that the processor has, and these.
//
// Iterations are computed in blocks of Lanes, whatever the registers of the processor
// hold: a virtual vector length. A reduction has one partial value for each lane, if it is
// not an ordered one (ordered.go), and iteration t belongs to lane (Head+t) mod Lanes. So sums have one order in all forms of
// a kernel, and one that does not depend on where a column begins if Head is the row
// there. Within a part of a block that fits in registers all loads of a group of streams
// come before all its stores; parts and blocks come in the order of the iterations.
package kernel

import (
	"fmt"
	"math"
	"slices"
)

// Type is the type of a value.
type Type uint8

const (
	F64  Type = iota // float64
	F32              // float32
	I32              // int32, which wraps
	I64              // int
	Mask             // a truth value
)

// Go is the Go type.
func (t Type) Go() string { return [...]string{"float64", "float32", "int32", "int", "bool"}[t] }

// size is the number of bytes of an element in a register. A Mask takes those of what was
// compared; from memory, of an I32.
func (t Type) size() int { return [...]int{8, 4, 4, 8, 4}[t] }

// memory is the number of bytes of an element in memory.
func (t Type) memory() int { return [...]int{8, 4, 4, 8, 1}[t] }

func (t Type) float() bool { return t == F64 || t == F32 }

// Op is an operation.
type Op uint8

const (
	Load     Op = iota // element t+Off of stream N; with an argument, a Mask, only where that holds
	Scalar             // parameter N, of a block the value Off behind the first
	Const              // Bits
	Lane               // the number of the iteration, from 0, as I32 or I64
	Acc                // the partial value of reduction N before the iteration
	Add                // numbers; integers wrap
	Sub                //
	Mul                //
	Div                // floats
	FMA                // a*b+c, rounded once: F64
	Neg                //
	Abs                // of an integer: the least one stays
	Sqrt               // floats
	Whole              // of a float: a whole number, rounded as N says
	CopySign           // the magnitude of the first, the sign of the second float
	Max                // of floats as spmd.Larger: a number before a NaN, 0 before -0
	Min                // of floats as spmd.Smaller
	BitAnd             // integers, like the next five
	BitOr
	BitXor
	BitNot
	Shl // by N bits
	Shr // by N bits, unsigned
	Eq  // of numbers gives a Mask, like the next five
	Ne
	Lt
	Le
	Gt
	Ge
	And // of Masks, like the next two
	Or
	Not
	Select   // the second where the first, a Mask, holds, else the third
	Conv     // between number types as Go, but for floats to integers: as spmd.Trunc
	InWindow // the first in the iterations of window N, else the second
	Bits     // the bits of an F64 as I64, or the reverse
	Quo      // of INTEGERs by N, cut off
	Rem      // what that leaves
	Pick     // an element of table N, by an index of I64; with another argument, a Mask, only where that holds
	Pair     // of vector code with two lanes for each iteration: the first in the even lanes, the second in the odd ones
	Swap     // the two lanes of each iteration, changed over
	Even     // the even lane of each iteration in both
	Odd      // the odd one in both
	NegEven  // the even lanes with the other sign
	NegOdd   // the odd lanes
	Exp      // of F64 as elementary.Exp, and so on: the functions are the last
	Log
	Log10
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Atan2
	Sinh
	Cosh
	Tanh
	Pow
	Mod
	PowHalf // of F64 and I64: x**(n+0.5)
	Powi    // of F64 and I64: x**n
)

// How Whole rounds: as the instructions count.
const (
	Down  = 1
	Up    = 2
	Trunc = 3
)

var opNames = [...]string{"Load", "Scalar", "Const", "Lane", "Acc", "Add", "Sub", "Mul", "Div", "FMA", "Neg", "Abs", "Sqrt", "Whole", "CopySign", "Max", "Min",
	"BitAnd", "BitOr", "BitXor", "BitNot", "Shl", "Shr", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "And", "Or", "Not", "Select", "Conv", "InWindow", "Bits", "Quo", "Rem", "Pick", "Pair", "Swap", "Even", "Odd", "NegEven", "NegOdd",
	"Exp", "Log", "Log10", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh", "Pow", "Mod", "PowHalf", "Powi"}

func (o Op) String() string { return opNames[o] }

// Node is a value of each iteration. Equal values of a kernel are one node.
type Node struct {
	Op   Op
	Type Type
	Args []*Node
	N    int    // stream, parameter, reduction, or number of bits
	Off  int    // of a Load; of a Pick 1 for elements that are apart
	Bits uint64 // of a Const: the bits of the float, or the integer

	fast *Node // what vector code computes in its place
	// Of a function: where that is not its value, where it is asked for, and both.
	not, where, rare *Node
	id               int
}

// inputs are the nodes that the node needs, in vector code or in Go.
func (n *Node) inputs(vector bool) []*Node {
	switch {
	case !vector || n.fast == nil:
		return n.Args
	case n.rare == nil:
		return []*Node{n.fast}
	}
	return append([]*Node{n.fast, n.rare}, n.Args...)
}

// Stream is elements of an array at one distance, mostly consecutive ones.
type Stream struct {
	Name string
	Type Type
	// Stride is the distance of two iterations in elements, 0 for one that is passed. Where
	// it is not 1 the slice is all that may be touched, and iteration 0 is at an offset that
	// is passed too. No iteration touches what is between its elements.
	Stride int
	// Masked streams are read and written under masks only; the slice that is passed is
	// all that may be touched, and iteration 0 is at an offset that is passed too.
	Masked bool
	// Table streams have elements that are picked by an index: the slice is all of them,
	// and where that of index 0 is, or would be, is passed.
	Table bool
	// Group is the same for streams of which one may store what another loads in an
	// earlier iteration. Others have no elements in common, or not in that order.
	Group int
	// Window says in which iterations its elements are read and written: the slice begins
	// with that of the first of them.
	Window int

	extent int  // elements behind that of the last iteration
	paired bool // an iteration has two lanes, for elements that follow one another
}

// Param is a value that is the same in all iterations.
type Param struct {
	Name string
	Type Type
	Of   int // so many values, of elements that follow one another; 0 for one value
}

// Fold says how the partial values of a reduction begin and become one value.
type Fold uint8

const (
	Sum Fold = iota
	Product
	Largest
	Smallest
)

// Reduction is a value to which each iteration adds.
type Reduction struct {
	Name   string
	Type   Type
	Fold   Fold
	Update *Node // the partial value behind the iteration

	Ordered bool   // it has one value, to which iterations add in their order
	Steps   []Step // by which an iteration does
}

// Store assigns an element, where Mask holds if there is one.
type Store struct {
	Stream, Off int
	Value, Mask *Node
	Window      int
}

// Kernel is the description of a loop.
type Kernel struct {
	Name       string
	Doc        string // one line: what it computes
	Streams    []Stream
	Params     []Param
	Reductions []Reduction
	Stores     []Store
	Columns    bool // it takes a loop around it along

	windows int
	paired  bool            // it has two lanes for each iteration
	second  map[*Node]*Node // by the first part of a value,
	first   map[*Node]*Node // and the reverse
	nodes   []*Node
	intern  map[string]*Node
}

// New makes an empty kernel of that name.
func New(name string) *Kernel {
	return &Kernel{Name: name, intern: map[string]*Node{}, first: map[*Node]*Node{}, second: map[*Node]*Node{}}
}

// Lanes is the number of iterations in a block, and of partial values of reductions: the
// bytes of a block of the largest type are 128.
func (k *Kernel) Lanes() int { return 128 / k.widest() }

// widest is the size of the largest type that occurs.
func (k *Kernel) widest() int {
	w := 4
	for _, n := range k.nodes {
		w = max(w, n.Type.size())
	}
	for _, s := range k.Streams {
		w = max(w, s.Type.size())
	}
	return w
}

// Stream adds a stream in a group of its own and returns its number.
func (k *Kernel) Stream(name string, t Type) int {
	k.Streams = append(k.Streams, Stream{Name: name, Type: t, Stride: 1, Group: len(k.Streams)})
	return len(k.Streams) - 1
}

// Scalar adds a parameter.
func (k *Kernel) Scalar(name string, t Type) *Node {
	k.Params = append(k.Params, Param{Name: name, Type: t})
	return k.node(Node{Op: Scalar, Type: t, N: len(k.Params) - 1})
}

// Block adds a parameter of several values, and returns the first.
func (k *Kernel) Block(name string, t Type, of int) *Node {
	k.Params = append(k.Params, Param{name, t, of})
	return k.node(Node{Op: Scalar, Type: t, N: len(k.Params) - 1})
}

// InBlock is the value that is off behind the first one of a block.
func (k *Kernel) InBlock(first *Node, off int) *Node {
	return k.node(Node{Op: Scalar, Type: first.Type, N: first.N, Off: off})
}

// value is what a parameter is called in Go.
func (k *Kernel) value(n *Node) string {
	if p := k.Params[n.N]; p.Of > 0 {
		return fmt.Sprintf("%s[%d]", p.Name, n.Off)
	}
	return k.Params[n.N].Name
}

// Load is an element of a stream, off > 0 elements behind that of the iteration, where
// mask holds if it is not nil.
func (k *Kernel) Load(stream, off int, mask *Node) *Node {
	s := &k.Streams[stream]
	s.extent = max(s.extent, off)
	n := Node{Op: Load, Type: s.Type, N: stream, Off: off}
	if mask != nil {
		n.Args = []*Node{mask}
	}
	return k.node(n)
}

// Store assigns an element behind all loads of its group.
func (k *Kernel) Store(stream, off int, value, mask *Node) {
	s := &k.Streams[stream]
	s.extent = max(s.extent, off)
	k.Stores = append(k.Stores, Store{Stream: stream, Off: off, Value: value, Mask: mask})
}

// Reduce adds a reduction, of which Update gives the value.
func (k *Kernel) Reduce(name string, t Type, f Fold) int {
	k.Reductions = append(k.Reductions, Reduction{Name: name, Type: t, Fold: f})
	return len(k.Reductions) - 1
}

// Acc is the partial value of a reduction before the iteration.
func (k *Kernel) Acc(r int) *Node { return k.node(Node{Op: Acc, Type: k.Reductions[r].Type, N: r}) }

// Update sets what an iteration makes of the partial value of a reduction.
func (k *Kernel) Update(r int, n *Node) { k.Reductions[r].Update = n }

// Float is a constant.
func (k *Kernel) Float(t Type, x float64) *Node {
	bits := math.Float64bits(x)
	if t == F32 {
		bits = uint64(math.Float32bits(float32(x)))
	}
	return k.node(Node{Op: Const, Type: t, Bits: bits})
}

// Float is the number that a constant float is.
func (n *Node) Float() float64 {
	if n.Type == F32 {
		return float64(math.Float32frombits(uint32(n.Bits)))
	}
	return math.Float64frombits(n.Bits)
}

// Int is a constant.
func (k *Kernel) Int(t Type, x int) *Node {
	bits := uint64(x)
	if t == I32 {
		bits = uint64(uint32(x))
	}
	return k.node(Node{Op: Const, Type: t, Bits: bits})
}

// Lane is the number of the iteration.
func (k *Kernel) Lane(t Type) *Node { return k.node(Node{Op: Lane, Type: t}) }

// Op is an operation on values.
func (k *Kernel) Op(op Op, t Type, args ...*Node) *Node {
	switch {
	case (op == And || op == Or) && args[0] == args[1]:
		return args[0]
	case op == Not && args[0].Op == Not:
		return args[0].Args[0]
	}
	if n := k.fold(op, t, args); n != nil {
		return n
	}
	return k.node(Node{Op: op, Type: t, Args: args})
}

// fold is an operation on constants as a constant, nil if it is none: of those whose text
// would have no type in Go.
func (k *Kernel) fold(op Op, t Type, args []*Node) *Node {
	for _, a := range args {
		if a.Op != Const || a.Type != t {
			return nil
		}
	}
	x := args[0]
	y := args[len(args)-1]
	switch {
	case t == F64 || t == F32:
		z := map[Op]float64{Neg: -x.Float(), Add: x.Float() + y.Float(), Sub: x.Float() - y.Float(), Mul: x.Float() * y.Float()}
		if v, ok := z[op]; ok {
			return k.Float(t, v) // rounded once more to F32, which changes nothing
		}
	case t == I64 || t == I32:
		z := map[Op]uint64{Neg: -x.Bits, Add: x.Bits + y.Bits, Sub: x.Bits - y.Bits, Mul: x.Bits * y.Bits,
			BitAnd: x.Bits & y.Bits, BitOr: x.Bits | y.Bits, BitXor: x.Bits ^ y.Bits, BitNot: ^x.Bits}
		if v, ok := z[op]; ok {
			return k.Int(t, int(v))
		}
	}
	return nil
}

// Whole is a float without its fraction: rounded Down, Up, or towards zero by Trunc.
func (k *Kernel) Whole(how int, x *Node) *Node {
	return k.node(Node{Op: Whole, Type: x.Type, Args: []*Node{x}, N: how})
}

// Nearest is the whole number nearest to a float, of two the one farther from 0.
func (k *Kernel) Nearest(x *Node) *Node {
	t := x.Type
	cut := k.Whole(Trunc, x)
	far := k.Op(Ge, Mask, k.Op(Abs, t, k.Op(Sub, t, x, cut)), k.Float(t, 0.5))
	return k.Op(Select, t, far, k.Op(Add, t, cut, k.Op(CopySign, t, k.Float(t, 1), x)), cut)
}

// Shift is Shl or Shr by a constant.
func (k *Kernel) Shift(op Op, x *Node, bits int) *Node {
	return k.node(Node{Op: op, Type: x.Type, Args: []*Node{x}, N: bits})
}

func (k *Kernel) node(n Node) *Node {
	key := fmt.Sprint(n.Op, n.Type, n.N, n.Off, n.Bits)
	for _, a := range n.Args {
		key += fmt.Sprint(" ", a.id)
	}
	if have := k.intern[key]; have != nil {
		return have
	}
	n.id = len(k.nodes)
	k.nodes = append(k.nodes, &n)
	k.intern[key] = &n
	return &n
}

// order is the nodes that stores and reductions need, in vector code or in Go, each behind
// its arguments. Of two arguments the one that needs more registers comes first.
func (k *Kernel) order(vector bool) []*Node {
	need := map[*Node]int{}
	var registers func(n *Node) int
	registers = func(n *Node) int {
		if r, ok := need[n]; ok {
			return r
		}
		var list []int
		for _, a := range n.inputs(vector) {
			list = append(list, registers(a))
		}
		slices.Sort(list)
		slices.Reverse(list)
		r := 1
		for i, x := range list {
			r = max(r, x+i)
		}
		if n.Op == Scalar || n.Op == Const || n.Op == Acc {
			r = 0
		}
		need[n] = r
		return r
	}
	var out []*Node
	done := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || done[n] {
			return
		}
		done[n] = true
		args := slices.Clone(n.inputs(vector))
		slices.SortStableFunc(args, func(a, b *Node) int { return registers(b) - registers(a) })
		for _, a := range args {
			visit(a)
		}
		out = append(out, n)
	}
	for _, r := range k.Reductions {
		visit(r.Update)
		for _, s := range r.Steps {
			visit(s.Term)
		}
	}
	for _, s := range k.Stores {
		visit(s.Value)
		visit(s.Mask)
	}
	return out
}

// Extent is the number of elements behind that of the last iteration that a stream has.
func (k *Kernel) Extent(stream int) int { return k.Streams[stream].extent }

// Accesses is the number of elements that an iteration loads and stores.
func (k *Kernel) Accesses() int {
	n := len(k.Stores)
	for _, x := range k.order(true) {
		if x.Op == Load {
			n++
		}
	}
	return n
}

// Used tells which parameters an iteration uses, by number.
func (k *Kernel) Used() map[int]bool {
	used := map[int]bool{}
	for _, vector := range []bool{false, true} {
		for _, x := range k.order(vector) {
			if x.Op == Scalar {
				used[x.N] = true
			}
		}
	}
	return used
}

// Work is the number of accesses of an iteration to some streams, and that of operations.
func (k *Kernel) Work(some func(stream int) bool) (accesses, operations int) {
	for _, x := range k.order(true) {
		switch x.Op {
		case Load:
			if some(x.N) {
				accesses++
			}
		case Scalar, Const, Acc, Lane, Pick:
		default:
			operations++
		}
	}
	for _, s := range k.Stores {
		if some(s.Stream) {
			accesses++
		}
	}
	return accesses, operations
}
