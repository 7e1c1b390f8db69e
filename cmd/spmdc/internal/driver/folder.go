package driver

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spmdc/spmdc/internal/parallel"
)

// WriteFolder makes dir hold the tree. The tree is written beside dir and
// renamed into place, so that dir is at every moment the old folder or the new
// one. An existing dir is replaced only when it is empty or spmdc wrote it;
// files that others put into it since then are kept.
func WriteFolder(dir string, t Tree) (err error) {
	target, err := resolveTarget(dir)
	if err != nil {
		return err
	}
	own, err := checkTarget(dir, target)
	if err != nil {
		return err
	}
	if err := checkForeign(dir, target, own, t); err != nil {
		return err
	}
	undo, err := makeParents(filepath.Dir(target))
	if err != nil {
		return Usagef("choose another folder with -o", "%s: cannot make the output folder: %v", dir, explainPath(err))
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	parent, base := filepath.Split(target)
	aside, err := os.MkdirTemp(parent, "."+base[:min(len(base), longestName)]+".spmdc-")
	if err != nil {
		return Usagef("choose another folder with -o", "%s: cannot write the output folder: %v", dir, cause(err))
	}
	keepAside := false
	defer func() {
		if !keepAside {
			os.RemoveAll(aside)
		}
	}()
	fresh := filepath.Join(aside, "new")
	if err := writeTree(fresh, t); err != nil {
		return Usagef("check the disk", "%s: cannot write the output folder: %v", dir, cause(err))
	}
	old := filepath.Join(aside, "old")
	hadOld := true
	if err := os.Rename(target, old); errors.Is(err, fs.ErrNotExist) {
		hadOld = false
	} else if err != nil {
		return Usagef("choose another folder with -o", "%s: cannot replace the output folder: %v", dir, cause(err))
	}
	if err := os.Rename(fresh, target); err != nil {
		if hadOld {
			err = errors.Join(err, os.Rename(old, target))
		}
		return Usagef("choose another folder with -o", "%s: cannot put the output folder into place: %v", dir, err)
	}
	if hadOld {
		if err := keepForeign(old, target, own); err != nil {
			keepAside = true // it holds what somebody may miss
			return Usagef("the files are in "+old, "%s: a file that is not spmdc's could not be moved to the new folder: %v", dir, cause(err))
		}
	}
	return nil
}

// resolveTarget is the absolute path of the folder itself: a symbolic link to
// a folder is followed, so that the link survives.
func resolveTarget(dir string) (string, error) {
	target, err := filepath.Abs(dir)
	if err != nil {
		return "", Usagef("choose another folder with -o", "%s: %v", dir, err)
	}
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	return target, nil
}

// checkTarget refuses a target that WriteFolder must not replace. It returns
// the paths that spmdc wrote there, none for a target that is new or empty.
func checkTarget(dir, target string) (own map[string]bool, err error) {
	if holdsWorkingDir(target) {
		return nil, Usagef("choose a folder below this one with -o", "%s: the output folder is the current folder or holds it", dir)
	}
	st, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, Usagef("choose another folder with -o", "%s: cannot make the output folder: %v", dir, explainPath(err))
	case st.Mode()&fs.ModeSymlink != 0: // resolveTarget has followed those that lead somewhere
		return nil, Usagef("choose another folder with -o, or remove the link", "%s: the output must be a folder, and this is a symbolic link that leads nowhere", dir)
	case !st.IsDir():
		return nil, Usagef("choose another folder with -o", "%s: the output must be a folder, and this is a file", dir)
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return nil, Usagef("choose another folder with -o", "%s: cannot read the output folder: %v", dir, cause(err))
	}
	if len(entries) == 0 {
		return nil, nil
	}
	if text, err := os.ReadFile(filepath.Join(target, markerName)); err == nil {
		if own, ok := ownFiles(text); ok {
			return own, nil
		}
	}
	return nil, Usagef("choose another folder with -o, or remove this one", "%s: the folder exists and spmdc did not make it", dir)
}

// holdsWorkingDir reports whether the current folder is target or lies in it:
// replacing target would leave the user in a folder that is gone.
func holdsWorkingDir(target string) bool {
	wd, err := os.Getwd()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(wd); err == nil {
		wd = real
	}
	rel, err := filepath.Rel(target, wd)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// checkForeign refuses a target in which another's file stands where the tree
// has one of its own.
func checkForeign(dir, target string, own map[string]bool, t Tree) error {
	for _, p := range t.Paths() {
		if own[p] {
			continue
		}
		if _, err := os.Lstat(filepath.Join(target, filepath.FromSlash(p))); err == nil {
			return Usagef("move the file away, or choose another folder with -o", "%s: spmdc did not write the file %s that stands there, and now has one of that name", dir, p)
		}
	}
	return nil
}

// makeParents makes dir and the folders above it. The function that it returns
// removes what it made, as far as that is still empty.
func makeParents(dir string) (undo func(), err error) {
	var missing []string // innermost first
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	undo = func() {
		for _, d := range missing {
			os.Remove(d) // fails on what is in use, which is meant
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

// explainPath words the error of a path whose parent is a file.
func explainPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && errors.Is(err, syscall.ENOTDIR) {
		file := pe.Path
		for {
			st, serr := os.Stat(file)
			if serr == nil && !st.IsDir() {
				return errors.New(file + " is a file, so no folder can be made in it")
			}
			if file == filepath.Dir(file) {
				break
			}
			file = filepath.Dir(file)
		}
	}
	return cause(err)
}

func writeTree(dir string, t Tree) error {
	paths := t.Paths()
	made := map[string]bool{}
	for _, p := range paths {
		if folder := path.Dir(p); !made[folder] {
			made[folder] = true
			if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o777); err != nil {
				return err
			}
		}
	}
	errs := make([]error, len(paths))
	parallel.Each(runtime.GOMAXPROCS(0), len(paths), func(_, i int) {
		errs[i] = os.WriteFile(filepath.Join(dir, filepath.FromSlash(paths[i])), t[paths[i]], 0o666)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// keepForeign moves from the replaced folder what spmdc did not write there.
// checkForeign has proved that each such file has a free place in target.
func keepForeign(old, target string, own map[string]bool) error {
	return filepath.WalkDir(old, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(old, p)
		if err != nil || rel == "." || own[filepath.ToSlash(rel)] {
			return err
		}
		to := filepath.Join(target, rel)
		if d.IsDir() {
			if st, err := os.Lstat(to); err == nil && st.IsDir() || holdsOwn(own, filepath.ToSlash(rel)) {
				return nil // look inside
			}
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.Rename(p, to); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// holdsOwn reports whether spmdc wrote a file below the folder.
func holdsOwn(own map[string]bool, folder string) bool {
	for p := range own {
		if strings.HasPrefix(p, folder+"/") {
			return true
		}
	}
	return false
}
