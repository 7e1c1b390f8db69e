package randprog

import "fmt"

// kernel is a piece of code around one thing to get right.
type kernel struct {
	name string
	make func(k *kern)
	once bool // it reads input: it must run exactly once
	// variants are the features that it has now and then.
	variants []string
}

// kernels are all that a program may be made of. Each counts as the feature
// "kernel:" and its name.
var kernels = []kernel{
	{name: "shift 1-D", make: shift(1)},
	{name: "shift 2-D with corners", make: shift(2)},
	{name: "shift 3-D with corners", make: shift(3)},
	{name: "all neighbours, twice", make: box},
	{name: "time loop with copy-back", make: copyBack},
	{name: "red-black", make: redBlack, variants: []string{
		"colours:mod", "colours:modulo", "colours:iand", "colours:quotient", "colours:three", "colours:one",
		"colours:flipped", "colours:alternating", "colours:in a scalar", "colours:IF", "colours:IF, not the others", "colours:IF and more",
		"colours:cycle", "colours:of either sign", "colours:a neighbour of the same", "colours:rows inside",
	}},
	{name: "odd-even exchange", make: oddEven, variants: []string{
		"exchange:by remainder", "exchange:two loops", "exchange:three apart", "exchange:counted", "exchange:with data",
	}},
	{name: "alternating planes", make: alternating},
	{name: "broadcast of an element", make: broadcastElement},
	{name: "broadcast of row and column", make: rankOne},
	{name: "in-place outer index", make: floyd},
	{name: "LU-like elimination", make: eliminate},
	{name: "single elements", make: singleElements},
	{name: "sum", make: reduction("sum")},
	{name: "product", make: reduction("product")},
	{name: "max and min", make: reduction("max")},
	{name: "if (e > s) s = e", make: reduction("if")},
	{name: "all and any", make: reduction("logical", ".and.", ".or.")},
	{name: "parity", make: reduction("logical", ".eqv.", ".neqv.")},
	{name: "count", make: reduction("count")},
	{name: "location of the largest", make: location},
	{name: "reduction in a sequential loop", make: reduceInLoop},
	{name: "row reduction", make: rowReduction},
	{name: "matrix product", make: matrixProduct},
	{name: "transpose", make: transpose},
	{name: "permutation 3-D", make: permute3},
	{name: "strided access", make: strided},
	{name: "reversed access", make: reversed},
	{name: "elements at a distance", make: distances, variants: []string{
		"distances:exchange", "distances:smaller and larger", "distances:records", "distances:sum",
	}},
	{name: "diagonal read", make: diagonal(false)},
	{name: "diagonal written", make: diagonal(true)},
	{name: "coupled subscripts", make: coupled},
	{name: "carried from behind", make: carried([]int{-1}, []int{-2}, []int{-1, -2})},
	{name: "carried from ahead", make: carried([]int{1}, []int{2}, []int{1, 2})},
	{name: "carried from both sides", make: carried([]int{-1, 1}, []int{-2, 1}, []int{-1, 2})},
	{name: "carried 2-D in one dimension", make: carriedColumn},
	{name: "wavefront 2-D", make: wavefront(false)},
	{name: "Gauss-Seidel 2-D", make: wavefront(true)},
	{name: "wavefront 3-D", make: wavefront3},
	{name: "gather", make: gather, variants: []string{"ring:modulo", "ring:merge"}},
	{name: "gather 2-D", make: gather2},
	{name: "gather of whole columns", make: gatherColumns, variants: []string{"whole columns:in a time loop"}},
	{name: "gather through two index arrays", make: gatherTwice},
	{name: "scatter by permutation", make: scatter, variants: []string{"scatter:by a variable"}},
	{name: "scatter with accumulation", make: histogram, variants: []string{"reduce:extreme of picked elements"}},
	{name: "sparse matrix times vector", make: sparse},
	{name: "private scalar", make: private},
	{name: "private array", make: privateArray, variants: []string{
		"new array:in NEW", "new array:set twice", "new array:from another", "new array:in pieces",
	}},
	{name: "short loops inside", make: shortLoops, variants: []string{
		"short loops:in place", "short loops:bounds that are read", "short loops:backwards", "short loops:step", "short loops:in a scalar", "short loops:IF on data",
		"short loops:IF on an index", "short loops:under an IF", "short loops:index behind them", "short loops:and a sum around", "short loops:counted behind",
	}},
	{name: "last value of a private scalar", make: lastValue},
	{name: "forward substitution", make: forward},
	{name: "induction variable", make: induction},
	{name: "replicated from distributed", make: replicate},
	{name: "several owners in one loop", make: severalOwners},
	{name: "update and copy", make: updateAndCopy},
	{name: "guarded reduction", make: guardedReduction},
	{name: "extreme with its place", make: located, variants: []string{
		"located:in two loops", "located:the last of equal ones", "located:without an index",
	}},
	{name: "last iteration is different", make: lastIsDifferent},
	{name: "guarded access", make: guarded},
	{name: "short circuit", make: shortCircuit},
	{name: "if-else chain", make: chain},
	{name: "control by distributed data", make: controlled},
	{name: "do while", make: doWhile},
	{name: "convergence loop", make: converge},
	{name: "exit", make: exitLoop},
	{name: "cycle", make: cycleLoop},
	{name: "named loops", make: namedLoops},
	{name: "logical arrays", make: logicalArrays},
	{name: "life", make: life},
	{name: "print in a loop", make: printLoop},
	{name: "read in a loop", make: readLoop, once: true},
	{name: "read a line", make: readLine, once: true},
	{name: "characters", make: characters},
	{name: "pivot search and row exchange", make: pivot},
	{name: "section of runtime size", make: section},
	{name: "mixed types", make: mixedTypes},
	{name: "call with vectors", make: callVectors},
	{name: "call with matrices", make: callPlanes},
	{name: "call of functions", make: callFunction},
	{name: "call with scalars", make: callScalars},
	{name: "accumulator is bound", make: accumulatorIsBound, variants: []string{
		"bound:accumulator, upper", "bound:accumulator, lower", "bound:accumulator in an expression",
		"bound:accumulator, step", "bound:accumulator, backward", "bound:accumulator, outer",
		"bound:accumulator, inner", "bound:accumulator is guard",
	}},
	{name: "bounds from data", make: dataBounds, variants: []string{
		"bound:data", "bound:data in a loop", "bound:data by way of a scalar", "bound:step from data",
	}},
	{name: "guarded division", make: guardedDivision, variants: []string{
		"guard:division", "guard:divisor outside of the loop", "guard:else", "guard:cycle", "guard:nested",
	}},
	{name: "guarded element", make: guardedElement, variants: []string{
		"guard:neighbour", "guard:distance that is read", "guard:index", "guard:scalar subscript", "guard:left side",
	}},
	{name: "subscripts from elements", make: chase, variants: []string{
		"bound:accumulator is subscript",
	}},
	{name: "do while with communications", make: wander, variants: []string{
		"while:communications", "while:on an element", "while:on a reduction", "while:nested",
	}},
	{name: "jumps out of nests", make: leap, variants: []string{
		"leap:exit outer", "leap:exit inner", "leap:cycle outer", "leap:cycle inner",
	}},
	{name: "bits", make: bitFunctions, variants: []string{
		"bits:iand", "bits:ior", "bits:ieor", "bits:not", "bits:ishft", "bits:ibset", "bits:ibclr",
		"bits:variable shift", "bits:btest",
	}},
	{name: "functions", make: functions, variants: functionForms},
	{name: "integer(8)", make: longIntegers, variants: []string{
		"integer(8):sum", "integer(8):extremum", "integer(8):subscript", "integer(8):scalar",
	}},
	{name: "complex numbers", make: complexNumbers, variants: []string{
		"complex:abs", "complex:conjg", "complex:gather", "complex:parts", "complex:product", "complex:sum", "complex:sum of parts",
		"complex:times a real", "complex:under a condition",
	}},
	{name: "edited texts", make: editedTexts, variants: []string{
		"texts:array", "texts:character before", "texts:exchanged", "texts:into an array", "texts:two at once",
	}},
	{name: "NaN, infinities and -0.0", make: specialValues, variants: []string{
		"special:values", "special:comparison", "special:negated comparison", "special:division", "special:sum",
		"special:count", "special:if (e > s) s = e", "special:sum from -0.0", "special:scalar",
	}},
	{name: "module", make: moduleVariables, variants: []string{
		"module:variables", "module:mapping", "module:only",
	}},
	{name: "host association", make: hostAssociation, variants: []string{
		"procedure:host association", "procedure:save", "procedure:own variable with a name of the host's",
	}},
	{name: "functions with side effects", make: sideEffects, variants: []string{
		"function:side effect", "function:changes an element", "function:nested", "function:in a bound",
		"function:in a while", "function:in a subscript", "function:in a loop", "function:in a condition",
	}},
	{name: "forms of arguments", make: argumentForms, variants: []string{
		"call:section of run-time bounds", "call:empty section", "call:one argument twice", "call:keywords",
		"call:in a procedure",
	}},
	{name: "arrays without elements", make: emptyArrays, variants: []string{
		"array:no elements", "array:no elements, reduced", "array:no elements, rank 2",
		"array:no elements, argument",
	}},
	{name: "reduction behind loops", make: accumulated, variants: []string{
		"accumulate:along one dimension", "accumulate:loops that cannot be exchanged", "accumulate:by two nests",
		"accumulate:under a condition", "accumulate:read in the midst", "accumulate:exit by its value", "accumulate:exit",
		"accumulate:cycle", "accumulate:jump past the end", "accumulate:set in each iteration",
	}},
	{name: "columns at once", make: columnsAtOnce, variants: []string{
		"columns:backward", "columns:triangle", "columns:sum", "columns:update", "columns:tile", "columns:blocks", "columns:element", "columns:carried", "columns:max", "columns:min", "columns:skewed", "columns:stepped", "columns:peeled",
		"columns:unused",
	}},
	{name: "fused nests", make: fusedNests, variants: []string{
		"fused:extreme of one", "fused:extreme of both", "fused:sum", "fused:scalar of both", "fused:needed at once",
		"fused:three", "fused:vector between", "fused:in a time loop", "fused:rows in two loops", "fused:a loop for some columns",
	}},
	{name: "different ends", make: differentEnds(1), variants: endForms},
	{name: "different ends, planes", make: differentEnds(2)},
	{name: "different ends, one element", make: oneOfDifferentEnds, variants: []string{
		"ends:scalar index", "ends:window", "ends:row or column",
	}},
	{name: "integers that wrap", make: wrapping, variants: wrapForms}, // without this line nothing wraps
	{name: "sums over pairs", make: pairs, variants: []string{"pairs:if", "pairs:cycle", "pairs:else"}},
	{name: "sums into both of a pair", make: intoBoth, variants: []string{"both:under a condition", "both:half of the pairs"}},
	{name: "iterations without owners", make: ownerless, variants: []string{"ownerless:cycle"}},
	{name: "steps that are variables", make: steps, variants: []string{"steps:backward", "steps:doubled"}},
	{name: "rows in any order", make: rows, variants: []string{
		"rows:swapped", "rows:with a vector", "rows:backward", "rows:in a time loop",
	}},
	{name: "neighbours around the ends", make: around, variants: []string{
		"around:if", "around:mod", "around:modulo", "around:merge", "around:index array", "around:both ends", "around:in a time loop",
	}},
	{name: "neighbours at a step's distance", make: strides, variants: []string{
		"strides:backward", "strides:doubled", "strides:every one", "strides:only behind",
	}},
}

func kernelNamed(name string) kernel {
	for _, table := range [][]kernel{kernels, arrayKernels, typeKernels} {
		for _, k := range table {
			if k.name == name {
				return k
			}
		}
	}
	panic("randprog: no kernel " + name)
}

// run adds the kernel to the program, now and then inside a loop or an IF of
// its own.
func (g *gen) run(kn kernel, u *unit) {
	k := &kern{gen: g, u: u, chosen: map[*array]bool{}}
	kn.make(k)
	g.feat("kernel:" + kn.name)
	lines := k.lines
	if !kn.once {
		switch u.pick(10) {
		case 1:
			g.private(intKind, "it", tier{})
			lines = doBlock(fmt.Sprintf("do it = 1, %d", 2+u.pick(2)), lines)
			g.feat("loop:sequential around")
		case 2:
			lines = ifBlock(fmt.Sprintf("%s >= 0", g.runtime(u.pick(5))), lines, nil)
			g.feat("if:around a nest")
		}
	}
	g.body = append(g.body, "! "+kn.name)
	g.body = append(g.body, lines...)
}
