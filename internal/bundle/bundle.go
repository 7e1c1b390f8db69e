// Package bundle makes one Go program out of many emitted ones, for whoever builds
// many: the verifier, and tests. Starting compilers and linkers takes longer than
// the text of most programs does. So they are one package, in which generic
// functions of the run-time library are compiled once and not once for each program,
// and functions are not put in line: what takes most of the time otherwise are the
// checks of subscripts, at every place where they stand.
//
// The program runs those that it is made of as they are asked for, or one, as if it
// stood alone, if its name is the first argument: see spmd.Serve.
package bundle

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/runtime"
)

// modulePath is the import path of the run-time packages, which is the same in all
// emitted modules, so that the go command compiles them once.
const modulePath = "github.com/spmdc/spmdc"

// Flags are what the go command needs to build a bundle, besides -trimpath.
var Flags = []string{"-ldflags=-s -w", "-gcflags=" + modulePath + "=-l"}

// Files is the module of a bundle, by paths: the run-time packages, and the programs
// with names and texts of main.go in mains. Its go.mod asks for the given version of Go.
func Files(mains map[string][]byte, goVersion string) (map[string][]byte, error) {
	files := runtime.Files()
	files["go.mod"] = fmt.Appendf(nil, "module %s\n\ngo %s\n", modulePath, goVersion)
	var table bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(mains)) {
		unit := fmt.Sprintf("p%d_", i)
		text, err := prefixed(mains[name], unit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[fmt.Sprintf("p%d.go", i)] = text
		fmt.Fprintf(&table, "%q: {Program: %sprogram, Body: %srun},\n", name, unit, unit)
	}
	files["main.go"] = fmt.Appendf(nil, "package main\nimport %q\nfunc main() {\nspmd.Serve(map[string]spmd.Unit{\n%s})\n}\n", modulePath+"/runtime/spmd", table.Bytes())
	return files, nil
}

// prefixed is a Go file whose package-level names have a prefix, so that many can
// be one package. A local name that is the same gets it too, which changes nothing.
func prefixed(text []byte, prefix string) ([]byte, error) {
	type word struct {
		at   int
		name string
	}
	var words []word // identifiers but for those behind a dot
	names := map[string]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var errs scanner.ErrorList
	var s scanner.Scanner
	s.Init(file, text, errs.Add, 0)
	depth := 0
	declares := false // at package level, behind func, var, const or type
	for last := token.ILLEGAL; ; {
		pos, tok, name := s.Scan()
		switch tok {
		case token.EOF:
			if err := errs.Err(); err != nil {
				return nil, err
			}
			var out bytes.Buffer
			from := 0
			for _, w := range words {
				if names[w.name] {
					out.Write(text[from:w.at])
					out.WriteString(prefix)
					from = w.at
				}
			}
			out.Write(text[from:])
			return out.Bytes(), nil
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.IDENT:
			if declares && last != token.PERIOD {
				names[name] = true
			}
			if last != token.PERIOD && last != token.PACKAGE {
				words = append(words, word{file.Offset(pos), name})
			}
		}
		declares = depth == 0 && (tok == token.FUNC || tok == token.VAR || tok == token.CONST || tok == token.TYPE)
		last = tok
	}
}
