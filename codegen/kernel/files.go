package kernel

import (
	"fmt"
	"go/format"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/internal/parallel"
)

// Target says for which processors kernels are made.
type Target string

const (
	Auto   Target = "auto"   // all, chosen when the program starts
	Go     Target = "go"     // Go alone
	AVX2   Target = "avx2"   // AVX2 where it is there, else Go
	AVX512 Target = "avx512" // AVX-512 where it is there, else Go
)

// Targets lists the targets, the default first.
var Targets = []Target{Auto, Go, AVX2, AVX512}

// sets are the instruction sets of a target, the best first.
func (t Target) sets() []*target {
	switch t {
	case Auto:
		return targets
	case AVX2:
		return targets[1:2]
	case AVX512:
		return targets[:1]
	}
	return nil
}

// RuntimePackage is the package that says what the processor has.
const RuntimePackage = "github.com/spmdc/spmdc/runtime/vector"

// imports imports the packages that text uses.
func imports(text string) string {
	list := ""
	for _, p := range []struct{ name, path string }{
		{"math.", "math"}, {"elementary.", FunctionPackage}, {"spmd.", "github.com/spmdc/spmdc/runtime/spmd"}, {"vector.", RuntimePackage},
	} {
		if strings.Contains(text, p.name) {
			list += fmt.Sprintf("%q\n", p.path)
		}
	}
	if list == "" {
		return ""
	}
	return "import (\n" + strings.Replace(list, "\"math\"\n", "\"math\"\n\n", 1) + ")\n\n"
}

// assembly is a kernel for an instruction set, or why it is none.
type assembly struct {
	set    *target
	text   string
	consts constants
	calls  *calls
	why    string
}

// assembled are kernels for instruction sets, made on all processors.
func assembled(kernels []*Kernel, sets []*target) [][]*assembly {
	out := make([][]*assembly, len(kernels))
	parallel.Each(runtime.GOMAXPROCS(0), len(kernels), func(_, i int) {
		k := kernels[i]
		if p := k.pairs(); p != nil {
			k = p
		}
		for _, set := range sets {
			f, b := &assembly{set: set}, strings.Builder{}
			f.calls, f.why = k.assembly(set, &f.consts, &b)
			f.text = b.String()
			out[i] = append(out[i], f)
		}
	})
	return out
}

// Files are the files of package main that have the kernels, by name: kernels.go with
// the forms in Go, kernels_amd64.s, kernels_amd64.go, and kernels_other.go for other
// machines and for the race detector, which sees Go alone. Nests over rows have no form
// in Go: there their functions compute no row. head is the comment that they begin with.
func Files(head string, kernels []*Kernel, t Target, rows ...*Rows) (map[string][]byte, error) {
	if len(kernels)+len(rows) == 0 {
		return nil, nil
	}
	var twin, text, native, other strings.Builder
	var consts constants
	texts, called := map[*Kernel][]*target{}, map[Op]bool{}
	for i, forms := range assembled(kernels, t.sets()) {
		for _, f := range forms {
			if f.calls != nil {
				maps.Copy(called, f.calls.used)
			}
			if f.why == "" {
				texts[kernels[i]] = append(texts[kernels[i]], f.set)
				text.WriteString(consts.moved(f.text, &f.consts))
			}
		}
	}
	var body strings.Builder
	for _, k := range kernels {
		k.argsType(&body)
		if k.Doc != "" {
			fmt.Fprintf(&body, "// %sGo: %s\n", k.Name, k.Doc)
		}
		k.twin(&body)
		fmt.Fprintf(&other, "func %s(a *%sArgs) { %sGo(a) }\n\n", k.Name, k.Name, k.Name)
		fmt.Fprintf(&native, "func %s(a *%sArgs) {\n\tswitch {\n", k.Name, k.Name)
		for _, set := range texts[k] {
			fmt.Fprintf(&native, "\tcase vector.%s:\n", set.name)
			fmt.Fprintf(&native, "\t\t%s%s(a)\n", k.Name, set.name)
			if k.Picks() {
				fmt.Fprintf(&native, "\t\tif a.done < a.n { // there is no such element\n\t\t\t%sGo(a)\n\t\t}\n", k.Name)
			}
		}
		fmt.Fprintf(&native, "\tdefault:\n\t\t%sGo(a)\n\t}\n}\n\n", k.Name)
		for _, set := range texts[k] {
			fmt.Fprintf(&native, "//go:noescape\nfunc %s%s(a *%sArgs)\n\n", k.Name, set.name, k.Name)
		}
	}
	for _, k := range rows {
		fmt.Fprintf(&body, "// %sArgs: %s\n", k.Name, k.Doc)
		k.argument(&body)
		fmt.Fprintf(&other, "func %s(a *%sArgs) int { return 0 }\n\n", k.Name, k.Name)
		var b strings.Builder
		sets := t.sets()
		if why := k.assembly(&b); why != "" || len(sets) == 0 {
			fmt.Fprintf(&native, "func %s(a *%sArgs) int { return 0 }\n\n", k.Name, k.Name)
			continue
		}
		text.WriteString(b.String())
		fmt.Fprintf(&native, "func %s(a *%sArgs) int {\n\tif vector.%s {\n\t\treturn %sAVX2(a)\n\t}\n\treturn 0\n}\n\n", k.Name, k.Name, sets[len(sets)-1].name, k.Name)
		fmt.Fprintf(&native, "//go:noescape\nfunc %sAVX2(a *%sArgs) int\n\n", k.Name, k.Name)
	}
	for _, op := range slices.Sorted(maps.Keys(called)) {
		native.WriteString(callee(op))
	}
	twin.WriteString(head + "\npackage main\n\n")
	twin.WriteString(imports(body.String()))
	twin.WriteString(body.String())
	files := map[string]string{"kernels.go": twin.String()}
	if text.Len() == 0 {
		files["kernels.go"] += other.String()
	} else {
		files["kernels_other.go"] = head + "\n//go:build !amd64 || race\n\npackage main\n\n" + other.String()
		files["kernels_amd64.go"] = head + "\n//go:build !race\n\npackage main\n\n" + imports(native.String()) + native.String()
		include := ""
		if len(called) > 0 {
			include = "#include \"funcdata.h\"\n"
		}
		var data strings.Builder
		for i, w := range consts.words {
			fmt.Fprintf(&data, "DATA kernelConstants<>+%d(SB)/4, $0x%08x\n", 4*i, w)
		}
		if len(consts.words) > 0 {
			fmt.Fprintf(&data, "GLOBL kernelConstants<>(SB), RODATA|NOPTR, $%d\n\n", 4*len(consts.words))
		}
		files["kernels_amd64.s"] = head + "\n//go:build !race\n\n#include \"textflag.h\"\n" + include + "\n" + data.String() + text.String()
	}
	out := map[string][]byte{}
	for name, text := range files {
		if strings.HasSuffix(name, ".go") {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("%s does not parse: %w\n%s", name, err, text)
			}
			out[name] = formatted
			continue
		}
		out[name] = []byte(text)
	}
	return out, nil
}
