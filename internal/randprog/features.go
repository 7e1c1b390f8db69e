package randprog

// fullRun is the number of consecutive seeds that cover every kernel and every
// feature of features; longRun covers those of rareFeatures too.
const (
	fullRun = 40
	longRun = 700
)

// Required returns the features that n programs of consecutive seeds must
// cover: none when n is too small to ask for that.
func Required(n int) []string {
	var out []string
	if n >= fullRun {
		for _, k := range kernels {
			out = append(out, "kernel:"+k.name)
		}
		out = append(out, features...)
	}
	if n >= longRun {
		out = append(out, rareFeatures...)
		for _, k := range kernels {
			out = append(out, k.variants...)
		}
	}
	return out
}

// Generators make the program of a seed, by the name of what is special about it.
var Generators = map[string]func(seed uint64) Program{
	"kernels": Sample, "arrays": Arrays, "jumps": Jumps, "loops": Loops, "planes": Planes, "rounds": Rounds, "types": Types, "images": Images,
}

// RequiredOf returns the features that n programs of consecutive seeds of one generator must
// have, as Required does for Sample.
func RequiredOf(generator string, n int) (out []string) {
	switch {
	case generator == "kernels":
		return Required(n)
	case generator == "arrays" && n >= fullRun:
		for _, k := range arrayKernels {
			out = append(out, "kernel:"+k.name)
			if n >= longRun {
				out = append(out, k.variants...)
			}
		}
		if n >= longRun {
			out = append(out, "array:bounds of the run", "array:distributed, bounds of the run")
		}
	case generator == "types" && n >= fullRun:
		for _, k := range typeKernels {
			out = append(out, "kernel:"+k.name)
			if n >= longRun {
				out = append(out, k.variants...)
			}
		}
		if n >= longRun {
			out = append(out, typeFeatures...)
		}
	case generator == "images" && n >= fullRun:
		for _, p := range phases {
			out = append(out, p.name)
		}
		if n >= longRun {
			out = append(out, imageFeatures...)
		}
	case generator == "jumps" && n >= fullRun:
		return jumpForms
	}
	return out
}

// features are what a few dozen programs cover, the kernels aside.
var features = []string{
	"align:chain", "align:collapse", "align:colons", "align:constant", "align:identity",
	"align:identity with (:)", "align:identity without list", "align:stride 2", "align:stride -1",
	"align:none, replicated", "align:offset", "align:permutation", "align:replication",
	"align:several objects", "align:with array",
	"array:integer rank 1", "array:integer rank 2", "array:logical rank 2", "array:lower bound not 1",
	"array:real rank 1", "array:real rank 2", "array:real rank 3", "array:single precision",
	"carried:distance 1 behind", "carried:forward loop",
	"dist:*", "dist:1 dimensions", "dist:2 dimensions", "dist:3 dimensions", "dist:array", "dist:block", "dist:block(2)", "dist:block(5)",
	"dist:colons", "dist:cyclic", "dist:cyclic(2)", "dist:cyclic(3)",
	"dist:gen_block([0, 4, 0, 3, 100000000])", "dist:gen_block([2, 0, 100000000])", "dist:gen_block([3, 100000000])", "dist:onto", "dist:several objects", "dist:template",
	"dist:without onto",
	"if:.and./.or.", "if:around a nest", "if:on distributed data", "if:on subscripts",
	"independent:new", "independent:plain", "independent:reduction",
	"index array:distributed",
	"loop:negative step", "loop:sequential around", "loop:step", "loop:symbolic bounds", "loop:time loop",
	"loop:triangular", "loop:zero trips",
	"processors:fixed shape", "processors:number_of_processors()", "processors:rank 1",
	"processors:rank 2", "processors:rank 3", "processors:several objects",
	"read:bounds", "read:internal", "read:to the end of input",
	"reduce:over 1 dimensions", "reduce:over 2 dimensions", "reduce:over 3 dimensions",
	"shift:corner",
	"size:fewer elements than PEs", "size:large",
	"template:rank 1", "template:rank 2", "template:rank 3", "template:several objects",
}

// typeFeatures are what some hundred programs of Types cover, the kernels aside.
var typeFeatures = []string{
	"component:allocatable", "component:array", "component:array of rank 2", "component:character", "component:complex", "component:initial value",
	"component:logical", "component:of a type", "component:single precision",
	"object:aligned", "object:allocatable", "object:distributed", "object:printed as a whole", "object:rank 0", "object:rank 1", "object:rank 2",
}

// rareFeatures are what some hundred programs cover, and what kernels have now and then
// that do not name it themselves.
var rareFeatures = []string{
	"align:far", "align:stride 3", "align:stride -2", "align:stride -3",
	"call:assumed shape", "call:elements", "call:expression", "call:extent from a variable", "call:function",
	"call:function in a condition", "call:inherit", "call:local array", "call:mapping of its own",
	"call:return at the start", "call:return in a loop", "call:row or column", "call:section", "call:twice", "call:whole array",
	"array:bounds of the run", "array:complex rank 1", "array:complex rank 2", "array:distributed, bounds of the run", "array:integer rank 3", "array:logical rank 1", "array:logical rank 3",
	"carried:backward loop", "carried:distance 1 ahead", "carried:distance 2 ahead",
	"carried:distance 2 behind", "carried:read behind",
	"convert:by assignment",
	"coupled:left side",
	"exit:from do while",
	"forward:set in the outer loop",
	"index array:changed between uses", "index array:replicated",
	"induction:packing",
	"loop:banded", "loop:index used afterwards", "loop:without control",
	"named:cycle", "named:exit",
	"permute:lower rank",
	"planes:both exchanged", "planes:by remainder", "planes:flipped", "planes:once left", "planes:once skipped",
	"planes:once swapped twice", "planes:read behind the store", "planes:swapped",
	"print:implied do",
	"private:set in both branches", "private:set under a condition",
	"read:iostat",
	"reduce:.and.", "reduce:.eqv.", "reduce:.neqv.", "reduce:.or.", "reduce:into an array",
	"reduce:used at once",
	"scalar:exchange of elements",
	"strided:left side",
}
