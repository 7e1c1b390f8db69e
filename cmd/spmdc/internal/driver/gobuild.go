package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spmdc/spmdc/internal/gcless"
)

// goTool is a Go toolchain, described as far as it influences what it builds.
type goTool struct {
	path string
	env  map[string]string
	host bool // builds for this machine
}

// goSettings are the variables that a built program depends on.
var goSettings = []string{"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT"}

// interruptGrace is how long an interrupted go command may take to end the
// compilers that it started.
const interruptGrace = 5 * time.Second

// goKept are the user's variables that begin with GO, as settings of the go command do,
// and go on to it: where it keeps what it has compiled, and for which machine it builds.
// All others could only do harm.
var goKept = []string{"GOCACHE", "GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64",
	"GOMAXPROCS", "GOGC", "GOMEMLIMIT"}

// environ is the environment for the go command: the user's without settings of the
// go command, but for goKept, and for a host tool without those for another machine.
func (g *goTool) environ(more ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "CGO_") || len(name) > 2 && strings.HasPrefix(name, "GO") && !slices.Contains(goKept, name) {
			continue
		}
		if name == "GOCACHE" && !filepath.IsAbs(value) {
			continue // as "off" is not
		}
		env = append(env, v)
	}
	env = append(env, "GOENV=off", "GOTOOLCHAIN=local", "GOWORK=off")
	if g.host {
		env = append(env, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	}
	return slices.Concat(gcless.Toolchain, env, more) // the last value of a variable counts
}

// findGo returns the Go toolchain on PATH. A host tool builds programs that run
// here whatever GOOS and GOARCH say.
func findGo(host bool) (*goTool, error) {
	const install = "install Go " + goVersion + " or later (https://go.dev/dl) and put its bin folder on PATH"
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, Usagef(install, "there is no Go toolchain on PATH, which building the program needs")
	}
	cmd := exec.Command(path, append([]string{"env", "-json"}, goSettings...)...)
	g := &goTool{path: path, host: host}
	// A go.mod around the user's folder is none of our business.
	cmd.Env = g.environ("GO111MODULE=off")
	cmd.Dir = filepath.Dir(path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &g.env)
	}
	if err != nil {
		return nil, Usagef(install, "%s does not work: %v %s", path, err, firstLines(stderr.String(), 1))
	}
	if !newEnough(g.env["GOVERSION"]) {
		return nil, Usagef(install, "%s is %s, and emitted programs need go%s", path, g.env["GOVERSION"], goVersion)
	}
	return g, nil
}

// newEnough reports whether a GOVERSION ("go1.26.8", "devel go1.27-abc ...") is
// at least goVersion. What it cannot read it lets pass: go build will report it.
func newEnough(version string) bool {
	var major, minor, wantMajor, wantMinor int
	i := strings.Index(version, "go")
	if i < 0 {
		return true
	}
	if n, _ := fmt.Sscanf(version[i:], "go%d.%d", &major, &minor); n != 2 {
		return true
	}
	fmt.Sscanf(goVersion, "%d.%d", &wantMajor, &wantMinor)
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}

// key is what of the toolchain goes into the keys of the cache.
func (g *goTool) key() string {
	var b strings.Builder
	fmt.Fprintln(&b, g.path)
	for _, name := range slices.Sorted(maps.Keys(g.env)) {
		fmt.Fprintf(&b, "%s=%s\n", name, g.env[name])
	}
	return b.String()
}

// build builds the module in dir to the file out. Neither the user's settings
// of the go command nor the network take part, so that the same module gives
// the same program everywhere. With race the race detector watches it.
//
// The go command and what it starts put their files into the folder tmp, which
// must exist; after an interrupt some may be left there. flags are more arguments of go build.
// mpi is nil but for programs of processes that MPI starts.
func (g *goTool) build(mpi *mpiCompiler, dir, out, tmp string, race bool, flags ...string) error {
	// Where variables are at each instruction is not said, which takes a tenth of the time.
	args := []string{"build", "-trimpath", "-buildvcs=false", "-gcflags=-dwarflocationlists=false", "-o", out}
	cgo := []string{"CGO_ENABLED=0"}
	if mpi != nil {
		var more []string
		more, cgo = mpi.build()
		args = append(args, more...)
	}
	if race {
		args = append(args, "-race")
		cgo[0] = "CGO_ENABLED=1" // the detector is linked in through cgo
	}
	ctx, stop := Interruptible()
	defer stop()
	cmd := exec.CommandContext(ctx, g.path, append(append(args, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = g.environ(append(cgo, "GOFLAGS=-mod=mod", "GOPROXY=off", "GO111MODULE=on", "GOTMPDIR="+tmp, "TMPDIR="+tmp)...)
	// Signals reach this process alone, so that it is always the one that
	// tells the go command and the compilers to stop.
	OwnGroup(cmd)
	cmd.Cancel = func() error { return interruptGroup(cmd) }
	cmd.WaitDelay = interruptGrace
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Stdout = &stderr
	err := RunTied(cmd)
	if f := InterruptedBy(ctx); f != nil {
		if cmd.Process != nil {
			KillGroup(cmd) // what is left of it
		}
		return f
	}
	if err == nil {
		return nil
	}
	text := stderr.String()
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		return Usagef("check the Go installation", "%s does not run: %v", g.path, err)
	case race && (strings.Contains(text, "-race requires cgo") || strings.Contains(text, "C compiler")):
		return Usagef("install a C compiler (Debian package gcc), or run without --race",
			"the race detector needs a C compiler: %s", firstLines(text, 1))
	case race && strings.Contains(text, "-race is not supported"):
		return Usagef("run without --race", "%s", firstLines(text, 1))
	case strings.Contains(text, "no space left on device"):
		return Usagef("make room on the disk", "the program could not be built: %s", firstLines(text, 1))
	case strings.Contains(text, "GOCACHE is not defined") || strings.Contains(text, "build cache is required"):
		return Usagef("set GOCACHE or HOME", "the Go toolchain has no folder for its cache: %s", firstLines(text, 1))
	}
	if mpi != nil {
		if err := mpiFailure(text); err != nil {
			return err
		}
	}
	if first := firstLines(text, 1); strings.HasPrefix(first, "go: ") { // the go command, and no compiler
		return Usagef("check the Go installation, and GOOS and GOARCH", "the program could not be built: %s", first)
	}
	return internalf("code", "the Go compiler refuses the emitted program:\n%s", firstLines(text, 8))
}

// firstLines is the first n lines of text that are not the go command's "# package".
func firstLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if lines = append(lines, line); len(lines) == n {
			break
		}
	}
	return strings.Join(lines, "\n")
}
