package driver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// cacheLimit is how many bytes of programs the cache keeps, if SPMDC_CACHE_MB does not
// say otherwise.
const cacheLimit = 1 << 30

// cacheGrace protects a program that was just looked up, and is about to be
// started, from the eviction by another spmdc.
const cacheGrace = time.Minute

// Cache keeps built programs:
//
//	bin/KEY/NAME   a program; KEY hashes everything that it was built from
//	bin/KEY/.sum   the hash of the program, which is built again if it has another
//	index/KEY      names the entry of bin that a source gave, and has the warnings
//	               behind it; KEY hashes the source, the options, the toolchain and
//	               spmdc itself, so that an unchanged program starts without running
//	               the passes
//	tmp-*          entries in the making, each with a file that the maker has locked
//
// Entries are renamed into place complete and never changed, so any number of
// spmdc processes may use one cache. What is executed from it is what spmdc has put
// there: nobody else may write to the folders, and what is damaged is made again.
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
	if text := os.Getenv("SPMDC_CACHE_MB"); text != "" {
		mb, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, Usagef("set it to a number of megabytes, such as 1024", "SPMDC_CACHE_MB=%s is no whole number", text)
		}
		c.Limit = int64(mb) << 20
	}
	for _, d := range []string{"bin", "index"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, Usagef("set SPMDC_CACHE to a folder that can be written", "%s: cannot make the build cache: %v", dir, explainPath(err))
		}
	}
	for _, d := range []string{"", "bin", "index"} {
		if err := checkPrivate(filepath.Join(dir, d)); err != nil {
			return nil, err
		}
	}
	c.sweep()
	return c, nil
}

// checkPrivate refuses a folder in which somebody else could put a program.
func checkPrivate(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return Usagef("set SPMDC_CACHE to a folder for built programs", "%s: %v", dir, cause(err))
	case !ours(st):
		return Usagef("set SPMDC_CACHE to a folder of your own", "%s: the build cache belongs to another user", dir)
	case st.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows":
		return Usagef("remove it if others have access to it, or make it yours: chmod go-w "+dir, "%s: other users can write to the build cache", dir)
	}
	return nil
}

// Key is the identity of a cache entry.
type Key string

// keyLength is how many hexadecimal digits a key has.
const keyLength = 40

// valid reports whether a key is one that hashOf could have made, and not the path of
// something elsewhere.
func (k Key) valid() bool {
	return len(k) == keyLength && strings.Trim(string(k), "0123456789abcdef") == ""
}

// hashOf makes a key of parts. Each part is preceded by its length, so that no
// two lists of parts run together into one.
func hashOf(parts ...string) Key {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p)
	}
	return Key(hex.EncodeToString(h.Sum(nil))[:keyLength])
}

// Program returns the path of the program of that key, if it is there, and
// marks it as used now.
func (c *Cache) Program(key Key, name string) (string, bool) {
	if !key.valid() {
		return "", false
	}
	path := filepath.Join(c.Dir, "bin", string(key), name)
	if !whole(path) {
		return "", false
	}
	now := time.Now()
	os.Chtimes(filepath.Dir(path), now, now) // a read-only cache is still good
	return path, true
}

// sumName is the file of the hash of a program, beside it.
const sumName = ".sum"

// whole reports whether a program is there as it was built.
func whole(program string) bool {
	st, err := os.Lstat(program)
	if err != nil || !st.Mode().IsRegular() || st.Mode().Perm()&0o100 == 0 && runtime.GOOS != "windows" {
		return false
	}
	want, err := os.ReadFile(filepath.Join(filepath.Dir(program), sumName))
	if err != nil {
		return false
	}
	sum, err := sumOf(program)
	return err == nil && sum == string(want)
}

// sumOf is the hash of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Lookup returns the program that a source gave when it was last compiled, and the
// warnings.
func (c *Cache) Lookup(from Key, name string) (path string, warnings []*source.Diag, ok bool) {
	text, err := os.ReadFile(filepath.Join(c.Dir, "index", string(from)))
	if err != nil {
		return "", nil, false
	}
	key, rest := indexEntry(text)
	if len(rest) > 0 && json.Unmarshal(rest, &warnings) != nil {
		return "", nil, false
	}
	path, ok = c.Program(key, name)
	return path, warnings, ok
}

// indexEntry divides an entry of the index into the key of the program and the warnings.
func indexEntry(text []byte) (program Key, warnings []byte) {
	key, warnings, _ := bytes.Cut(text, []byte{'\n'})
	return Key(key), warnings
}

// Remember records which program a source gave, and with which warnings.
func (c *Cache) Remember(from, program Key, warnings []*source.Diag) error {
	entry := []byte(program)
	if len(warnings) > 0 {
		text, err := json.Marshal(warnings)
		if err != nil {
			return err
		}
		entry = append(append(entry, '\n'), text...)
	}
	work, done, err := c.work()
	if err != nil {
		return c.failure(err)
	}
	defer done()
	file := filepath.Join(work, "entry")
	if err = os.WriteFile(file, entry, 0o600); err == nil {
		err = os.Rename(file, filepath.Join(c.Dir, "index", string(from)))
	}
	if err != nil {
		return c.failure(err)
	}
	return nil
}

// lockName is the file in a folder tmp-* that its maker has locked.
const lockName = "lock"

// work makes a folder for something in the making; done removes it.
func (c *Cache) work() (dir string, done func(), err error) {
	for {
		if dir, err = os.MkdirTemp(c.Dir, "tmp-"); err != nil {
			return "", nil, err
		}
		name := filepath.Join(dir, lockName)
		lock, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			os.RemoveAll(dir)
			return "", nil, err
		}
		if locked(lock, name) {
			return dir, func() {
				lock.Close()
				os.RemoveAll(dir)
			}, nil
		}
		lock.Close() // another process took the folder for one that was left
		os.RemoveAll(dir)
	}
}

// locked locks a file that was just made, and reports whether this process has the lock
// and the file is there still: sweep may have come between.
func locked(lock *os.File, name string) bool {
	if !outfile.Lock(lock) {
		return false
	}
	made, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(made, there)
}

// unlockedAge is how long a folder tmp-* is taken to be about to get its lock.
const unlockedAge = time.Hour

// sweep removes what processes have left that were killed.
func (c *Cache) sweep() {
	left, _ := filepath.Glob(filepath.Join(c.Dir, "tmp-*"))
	for _, dir := range left {
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err != nil {
			if st, err := os.Lstat(dir); err == nil && time.Since(st.ModTime()) > unlockedAge {
				os.RemoveAll(dir)
			}
			continue
		}
		// Where there are no locks an open file cannot be removed.
		if outfile.Lock(lock) && os.Remove(lock.Name()) == nil {
			os.RemoveAll(dir)
		}
		lock.Close()
	}
}

// Add makes the entry of a program: build is given an empty folder of its own,
// one for temporary files, and writes the program to out. What else build
// leaves in the folders is removed. When another process made the same entry meanwhile, that one stays.
func (c *Cache) Add(key Key, name string, build func(dir, out, tmp string) error) (string, error) {
	work, done, err := c.work()
	if err != nil {
		return "", c.failure(err)
	}
	defer done()
	entry := filepath.Join(work, "entry")
	dir := filepath.Join(work, "module")
	tmp := filepath.Join(work, "tmp")
	for _, d := range []string{entry, dir, tmp} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return "", c.failure(err)
		}
	}
	if err := build(dir, filepath.Join(entry, name), tmp); err != nil {
		return "", err
	}
	sum, err := sumOf(filepath.Join(entry, name))
	if err == nil {
		err = os.WriteFile(filepath.Join(entry, sumName), []byte(sum), 0o600)
	}
	if err != nil {
		return "", c.failure(err)
	}
	path := filepath.Join(c.Dir, "bin", string(key), name)
	if _, err := os.Stat(filepath.Dir(path)); err == nil && !whole(path) {
		os.Rename(filepath.Dir(path), filepath.Join(work, "damaged"))
	}
	renameErr := os.Rename(entry, filepath.Dir(path))
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
// fits the limit, then index entries that lead nowhere. Errors only mean that another process was faster.
func (c *Cache) evict() {
	entries := c.entries()
	var total int64
	for _, e := range entries {
		total += e.size
	}
	slices.SortFunc(entries, func(a, b cacheEntry) int { return a.used.Compare(b.used) })
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
}

// cacheEntry is a folder of bin.
type cacheEntry struct {
	path string
	size int64
	used time.Time
}

func (c *Cache) entries() (list []cacheEntry) {
	bins, _ := filepath.Glob(filepath.Join(c.Dir, "bin", "*"))
	for _, dir := range bins {
		st, err := os.Stat(dir)
		if err != nil {
			continue
		}
		e := cacheEntry{path: dir, used: st.ModTime()}
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				e.size += info.Size()
			}
		}
		list = append(list, e)
	}
	return list
}

// Size is how many programs the cache has, and how many bytes these take.
func (c *Cache) Size() (programs int, bytes int64) {
	entries := c.entries()
	for _, e := range entries {
		bytes += e.size
	}
	return len(entries), bytes
}

// Clean removes all programs. Those that run go on.
func (c *Cache) Clean() error {
	for _, e := range c.entries() {
		if err := os.RemoveAll(e.path); err != nil {
			return c.failure(err)
		}
	}
	c.dropDangling()
	return nil
}

func (c *Cache) dropDangling() {
	index, _ := filepath.Glob(filepath.Join(c.Dir, "index", "*"))
	for _, p := range index {
		text, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		key, _ := indexEntry(text)
		if _, err := os.Stat(filepath.Join(c.Dir, "bin", string(key))); !key.valid() || errors.Is(err, fs.ErrNotExist) {
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
	sum, err := sumOf(path)
	return Key(sum), err
})
