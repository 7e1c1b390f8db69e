package driver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func testCache(t *testing.T) *Cache {
	t.Helper()
	t.Setenv("SPMDC_CACHE", filepath.Join(t.TempDir(), "cache"))
	c, err := OpenCache()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fill is a build that makes a program of size bytes.
func fill(size int) func(dir, out, _ string) error {
	return func(dir, out, _ string) error {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), nil, 0o666); err != nil {
			return err
		}
		return os.WriteFile(out, bytes.Repeat([]byte{'x'}, size), 0o777)
	}
}

func TestCacheRoundTrip(t *testing.T) {
	c := testCache(t)
	src, prog := hashOf("source"), hashOf("program")
	if _, _, ok := c.Lookup(src, "p"); ok {
		t.Fatal("an empty cache has the program")
	}
	path, err := c.Add(prog, "p", fill(10))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remember(src, prog, nil); err != nil {
		t.Fatal(err)
	}
	if got, _, ok := c.Lookup(src, "p"); !ok || got != path {
		t.Errorf("Lookup = %q, %v, want %q", got, ok, path)
	}
	if _, ok := c.Program(prog, "other"); ok {
		t.Error("a program of another name was found")
	}
	assertClean(t, c)
}

func TestCacheFailedBuildLeavesNothing(t *testing.T) {
	c := testCache(t)
	boom := errors.New("boom")
	_, err := c.Add(hashOf("p"), "p", func(dir, out, _ string) error {
		os.WriteFile(out, []byte("half"), 0o777)
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("error %v, want the build's", err)
	}
	if _, ok := c.Program(hashOf("p"), "p"); ok {
		t.Error("the program of a failed build is in the cache")
	}
	assertClean(t, c)
}

// TestCacheDamage: a program that is not as it was built is not executed, and made again.
func TestCacheDamage(t *testing.T) {
	c := testCache(t)
	key, src := hashOf("p"), hashOf("source")
	path, err := c.Add(key, "p", fill(1000))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remember(src, key, nil); err != nil {
		t.Fatal(err)
	}
	for what, damage := range map[string]func() error{
		"cut off":     func() error { return os.Truncate(path, 500) },
		"empty":       func() error { return os.Truncate(path, 0) },
		"changed":     func() error { return os.WriteFile(path, bytes.Repeat([]byte{'y'}, 1000), 0o777) },
		"no hash":     func() error { return os.Remove(filepath.Join(filepath.Dir(path), sumName)) },
		"not allowed": func() error { return os.Chmod(path, 0o600) },
		"a link": func() error {
			return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path))
		},
		"gone": func() error { return os.Remove(path) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := c.Lookup(src, "p"); ok {
			t.Errorf("%s: the program is taken", what)
		}
		if _, err := c.Add(key, "p", fill(1000)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, _, ok := c.Lookup(src, "p"); !ok {
			t.Errorf("%s: made again, the program is not there", what)
		}
	}
	assertClean(t, c)
}

// TestCacheKeys: an entry of the index is a key, and leads to nothing outside.
func TestCacheKeys(t *testing.T) {
	c := testCache(t)
	evil := filepath.Join(filepath.Dir(c.Dir), "evil")
	if err := os.Mkdir(evil, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(evil, "p"), "evil")
	sum, err := sumOf(filepath.Join(evil, "p"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(evil, sumName), sum)
	if err := os.Chmod(filepath.Join(evil, "p"), 0o700); err != nil {
		t.Fatal(err)
	}
	src := hashOf("source")
	for _, entry := range []string{"../../evil", evil, "", "..", string(hashOf("x"))[:39] + "G", string(hashOf("x")) + "/../../evil"} {
		write(t, filepath.Join(c.Dir, "index", string(src)), entry)
		if path, _, ok := c.Lookup(src, "p"); ok {
			t.Errorf("entry %q gives %s", entry, path)
		}
	}
}

// TestCachePrivate: a cache to which others can write, or which is another user's, is
// refused; what spmdc makes is for its user alone.
func TestCachePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions")
	}
	c := testCache(t)
	for _, d := range []string{"", "bin", "index"} {
		dir := filepath.Join(c.Dir, d)
		if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v, want permissions 700", d, st.Mode(), err)
		}
		for _, mode := range []os.FileMode{0o777, 0o720, 0o702} {
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenCache(); err == nil || !strings.Contains(err.Error(), "other users can write") {
				t.Errorf("%q with permissions %o: %v", d, mode, err)
			}
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("the rest needs the superuser")
	}
	if err := os.Chown(c.Dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("another user's: %v", err)
	}
}

// TestCacheSweeps: what a process that was killed has left goes, what one makes stays.
func TestCacheSweeps(t *testing.T) {
	c := testCache(t)
	busy, done, err := c.work()
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(c.Dir, "tmp-left")
	if err := os.MkdirAll(filepath.Join(left, "module"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(left, lockName), "")
	if _, err := OpenCache(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what nobody makes any more is still there")
	}
	if _, err := os.Stat(busy); err != nil {
		t.Errorf("what is in the making: %v", err)
	}
	done()
	assertClean(t, c)
}

// TestCacheSweepsBesideMakers: however the two meet, a folder that work has returned stays
// until it is done.
func TestCacheSweepsBesideMakers(t *testing.T) {
	c := testCache(t)
	var group sync.WaitGroup
	ended := make(chan struct{})
	for range 2 {
		group.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					c.sweep()
				}
			}
		})
	}
	for range 100 {
		dir, done, err := c.work()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "entry"), nil, 0o600)
			done()
		}
		if err != nil {
			t.Error(err)
			break
		}
	}
	close(ended)
	group.Wait()
	assertClean(t, c)
}

func assertClean(t *testing.T, c *Cache) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(c.Dir, "tmp-*")); len(left) > 0 {
		t.Errorf("left in the cache: %v", left)
	}
}

// TestCacheEvicts: what was not used for longest goes first, until the rest
// fits; index entries that led there go too.
func TestCacheEvicts(t *testing.T) {
	c := testCache(t)
	c.Limit = 250
	age := func(key Key, d time.Duration) {
		old := time.Now().Add(-d)
		if err := os.Chtimes(filepath.Join(c.Dir, "bin", string(key)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	var keys []Key
	for i := range 3 {
		key := hashOf(fmt.Sprint(i))
		keys = append(keys, key)
		if _, err := c.Add(key, "p", fill(100)); err != nil {
			t.Fatal(err)
		}
		if err := c.Remember(hashOf("s", fmt.Sprint(i)), key, nil); err != nil {
			t.Fatal(err)
		}
	}
	// All three are too young to go, whatever the limit is.
	for i, key := range keys {
		if _, ok := c.Program(key, "p"); !ok {
			t.Fatalf("program %d was evicted within the grace", i)
		}
	}
	age(keys[0], 2*time.Hour)
	age(keys[1], 3*time.Hour)
	age(keys[2], 1*time.Hour)
	if _, ok := c.Program(keys[1], "p"); !ok { // now the youngest
		t.Fatal("program 1 is gone")
	}
	if _, err := c.Add(hashOf("3"), "p", fill(60)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, false} {
		if _, ok := c.Program(keys[i], "p"); ok != want {
			t.Errorf("program %d is there: %v, want %v", i, ok, want)
		}
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "index", string(hashOf("s", "0")))); err == nil {
		t.Error("an index entry leads to an evicted program")
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "index", string(hashOf("s", "1")))); err != nil {
		t.Error("the index entry of a program that stays is gone")
	}
}

// TestCacheConcurrent: of many that make one entry at the same time, all get a
// whole program.
func TestCacheConcurrent(t *testing.T) {
	c := testCache(t)
	var built atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			path, err := c.Add(hashOf("p"), "p", func(dir, out, _ string) error {
				built.Add(1)
				return fill(1<<16)(dir, out, "")
			})
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := os.ReadFile(path); err != nil || len(text) != 1<<16 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		}()
	}
	wg.Wait()
	if built.Load() == 0 {
		t.Error("nothing was built")
	}
	assertClean(t, c)
}

func TestHashOfKeepsPartsApart(t *testing.T) {
	if hashOf("ab", "c") == hashOf("a", "bc") || hashOf("a") == hashOf("a", "") {
		t.Error("different parts give one key")
	}
}

func TestCacheWhereNoneCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	write(t, file, "x")
	t.Setenv("SPMDC_CACHE", filepath.Join(file, "cache"))
	_, err := OpenCache()
	if err == nil || !strings.Contains(err.Error(), "is a file") || !strings.Contains(err.Error(), "SPMDC_CACHE") {
		t.Errorf("OpenCache in a file: %v", err)
	}
}
