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
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// made is the folder of program, once a test has needed it.
var made string

// program is a module with kernels and the main program of testdata, built once.
var program = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "kernels"); err != nil {
		return "", err
	}
	made = dir
	var list []*Kernel
	r := rand.New(rand.NewPCG(1, uint64(effort.Of(3, 1))))
	for i := range effort.Of(180, 20) {
		list = append(list, random(r, fmt.Sprintf("kernel%d", i)))
	}
	two := 0
	for i := range effort.Of(60, 20) {
		k := pairs(r, fmt.Sprintf("pairs%d", i))
		if list = append(list, k); k.Paired() {
			two++
		}
	}
	if all := effort.Of(60, 20); two < all/2 {
		return dir, fmt.Errorf("%d of %d kernels have two lanes for each iteration", two, all)
	}
	list = append(list, axpy(), dot(), chains())
	list = append(list, elementary()...)
	list = append(list, powers(), absent())
	files, err := Files("// Kernels of a test.\n", list, Auto)
	if err != nil {
		return dir, err
	}
	text, err := os.ReadFile("testdata/main.go.txt")
	if err != nil {
		return dir, err
	}
	if err := bundletest.Module(dir, map[string][]byte{"test": append(text, table(list, string(files["kernels_amd64.s"]))...)}); err != nil {
		return dir, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "test", name), text, 0o666); err != nil {
			return dir, err
		}
	}
	if out, err := bundletest.Go(dir, "build", "-trimpath", "-ldflags=-w", "-gcflags=-dwarf=false", "-o", "program", "./test"); err != nil {
		return dir, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(made)
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

// chains has ordered sums: as many as are added together, one more, and one with two terms in
// each iteration.
func chains() *Kernel {
	k := New("chains")
	y := k.Load(k.Stream("y", F64), 0, nil)
	for i := range 9 {
		x := k.Load(k.Stream(fmt.Sprintf("x%d", i), F64), i%2, nil)
		s := k.Ordered(fmt.Sprintf("s%d", i), F64)
		if !k.UpdateInOrder(s, k.Op(Add, F64, k.Acc(s), k.Op(Mul, F64, x, y))) {
			panic("no steps")
		}
	}
	s := k.Ordered("two", F64)
	if k.UpdateInOrder(s, k.Op(Sub, F64, y, k.Acc(s))) || k.UpdateInOrder(s, k.Op(Add, F64, k.Acc(s), k.Acc(s))) {
		panic("steps")
	}
	if !k.UpdateInOrder(s, k.Op(Sub, F64, k.Op(Add, F64, k.Op(Sqrt, F64, y), k.Acc(s)), y)) {
		panic("no steps")
	}
	return k
}

// powers has powers whose results some arguments take out of what vectors can, and stores
// to what it loads.
func powers() *Kernel {
	k := New("powers")
	x, y, z := k.Stream("x", F64), k.Stream("y", F64), k.Stream("z", F64)
	load := k.Load(x, 0, nil)
	half := func(x *Node, n int, where *Node) *Node { return k.Function(PowHalf, where, x, k.Int(I64, n)) }
	positive := k.Op(Gt, Mask, load, k.Float(F64, 0))
	k.Store(y, 0, half(load, -2, positive), positive)
	s := k.Reduce("s", F64, Sum)
	size := k.Op(Add, F64, k.Op(Abs, F64, load), k.Float(F64, 1))
	k.Update(s, k.Op(Add, F64, k.Acc(s), half(size, 2, nil)))
	k.Store(z, 0, half(k.Load(z, 0, nil), -4, nil), nil)
	k.Store(x, 0, k.Function(Pow, nil, load, k.Load(y, 1, nil)), nil)
	return k
}

// absent stores seldom, and picks elements that do not exist, also where it does not store:
// in all iterations, under a condition that holds more often, and under that of the store.
func absent() *Kernel {
	k := New("absent")
	x := k.Load(k.Stream("x", F64), 0, nil)
	seldom := k.Op(Gt, Mask, x, k.Float(F64, 150))
	often := k.Op(Gt, Mask, x, k.Float(F64, -100))
	index := k.Op(BitAnd, I64, k.Op(Add, I64, k.Lane(I64), k.Scalar("first", I64)), k.Int(I64, 31))
	sum := k.Op(Sqrt, F64, k.Op(Div, F64, k.Scalar("c", F64), x))
	for i, where := range []*Node{nil, often, seldom} {
		sum = k.Op(Add, F64, sum, k.Pick(k.Table(fmt.Sprintf("tab%d", i), F64), index, where, i%2 == 1))
		index = k.Op(BitXor, I64, index, k.Int(I64, 1))
	}
	k.Store(k.Stream("y", F64), 0, sum, seldom)
	return k
}

// elementary are the functions, of arguments whose use depends on conditions and with many
// values around that a call must keep.
func elementary() (list []*Kernel) {
	for op := Exp; op < PowHalf; op++ {
		k := New("function" + op.String())
		x, u, y, z := k.Stream("x", F64), k.Stream("u", F64), k.Stream("y", F64), k.Stream("z", F64)
		args := []*Node{k.Load(x, 0, nil)}
		if op == Atan2 || op == Pow || op == Mod {
			args = append(args, k.Load(u, 0, nil))
		}
		f := k.Function(op, nil, args...)
		k.Store(y, 0, f, nil)
		k.Store(z, 0, k.Op(Add, F64, f, k.Op(Mul, F64, k.Load(u, 1, nil), k.Op(Conv, F64, k.Lane(I32)))), nil)
		s := k.Reduce("s", F64, Sum)
		k.Update(s, k.Op(Add, F64, k.Acc(s), k.Op(Div, F64, k.Load(x, 0, nil), f)))
		list = append(list, k)
	}
	power := New("power")
	in, n, to := power.Stream("x", F64), power.Stream("m", I64), power.Stream("y", F64)
	power.Store(to, 0, power.Function(Powi, nil, power.Load(in, 0, nil), power.Load(n, 0, nil)), nil)
	few := power.Op(BitAnd, I64, power.Load(n, 0, nil), power.Int(I64, 63))
	power.Store(power.Stream("z", F64), 0, power.Function(Powi, nil, power.Load(in, 0, nil), power.Op(Sub, I64, few, power.Int(I64, 31))), nil)
	list = append(list, power)
	// More streams than registers, single precision, windows of iterations, and columns.
	many := New("calls")
	sum := many.Op(Conv, F64, many.Lane(I32))
	for i := range 12 {
		x := many.Stream(fmt.Sprintf("in%d", i), []Type{F64, F32}[i%2])
		sum = many.Op(Add, F64, sum, many.Op(Conv, F64, many.Load(x, i%3, nil)))
		if i%3 == 0 {
			sum = many.Function([]Op{Sin, Tan, Cosh, Atan2}[i/3], nil, []*Node{sum, many.Op(Conv, F64, many.Load(x, 0, nil))}[:1+i/9]...)
		}
	}
	out := many.Stream("out", F32)
	many.Store(out, 0, many.Op(Conv, F32, sum), nil)
	many.Columns = true
	part := New("parts")
	x, y := part.Stream("x", F64), part.Stream("y", F64)
	part.Streams[x].Masked, part.Streams[y].Masked = true, true
	a := part.Stream("a", F64)
	big := part.Op(Gt, Mask, part.Load(a, 0, nil), part.Float(F64, 1))
	w := part.Window()
	s := part.Stream("s", F64)
	part.Streams[s].Window = w
	v := part.Function(Cos, big, part.Load(x, 1, big))
	v = part.Op(Select, F64, big, v, part.Function(Sin, part.Op(Not, Mask, big), part.Load(a, 0, nil)))
	part.Store(s, 0, part.InWindow(w, v, part.Float(F64, 1)), nil)
	part.Stores[0].Window = w
	part.Store(y, 0, part.Op(Add, F64, v, part.Function(Cos, nil, part.Load(x, 1, big))), big)
	return append(list, many, part)
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
	effort.Full(t, "vet of long assembly")
	dir, err := program()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := bundletest.Go(dir, "vet", "-trimpath", "-bools=false", "./test"); err != nil {
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
var general = regexp.MustCompile(`^(movz?|i?mul|add|sub|xor|and|shr|shl|test|cmp|bt|bsf|lea|neg|cmov[a-z]+|j[a-z]+|ret|push|pop|call|nop[a-z]*|data16|cs|xchg|int3)`)

// avx2 are the vector instructions of AVX, AVX2 and FMA that kernels have; the rest is of AVX-512.
var avx2 = regexp.MustCompile(`^v(zeroupper|mov(u|a)p[sd]|mov[dq]|broadcasts[sd]|(add|sub|mul)s[sd]|(add|sub|mul|div|max|min|sqrt|round|and|andn|or|xor|cmp[a-z_]*|blendv|maskmov|shuf|perm|permil|unpck[hl])p[sd]|perm2f128|(extract|insert)f128|mov(h|l)pd|movs[sd]|(insert|extract)ps|gather[dq]p[sd]|movmskp[ds]|pmovzxbd|pshufb|` +
	`cvt[a-z0-9]+|pbroadcast[dq]|padd[dq]|psub[dq]|pmulld|pmuludq|p(max|min)sd|pabsd|pand|por|pxor|ps[rl]l[dq]|pcmp(eq|gt)[dq]|pmovsxdq|ptest|fmadd231p[sd])$`)

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
	avx512 := regexp.MustCompile(`%zmm|%k[0-7]|%[xy]mm(1[6-9]|[23]\d)|vrange|vrndscale|vpmullq|vpabsq|vp(max|min)sq|vpternlog|vcvt\w*qq`)
	parts := regexp.MustCompile(`^v(mov(u|a)p[sd]|unpck[hl]pd|shuff64x2|mov(h|l)pd|movs[sd]|(insert|extract)(ps|f128|f32x4|f64x4)|perm(t2|il)?p[sd]|(gather|scatter)[dq]p[sd]|pmov(m2[dq]|[dq]2m)|broadcasts[sd]|(add|sub|mul)s[sd]|(add|sub|mul|div|sqrt|and|andn|or|xor|range|rndscale|cmp[a-z0-9_]*|blendm)p[sd]|cvt[a-z0-9]+|pbroadcast[dq]|` +
		`p(add|sub)[dq]|pmull[dq]|p(max|min)s[dq]|pabs[dq]|p(and|or|xor)[dq]|ps[rl]l[dq]|pcmp[a-z]*[dq]|pmovsxdq|pmovqd|pmovzxbd|pmovdb|ptestmd|fmadd231p[sd]|zeroupper|movq)$|^k(and|or|not|mov|ortest)w$`)
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

// TestStoreAll: AVX2 stores all lanes where a condition leaves out some of elements that it has loaded, as in an
// exchange of neighbours, but not of others.
func TestStoreAll(t *testing.T) {
	for _, loads := range []bool{true, false} {
		k := New("exchange")
		x, y := k.Stream("x", F32), k.Stream("y", F32)
		k.Streams[x].Stride = 2
		a, b := k.Load(x, 0, nil), k.Load(x, 1, nil)
		m := k.Op(Gt, Mask, a, b)
		to := y
		if loads {
			to = x
		}
		k.Store(to, 0, b, m)
		files, err := Files("// A kernel of a test.\n", []*Kernel{k}, AVX2)
		if err != nil {
			t.Fatal(err)
		}
		text := string(files["kernels_amd64.s"])
		full, _, _ := strings.Cut(text[strings.Index(text, "full:"):], "check:")
		if got := strings.Contains(full, "VBLENDVPS") && !strings.Contains(full, "VMASKMOV") && !strings.Contains(full, "JEQ"); got != loads {
			t.Errorf("all lanes are stored: %t, want %t:\n%s", got, loads, full)
		}
	}
}
