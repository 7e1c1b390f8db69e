package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/effort"
)

// program is a module with kernels and the main program of testdata, built once.
var program = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "kernels"); err != nil {
		return "", err
	}
	var list []*Kernel
	r := rand.New(rand.NewPCG(1, uint64(effort.Of(3, 1))))
	for i := range effort.Of(300, 60) {
		list = append(list, random(r, fmt.Sprintf("kernel%d", i)))
	}
	list = append(list, axpy(), dot(), powers(), elementary())
	files, err := Files("// Kernels of a test.\n", list, Auto)
	if err != nil {
		return dir, err
	}
	text, err := os.ReadFile("testdata/main.go.txt")
	if err != nil {
		return dir, err
	}
	if err := bundle.Module(dir, map[string][]byte{"test": append(text, table(list, string(files["kernels_amd64.s"]))...)}); err != nil {
		return dir, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "test", name), text, 0o666); err != nil {
			return dir, err
		}
	}
	if out, err := bundle.Go(dir, "build", "-trimpath", "-o", "program", "./test"); err != nil {
		return dir, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := program(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func axpy() *Kernel {
	k := New("axpy")
	x, y := k.Stream("x", F64), k.Stream("y", F64)
	k.Store(y, 0, k.Op(Add, F64, k.Load(y, 0, nil), k.Op(Mul, F64, k.Scalar("a", F64), k.Load(x, 0, nil))), nil)
	return k
}

func dot() *Kernel {
	k := New("dot")
	x, y := k.Stream("x", F64), k.Stream("y", F64)
	s := k.Reduce("s", F64, Sum)
	k.Update(s, k.Op(Add, F64, k.Acc(s), k.Op(Mul, F64, k.Load(x, 0, nil), k.Load(y, 0, nil))))
	return k
}

// powers has powers whose results some arguments take out of what vector code can.
func powers() *Kernel {
	k := New("powers")
	x, y, z := k.Stream("x", F64), k.Stream("y", F64), k.Stream("z", F64)
	load := k.Load(x, 0, nil)
	positive := k.Op(Gt, Mask, load, k.Float(F64, 0))
	k.Store(y, 0, k.HalfPower(load, -2, positive), positive)
	s := k.Reduce("s", F64, Sum)
	size := k.Op(Add, F64, k.Op(Abs, F64, load), k.Float(F64, 1))
	k.Update(s, k.Op(Add, F64, k.Acc(s), k.HalfPower(size, 2, nil)))
	k.Store(z, 0, k.HalfPower(k.Float(F64, 0.25), 0, nil), nil)
	return k
}

// elementary has functions.
func elementary() *Kernel {
	k := New("elementary")
	x, y, z := k.Stream("x", F64), k.Stream("y", F64), k.Stream("z", F64)
	k.Store(y, 0, k.Function(Exp, k.Load(x, 0, nil)), nil)
	k.Store(z, 0, k.Function(Log, k.Load(x, 0, nil)), nil)
	s := k.Reduce("s", F64, Sum)
	k.Update(s, k.Op(Add, F64, k.Acc(s), k.Function(Log, k.Function(Exp, k.Load(x, 0, nil)))))
	return k
}

// tableExtent stands for the extent of a table.
const tableExtent = 1 << 20

// table is the end of the main program: the kernels.
func table(list []*Kernel, assembly string) string {
	var b strings.Builder
	b.WriteString("\nvar kernels = []kernel{\n")
	for _, k := range list {
		extents, windows, strides := map[string]int{}, map[string]int{}, map[string]int{}
		for i, s := range k.Streams {
			extents[s.Name] = k.Extent(i)
			windows[s.Name] = s.Window
			strides[s.Name] = s.Stride
			if s.Table {
				extents[s.Name] = tableExtent
			}
		}
		fmt.Fprintf(&b, "{%q, %q, %d, %t, %#v, %#v, %#v, func() any { return new(%sArgs) }, []form{\n", k.Name, k.String(), k.Lanes(), k.Columns, extents, windows, strides, k.Name)
		for _, f := range []string{"Go", "AVX2", "AVX512"} {
			call := fmt.Sprintf("%s%s(a.(*%sArgs))", k.Name, f, k.Name)
			if k.Restarts() && f != "Go" { // as the function does that chooses
				call = fmt.Sprintf("x := a.(*%sArgs); clear(x.redo[:]); old := *x; if %s%s(x); x.redo != old.redo { *x = old; %sGo(x) }", k.Name, k.Name, f, k.Name)
			} else if k.Restarts() {
				call = fmt.Sprintf("x := a.(*%sArgs); clear(x.redo[:]); %sGo(x)", k.Name, k.Name)
			}
			if k.Picks() { // which fail where there is no such element
				call = fmt.Sprintf("x := a.(*%sArgs); x.done = 0; %s%s(x); if x.done < x.n { defer func() { recover() }(); %sGo(x) }", k.Name, k.Name, f, k.Name)
				if f == "Go" {
					call = fmt.Sprintf("x := a.(*%sArgs); x.done = 0; defer func() { recover() }(); %sGo(x)", k.Name, k.Name)
				}
			}
			if f == "Go" || strings.Contains(assembly, "TEXT ·"+k.Name+f+"(") {
				fmt.Fprintf(&b, "{%q, func(a any) { %s }},\n", f, call)
			}
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// TestForms: the assembly gives the bits of Go, for all lengths around those of blocks,
// and touches nothing else.
func TestForms(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the assembly is for amd64")
	}
	dir, err := program()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(dir, "program"), fmt.Sprint(effort.Of(200, 20))).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	if strings.Contains(string(out), "lacks") {
		t.Skipf("%s", out)
	}
}

// TestVet: the declarations fit the assembly. Random conditions may say the same twice.
func TestVet(t *testing.T) {
	dir, err := program()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := bundle.Go(dir, "vet", "-bools=false", "./test"); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestOtherMachine: the module builds where there is no assembly.
func TestOtherMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds the run-time packages for another machine")
	}
	effort.Full(t, "it builds the run-time packages for another machine")
	dir, err := program()
	if err != nil {
		t.Fatal(err)
	}
	// The main program there calls assembly.
	other := filepath.Join(dir, "other")
	if err := os.CopyFS(other, os.DirFS(filepath.Join(dir, "test"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "-bools=false", "./other")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// general are the instructions on general registers that kernels have.
var general = regexp.MustCompile(`^(mov|i?mul|add|sub|xor|and|shr|shl|test|cmp|lea|neg|cmov[a-z]+|j[a-z]+|ret|push|pop|call|nop[a-z]*|data16|cs|xchg|int3)`)

// avx2 are the vector instructions of AVX, AVX2 and FMA that kernels have; the rest is of AVX-512.
var avx2 = regexp.MustCompile(`^v(zeroupper|mov(u|a)p[sd]|mov[dq]|broadcasts[sd]|(add|sub|mul|div|max|min|sqrt|and|andn|or|xor|cmp[a-z_]*|blendv|maskmov|shuf|perm|permil)p[sd]|(extract|insert)f128|mov(h|l)pd|movs[sd]|(insert|extract)ps|gather[dq]p[sd]|movmskpd|` +
	`cvt[a-z0-9]+|pbroadcast[dq]|padd[dq]|psub[dq]|pmulld|pmuludq|p(max|min)sd|pabsd|pand|por|pxor|ps[rl]l[dq]|pcmp(eq|gt)[dq]|pmovsxdq|fmadd231p[sd])$`)

// TestInstructions disassembles the kernels: all instructions on vectors are encoded as
// VEX or EVEX, those of AVX2 kernels need no more than AVX2, and those of AVX-512 no
// part but F, DQ, BW and VL, of which the assembler has the instructions used here.
func TestInstructions(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the assembly is for amd64")
	}
	effort.Tool(t, "objdump", "binutils")
	dir, err := program()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-d", "--no-show-raw-insn", filepath.Join(dir, "program")).Output()
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^[0-9a-f]+ <main\.\w+?(AVX2|AVX512)(\.abi0)?>:`)
	avx512 := regexp.MustCompile(`%zmm|%k[0-7]|%[xy]mm(1[6-9]|[23]\d)|vrange|vpmullq|vpabsq|vp(max|min)sq|vpternlog|vcvt\w*qq`)
	parts := regexp.MustCompile(`^v(mov(u|a)p[sd]|mov(h|l)pd|movs[sd]|(insert|extract)(ps|f32x4|f64x4)|perm(t2)?p[sd]|(gather|scatter)[dq]p[sd]|pmov(m2[dq]|[dq]2m)|broadcasts[sd]|(add|sub|mul|div|sqrt|and|andn|or|xor|range|cmp[a-z0-9_]*|blendm)p[sd]|cvt[a-z0-9]+|pbroadcast[dq]|` +
		`p(add|sub)[dq]|pmull[dq]|p(max|min)s[dq]|pabs[dq]|p(and|or|xor)[dq]|ps[rl]l[dq]|pcmp[a-z]*[dq]|pmovsxdq|pmovqd|fmadd231p[sd]|zeroupper)$|^k(and|or|not|mov|ortest)w$`)
	current, counts := "", map[string]int{}
	for line := range strings.Lines(string(out)) {
		if strings.HasSuffix(strings.TrimSpace(line), ">:") {
			current = ""
			if m := form.FindStringSubmatch(line); m != nil && !slices.Contains([]string{"Go"}, m[1]) {
				current = m[1]
			}
			continue
		}
		_, text, ok := strings.Cut(line, ":\t")
		if current == "" || !ok {
			continue
		}
		text = strings.TrimSpace(text)
		op, _, _ := strings.Cut(text, " ")
		counts[current]++
		switch {
		case strings.HasPrefix(op, "v") && !strings.Contains(op, "(") || strings.HasPrefix(op, "k"):
			if current == "AVX2" && (!avx2.MatchString(op) || avx512.MatchString(text)) {
				t.Errorf("not of AVX2: %s", text)
			}
			if current == "AVX512" && !parts.MatchString(op) {
				t.Errorf("not of the parts of AVX-512 that are asked for: %s", text)
			}
		case !general.MatchString(op) || strings.Contains(text, "%xmm"):
			t.Errorf("%s kernel: %s", current, text)
		}
	}
	if counts["AVX2"] < 1000 || counts["AVX512"] < 1000 {
		t.Errorf("instructions found: %v", counts)
	}
}
