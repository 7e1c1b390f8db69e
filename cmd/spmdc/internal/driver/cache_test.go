package driver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	if _, ok := c.Lookup(src, "p"); ok {
		t.Fatal("an empty cache has the program")
	}
	path, err := c.Add(prog, "p", fill(10))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remember(src, prog); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Lookup(src, "p"); !ok || got != path {
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
		if err := c.Remember(hashOf("s", fmt.Sprint(i)), key); err != nil {
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
