package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spmdc/spmdc/parser/scan"
)

// IsSource reports whether a path has the extension of a source file.
func IsSource(path string) bool {
	return slices.Contains(scan.FreeExtensions, filepath.Ext(path)) || slices.Contains(scan.FixedExtensions, filepath.Ext(path))
}

// ReadSource reads a source file for compiling; form is the one that was asked
// for, or "". Every way in which the path can be wrong gives one Failure with its
// remedy.
func ReadSource(path, form string) ([]byte, error) {
	if err := checkName(path); err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Usagef("check the spelling and the folder you are in", "%s: there is no such file", path)
	case err != nil:
		return nil, Usagef("check the path and the permissions", "%s: cannot read the source: %v", path, cause(err))
	case st.IsDir():
		return nil, Usagef("give the source file itself, for example "+filepath.Join(path, "prog.hpf"), "%s: is a folder, not a source file", path)
	case !st.Mode().IsRegular():
		return nil, Usagef("copy it to a file with an extension of "+strings.Join(scan.FreeExtensions, ", ")+" first", "%s: is not a regular file", path)
	}
	if err := checkExtension(path); err != nil && form == "" {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Usagef("check the permissions of the file", "%s: cannot read the source: %v", path, cause(err))
	}
	return text, nil
}

func checkExtension(path string) error {
	if IsSource(path) {
		return nil
	}
	remedy := fmt.Sprintf("rename the file: free-form sources end in %s, fixed-form sources in %s; or choose one with --form",
		strings.Join(scan.FreeExtensions, ", "), strings.Join(scan.FixedExtensions, ", "))
	if ext := filepath.Ext(path); ext != "" {
		return Usagef(remedy, "%s: unknown extension %q", path, ext)
	}
	return Usagef(remedy, "%s: the file name has no extension", path)
}

// checkName refuses file names that could not stand in a //line directive of
// the emitted program, where a line break would begin a line of Go.
func checkName(path string) error {
	for _, r := range filepath.Base(path) {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\u2028' || r == '\u2029' {
			return Usagef("rename the file", "%q: the file name has control characters in it", path)
		}
	}
	return nil
}

// cause strips the operation and path from a file error: the message names
// the path already.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// longestName is how many letters ProgramName keeps: file systems have room for 255, and
// names are made of it.
const longestName = 100

// ProgramName is the name under which a source file's program is written,
// built and cached: the file's base name without extension, in lower case and
// with only letters, digits, "-" and "_", so that it is a Go module path, a
// folder name and a file name everywhere.
func ProgramName(path string) string {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = base[:min(len(base), longestName)]
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, base)
	name = strings.Trim(name, "-_")
	if name == "" {
		return "program"
	}
	return name
}
