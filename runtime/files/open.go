package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// unspecified is the position of a file behind BACKSPACE, where it is neither at the beginning nor
// at the end, as gfortran says.
const unspecified = "unspecified"

// unit is one that is connected.
type unit struct {
	n                    int
	name                 string // of the file
	scratch              bool
	d                    *disk
	access, form, action string
	position             string // as OPEN has said, or rewind, or unspecified
	recl                 int    // 0: none
	modes                record.Modes
	encoding             string

	behind  bool // the end of the file, which a READ has found, or ENDFILE made
	pending bool // a WRITE with ADVANCE='NO' has left a record without its end
	next    int  // number of the record behind the last one, of direct access
	line    int  // of the file, the last one read
	source  *record.Source
}

func (u *unit) formatted() bool { return u.form == "formatted" }
func (u *unit) reads() bool     { return u.action != "write" }
func (u *unit) writes() bool    { return u.action != "read" }

// shown is the name of the file in messages.
func (u *unit) shown() string {
	if u.scratch {
		return "(scratch)"
	}
	return u.name
}

// where says what a message is about.
func (u *unit) where() string {
	if u.line > 0 {
		return fmt.Sprintf("unit %d, file %s, line %d", u.n, u.shown(), u.line)
	}
	return fmt.Sprintf("unit %d, file %s", u.n, u.shown())
}

// failed is the error of the system that reading or writing has met.
func (u *unit) failed() error {
	err := u.d.fault
	if err == nil {
		return nil
	}
	u.d.fault = nil
	e := systemError(u.shown(), err).(*record.Error)
	e.Msg = fmt.Sprintf("%s: %v", u.where(), err)
	return e
}

func conflict(u int, key, why, help string) error {
	return &record.Error{Status: record.BadOption, Text: why, Msg: fmt.Sprintf("OPEN of unit %d: %s=: %s", u, strings.ToUpper(key), why), Help: help}
}

// open is OPEN.
func (t *table) open(e entries, asked []string) (values map[string]any, err error) {
	n := e.number("unit", -1)
	for _, key := range asked {
		if key == "newunit" {
			for n = -10; t.units[n] != nil; n-- {
			}
			values = map[string]any{"newunit": n}
		}
	}
	if n < 0 && values == nil && t.units[n] == nil {
		return nil, &record.Error{Status: record.BadOption, Text: "Bad unit number in OPEN statement",
			Msg: fmt.Sprintf("OPEN: %d is no number of a unit", n), Help: "units have numbers from 0 on; NEWUNIT=variable chooses one"}
	}
	u := &unit{n: n}
	status, err := u.options(e)
	if err != nil {
		return nil, err
	}
	name := ""
	if s, ok := e.given["file"].(string); ok {
		name = strings.TrimRight(s, " ")
	}
	if old := t.units[n]; old != nil {
		if name == "" || sameFile(stat(name), old.stat()) {
			return values, old.again(e, u)
		}
		if err := old.close(""); err != nil {
			return nil, err
		}
		delete(t.units, n)
	}
	if name == "" && (n == 0 || n == 5 || n == 6) && status != "scratch" { // connected without a file
		if u.modes != (record.Modes{}) {
			return nil, conflict(n, "file", "DECIMAL=, SIGN= and the like for a standard unit are not supported", "give them in each READ and WRITE")
		}
		return values, nil
	}
	if err := u.connect(name, status, e.has("file")); err != nil {
		return nil, err
	}
	t.units[n] = u
	return values, nil
}

func stat(name string) os.FileInfo {
	st, _ := os.Stat(name)
	return st
}

func (u *unit) stat() os.FileInfo {
	st, _ := u.d.f.Stat()
	return st
}

// options takes the entries of OPEN but for the file.
func (u *unit) options(e entries) (status string, err error) {
	var errs []error
	choose := func(key string, list ...string) string {
		s, err := e.choice(key, list...)
		if err != nil {
			errs = append(errs, err)
		}
		return s
	}
	status = choose("status", "unknown", "old", "new", "replace", "scratch")
	u.access = choose("access", "sequential", "direct", "stream", "append")
	u.position = choose("position", "asis", "rewind", "append")
	if u.access == "append" && e.has("position") && u.position != "append" {
		errs = append(errs, conflict(u.n, "access", "Conflicting ACCESS and POSITION flags in OPEN statement", "remove one of them"))
	} else if u.access == "append" {
		u.access, u.position = "sequential", "append"
	}
	if u.access == "sequential" {
		u.form = choose("form", "formatted", "unformatted")
	} else {
		u.form = choose("form", "unformatted", "formatted")
	}
	u.action = choose("action", "", "readwrite", "read", "write")
	u.encoding = choose("encoding", "default", "utf-8")
	if err := u.modes.Set("OPEN", e.given); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return "", errs[0]
	}
	u.recl = e.number("recl", 0)
	switch {
	case e.has("recl") && u.recl <= 0:
		return "", conflict(u.n, "recl", "RECL parameter is non-positive in OPEN statement", "give the length of a record in bytes")
	case u.access == "direct" && u.recl == 0:
		return "", &record.Error{Status: 5003, Text: "Missing RECL parameter in OPEN statement",
			Msg: fmt.Sprintf("OPEN of unit %d: direct access needs RECL=", u.n), Help: "give the length of a record in bytes; INQUIRE(IOLENGTH=n) items finds it"}
	case status == "scratch" && e.has("file"):
		return "", conflict(u.n, "file", "FILE parameter must not be present in OPEN statement", "a scratch file has no name")
	case u.access == "stream" && u.recl > 0:
		u.recl = 0
	}
	return status, nil
}

// again is OPEN of the file that the unit has already: only the modes may change.
func (u *unit) again(e entries, want *unit) error {
	for _, c := range []struct{ key, had, want string }{{"form", u.form, want.form}, {"access", u.access, want.access}} {
		if e.has(c.key) && c.had != c.want {
			return conflict(u.n, c.key, fmt.Sprintf("Cannot change %s parameter in OPEN statement", strings.ToUpper(c.key)), "close the unit first")
		}
	}
	if want.action != "" && want.action != u.action {
		return conflict(u.n, "action", "Cannot change ACTION parameter in OPEN statement", "close the unit first")
	}
	u.modes = want.modes
	return u.place(want.position)
}

// connect opens the file; named tells that OPEN has FILE=.
func (u *unit) connect(name, status string, named bool) error {
	if !named && status != "scratch" {
		name = fmt.Sprintf("fort.%d", u.n)
	}
	u.name = name
	flags := os.O_CREATE
	switch status {
	case "old":
		flags = 0
	case "new":
		flags |= os.O_EXCL
	case "replace":
		flags |= os.O_TRUNC
	}
	var f *os.File
	var err error
	switch {
	case status == "scratch":
		u.scratch = true
		if f, err = os.CreateTemp("", "scratch"); err == nil {
			_ = os.Remove(f.Name()) // the file lasts while it is open
		}
		if u.action == "" {
			u.action = "readwrite"
		}
	case u.action != "":
		f, err = os.OpenFile(name, flags|map[string]int{"readwrite": os.O_RDWR, "read": os.O_RDONLY, "write": os.O_WRONLY}[u.action], 0o666)
	default:
		u.action = "readwrite"
		if f, err = os.OpenFile(name, flags|os.O_RDWR, 0o666); denied(err) {
			u.action = "read"
			if f, err = os.OpenFile(name, flags&^os.O_CREATE, 0); denied(err) {
				u.action = "write"
				f, err = os.OpenFile(name, flags|os.O_WRONLY, 0o666)
			}
		}
	}
	if err == nil {
		if st, serr := f.Stat(); serr == nil && st.IsDir() {
			_ = f.Close()
			return &record.Error{Status: 21, Text: "Is a directory", Msg: name + " is a directory", Help: "name a file"}
		}
		u.d, err = newDisk(f)
	}
	if err != nil {
		e := systemError(name, err).(*record.Error)
		e.Msg = fmt.Sprintf("OPEN of unit %d: %s", u.n, e.Msg)
		return e
	}
	u.next = 1
	return u.place(u.position)
}

func denied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || err != nil && strings.Contains(err.Error(), "read-only file system")
}

// place goes where POSITION= says.
func (u *unit) place(position string) error {
	switch position {
	case "append":
		u.d.pos = u.d.size
	case "rewind":
		return u.rewind()
	}
	return nil
}

// close is CLOSE.
func (t *table) close(u *unit, e entries) error {
	status, err := e.choice("status", "", "keep", "delete")
	if err != nil {
		return &record.Error{Status: record.BadOption, Text: "Bad STATUS parameter in CLOSE statement", Msg: "CLOSE: STATUS= is " + e.text("status", ""), Help: "it may be keep or delete"}
	}
	if u == nil {
		return nil
	}
	delete(t.units, u.n)
	return u.close(status)
}

func (u *unit) close(status string) error {
	u.endRecord()
	err := u.d.close()
	if status == "delete" && !u.scratch && err == nil {
		err = os.Remove(u.name)
	}
	if err != nil {
		e := systemError(u.shown(), err).(*record.Error)
		e.Msg = fmt.Sprintf("CLOSE of unit %d, file %s: %v", u.n, u.shown(), err)
		return e
	}
	return nil
}
