package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sort"
	"strings"
	"syscall"
)

// goTool is a Go toolchain, described as far as it influences what it builds.
type goTool struct {
	path string
	env  map[string]string
}

// goSettings are the variables that a built program depends on.
var goSettings = []string{"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT"}

// findGo returns the Go toolchain on PATH.
func findGo() (*goTool, error) {
	const install = "install Go " + goVersion + " or later (https://go.dev/dl) and put its bin folder on PATH"
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, Usagef(install, "there is no Go toolchain on PATH, which building the program needs")
	}
	cmd := exec.Command(path, append([]string{"env", "-json"}, goSettings...)...)
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off")
	cmd.Dir = os.TempDir() // a go.mod around the user's folder is none of our business
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	g := &goTool{path: path}
	if err == nil {
		err = json.Unmarshal(out, &g.env)
	}
	if err != nil {
		return nil, Usagef(install, "%s does not work: %v %s", path, err, firstLines(stderr.String(), 3))
	}
	if !newEnough(g.env["GOVERSION"]) {
		return nil, Usagef(install, "%s is %s, and emitted programs need go%s", path, g.env["GOVERSION"], goVersion)
	}
	return g, nil
}

// newEnough reports whether a GOVERSION ("go1.26.8", "devel go1.27-abc ...") is
// at least goVersion. What it cannot read it lets pass: go build will tell.
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
	var names []string
	for name := range g.env {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	fmt.Fprintln(&b, g.path)
	for _, name := range names {
		fmt.Fprintf(&b, "%s=%s\n", name, g.env[name])
	}
	return b.String()
}

// build builds the module in dir to the file out. Neither the user's settings
// of the go command nor the network take part, so that the same module gives
// the same program everywhere. With race the race detector watches it.
func (g *goTool) build(dir, out string, race bool) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", out}
	cgo := "CGO_ENABLED=0"
	if race {
		args = append(args, "-race")
		cgo = "CGO_ENABLED=1" // the detector is linked in through cgo
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, g.path, append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off",
		"GO111MODULE=on", "GOTOOLCHAIN=local", cgo)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Stdout = &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &Failure{Status: StatusInterrupted, Text: "interrupted"}
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
	return internalf("code", "the Go compiler refuses the emitted program:\n%s", firstLines(text, 8))
}

// StatusInterrupted is the exit status after Ctrl-C, as shells count it.
const StatusInterrupted = 128 + int(syscall.SIGINT)

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
