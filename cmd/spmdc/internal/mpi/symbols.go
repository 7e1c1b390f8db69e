package mpi

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/elide"
)

// name gives the calls of a log their procedures and, where there is debug information, source
// lines: "scale (app.c:31)". modules are the files of load modules. What the process has found
// stays where the file says nothing.
func name(log *elide.Log, modules map[string]string) {
	tables := map[string]*symbols{}
	seen := map[string]bool{}
	for _, c := range log.Contexts {
		for _, label := range c.Path {
			if seen[label] {
				continue
			}
			seen[label] = true
			module, offset, _ := strings.Cut(label, "+")
			address, err := strconv.ParseUint(offset, 0, 64)
			if err != nil {
				continue
			}
			t, ok := tables[module]
			if !ok {
				t = openSymbols(modules[module])
				tables[module] = t
			}
			if t == nil {
				continue
			}
			// The label is where the call returns to.
			if text := t.at(t.base + address - 1); text != "" {
				log.Calls[label] = text
			}
		}
	}
}

// symbols are the procedures and lines of a load module.
type symbols struct {
	base  uint64 // of its first segment, in its own addresses
	procs []elf.Symbol
	lines []line // by address
}

type line struct {
	address uint64
	file    string
	line    int
}

func openSymbols(file string) *symbols {
	f, err := elf.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	t := &symbols{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			t.base = p.Vaddr - p.Off
			break
		}
	}
	for _, read := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		list, err := read()
		if err != nil {
			continue
		}
		for _, s := range list {
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size > 0 {
				t.procs = append(t.procs, s)
			}
		}
	}
	slices.SortFunc(t.procs, func(a, b elf.Symbol) int {
		if a.Value != b.Value {
			if a.Value < b.Value {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	if d, err := f.DWARF(); err == nil {
		t.readLines(d)
	}
	return t
}

func (t *symbols) readLines(d *dwarf.Data) {
	r := d.Reader()
	for {
		unit, err := r.Next()
		if err != nil || unit == nil {
			break
		}
		if unit.Tag == dwarf.TagCompileUnit {
			if lr, err := d.LineReader(unit); err == nil && lr != nil {
				var e dwarf.LineEntry
				for lr.Next(&e) == nil {
					l := line{address: e.Address}
					if !e.EndSequence && e.File != nil {
						l.file, l.line = filepath.Base(e.File.Name), e.Line
					}
					t.lines = append(t.lines, l)
				}
			}
		}
		r.SkipChildren()
	}
	slices.SortStableFunc(t.lines, func(a, b line) int {
		switch {
		case a.address < b.address:
			return -1
		case a.address > b.address:
			return 1
		}
		return 0
	})
}

// at is the procedure and the line of an address.
func (t *symbols) at(address uint64) string {
	proc, where := "", ""
	i, _ := slices.BinarySearchFunc(t.procs, address, func(s elf.Symbol, a uint64) int {
		if s.Value <= a {
			return -1
		}
		return 1
	})
	for i--; i >= 0; i-- {
		if s := t.procs[i]; address < s.Value+s.Size {
			proc = s.Name
			break
		} else if address-s.Value > 1<<24 {
			break
		}
	}
	j, _ := slices.BinarySearchFunc(t.lines, address, func(l line, a uint64) int {
		if l.address <= a {
			return -1
		}
		return 1
	})
	if j > 0 && t.lines[j-1].file != "" {
		where = fmt.Sprintf("%s:%d", t.lines[j-1].file, t.lines[j-1].line)
	}
	switch {
	case proc == "":
		return where
	case where == "":
		return proc
	}
	return proc + " (" + where + ")"
}
