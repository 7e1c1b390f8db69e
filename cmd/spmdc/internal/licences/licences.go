// Package licences has the texts of the licences of spmdc, of the Go standard library
// and of all modules that are linked into the command, as these licences ask for.
package licences

import (
	"embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

//go:embed texts/*.txt
var texts embed.FS

// Own is the licence of spmdc, which is that of the run-time packages in emitted
// modules too.
//
//go:embed texts/spmdc.txt
var Own []byte

// Of returns the licence of a module.
func Of(module string) ([]byte, error) {
	text, err := texts.ReadFile("texts/" + strings.ReplaceAll(module, "/", "_") + ".txt")
	if err != nil {
		return nil, fmt.Errorf("there is no text of the licence of %s", module)
	}
	return text, nil
}

// Write writes the licences of all that this binary is made of.
func Write(w io.Writer) error {
	section := func(name string, text []byte) error {
		_, err := fmt.Fprintf(w, "%s\n%s\n\n%s\n", name, strings.Repeat("-", len(name)), strings.TrimSpace(string(text))+"\n")
		return err
	}
	if err := section("spmdc", Own); err != nil {
		return err
	}
	library, err := Of("go")
	if err != nil {
		return err
	}
	if err := section("Go standard library "+runtime.Version(), library); err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return fmt.Errorf("the binary does not say what modules it is made of")
	}
	for _, m := range info.Deps {
		text, err := Of(m.Path)
		if err != nil {
			return err
		}
		if err := section(m.Path+" "+m.Version, text); err != nil {
			return err
		}
	}
	return nil
}
