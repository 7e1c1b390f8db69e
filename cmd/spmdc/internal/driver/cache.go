package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// cacheLimit is how many bytes of programs the cache keeps.
const cacheLimit = 1 << 30

// cacheGrace protects a program that was just looked up, and is about to be
// started, from the eviction by another spmdc.
const cacheGrace = time.Minute

// Cache keeps built programs:
//
//	bin/KEY/NAME   a program; KEY hashes everything that it was built from
//	index/KEY      names the entry of bin that a source gave; KEY hashes the
//	               source, the options, the toolchain and spmdc itself, so that
//	               an unchanged program starts without running the passes
//	tmp-*          entries in the making
//
// Entries are renamed into place complete and never changed, so any number of
// spmdc processes may use one cache.
type Cache struct {
	Dir   string
	Limit int64 // bytes
}

// OpenCache returns the user's cache: SPMDC_CACHE, or "spmdc" in the folder
// where the system keeps caches.
func OpenCache() (*Cache, error) {
	dir := os.Getenv("SPMDC_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, Usagef("set SPMDC_CACHE to a folder for built programs", "there is no folder for the build cache: %v", err)
		}
		dir = filepath.Join(base, "spmdc")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, Usagef("set SPMDC_CACHE to a folder for built programs", "%s: %v", dir, err)
	}
	c := &Cache{Dir: dir, Limit: cacheLimit}
	for _, d := range []string{"bin", "index"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			return nil, Usagef("set SPMDC_CACHE to a folder that can be written", "%s: cannot make the build cache: %v", dir, explainPath(err))
		}
	}
	return c, nil
}

// Key is the identity of a cache entry.
type Key string

// hashOf makes a key of parts. Each part is preceded by its length, so that no
// two lists of parts run together into one.
func hashOf(parts ...string) Key {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p)
	}
	return Key(hex.EncodeToString(h.Sum(nil))[:40])
}

// Program returns the path of the program of that key, if it is there, and
// marks it as used now.
func (c *Cache) Program(key Key, name string) (string, bool) {
	path := filepath.Join(c.Dir, "bin", string(key), name)
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return "", false
	}
	now := time.Now()
	os.Chtimes(filepath.Dir(path), now, now) // a read-only cache is still good
	return path, true
}

// Lookup returns the program that a source gave when it was last compiled.
func (c *Cache) Lookup(source Key, name string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(c.Dir, "index", string(source)))
	if err != nil {
		return "", false
	}
	return c.Program(Key(text), name)
}

// Remember records which program a source gave.
func (c *Cache) Remember(source, program Key) error {
	f, err := os.CreateTemp(c.Dir, "tmp-")
	if err != nil {
		return c.failure(err)
	}
	_, err = f.WriteString(string(program))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.Dir, "index", string(source)))
	}
	if err != nil {
		os.Remove(f.Name())
		return c.failure(err)
	}
	return nil
}

// Add makes the entry of a program: build is given an empty folder of its own,
// one for temporary files, and writes the program to out. What else build
// leaves in the folders is removed. When another process made the same entry meanwhile, that one stays.
func (c *Cache) Add(key Key, name string, build func(dir, out, tmp string) error) (string, error) {
	work, err := os.MkdirTemp(c.Dir, "tmp-")
	if err != nil {
		return "", c.failure(err)
	}
	defer os.RemoveAll(work)
	entry := filepath.Join(work, "entry")
	dir := filepath.Join(work, "module")
	tmp := filepath.Join(work, "tmp")
	for _, d := range []string{entry, dir, tmp} {
		if err := os.Mkdir(d, 0o777); err != nil {
			return "", c.failure(err)
		}
	}
	if err := build(dir, filepath.Join(entry, name), tmp); err != nil {
		return "", err
	}
	renameErr := os.Rename(entry, filepath.Join(c.Dir, "bin", string(key)))
	path, ok := c.Program(key, name)
	if !ok {
		return "", c.failure(fmt.Errorf("the program is not there: %w", errors.Join(renameErr, fs.ErrNotExist)))
	}
	c.evict()
	return path, nil
}

func (c *Cache) failure(err error) error {
	return Usagef("set SPMDC_CACHE to a folder that can be written", "%s: cannot write the build cache: %v", c.Dir, cause(err))
}

// evict removes the programs that were not used for longest until the rest
// fits the limit, then index entries that lead nowhere, and what interrupted
// processes left. Errors only mean that another process was faster.
func (c *Cache) evict() {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var entries []entry
	var total int64
	bins, _ := filepath.Glob(filepath.Join(c.Dir, "bin", "*"))
	for _, dir := range bins {
		st, err := os.Stat(dir)
		if err != nil {
			continue
		}
		e := entry{path: dir, used: st.ModTime()}
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				e.size += info.Size()
			}
		}
		total += e.size
		entries = append(entries, e)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].used.Before(entries[j].used) })
	removed := false
	for _, e := range entries {
		if total <= c.Limit || time.Since(e.used) < cacheGrace {
			break
		}
		if os.RemoveAll(e.path) == nil {
			total -= e.size
			removed = true
		}
	}
	if removed {
		c.dropDangling()
	}
	left, _ := filepath.Glob(filepath.Join(c.Dir, "tmp-*"))
	for _, p := range left {
		if st, err := os.Stat(p); err == nil && time.Since(st.ModTime()) > 24*time.Hour {
			os.RemoveAll(p)
		}
	}
}

func (c *Cache) dropDangling() {
	index, _ := filepath.Glob(filepath.Join(c.Dir, "index", "*"))
	for _, p := range index {
		text, err := os.ReadFile(p)
		if err != nil || strings.ContainsRune(string(text), filepath.Separator) {
			continue
		}
		if _, err := os.Stat(filepath.Join(c.Dir, "bin", string(text))); errors.Is(err, fs.ErrNotExist) {
			os.Remove(p)
		}
	}
}

// selfKey identifies this build of spmdc, the embedded run-time packages
// included, by the content of its executable.
var selfKey = sync.OnceValues(func() (Key, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return Key(hex.EncodeToString(h.Sum(nil))), nil
})
