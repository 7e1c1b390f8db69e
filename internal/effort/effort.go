// Package effort tells tests how much to do. There are three levels: go test -short is
// for the minute between two changes, go test for everybody, and SPMDC_REQUIRE=all,
// which the project's own checks set, for all cases with all oracles.
package effort

import (
	"flag"
	"hash/fnv"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// All reports whether all cases are to be tried.
func All() bool { return os.Getenv("SPMDC_REQUIRE") == "all" }

// Full skips a test that only the project's own checks make: what it costs is more than
// what it finds that others do not.
func Full(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skip(why + ": with SPMDC_REQUIRE=all")
	}
}

// Tool skips the test where a tool is not installed, and fails it where all are wanted.
// debian is the package that has it.
func Tool(t testing.TB, tool, debian string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if All() {
		t.Fatalf("%s is not installed (Debian package %s) and SPMDC_REQUIRE=all wants it", tool, debian)
	}
	t.Skipf("%s is not installed (Debian package %s)", tool, debian)
}

// Of is the number of cases: all, or a share of them that says enough on most days.
func Of(all, share int) int {
	if All() {
		return all
	}
	return share
}

// Sample returns a function that tells for one case after another whether it is to be
// tried: each of them, or every kth.
func Sample(k int) func() bool {
	n := -1
	return func() bool {
		n++
		return All() || n%k == 0
	}
}

// Share reports whether the case with a name is to be tried: each of them, or one of k,
// always the same ones.
func Share(name string, k uint32) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return All() || h.Sum32()%k == 0
}

// Checks sets how many cases the properties of a test are checked with, where the
// command line (-rapid.checks) does not say it.
func Checks(t testing.TB, n int) {
	checks := flag.Lookup("rapid.checks")
	if checks == nil {
		t.Fatal("the test has no properties")
	}
	if before := checks.Value.String(); before == checks.DefValue {
		if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { checks.Value.Set(before) })
	}
}
