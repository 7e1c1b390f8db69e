// Package bundle makes the modules of emitted programs, and one Go program out of many of these, for whoever
// builds many: the verifier, and tests. Starting compilers and linkers takes longer than
// the text of most programs does. So they are one package, in which generic
// functions of the run-time library are compiled once and not once for each program,
// and functions are not put in line: what takes most of the time otherwise are the
// checks of subscripts, at every place where they stand.
//
// A bundle runs the programs that it is made of as they are asked for, or one, as if it
// stood alone, if its name is the first argument: see spmd.Serve.
package bundle

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/spmdc/spmdc/runtime"
)

const (
	// Path is the import path of the run-time packages, in spmdc itself and in every emitted module: with -trimpath the go command
	// compiles them once for all.
	Path = "github.com/spmdc/spmdc"

	// Folder is the one of an emitted module that has them.
	Folder = "spmdc"

	name = "bundle" // of the module that is one
)

// Flags are what the go command needs to build a bundle, besides -trimpath: nobody debugs
// one.
var Flags = []string{"-ldflags=-s -w", "-gcflags=" + name + "=-l -dwarf=false"}

// Module is a module, by paths, that has the given files of the run time, by theirs, as another one. Both ask for the given version of
// Go.
func Module(name, goVersion string, runtime map[string][]byte) map[string][]byte {
	const version = "v0.0.0"
	files := map[string][]byte{
		"go.mod":           fmt.Appendf(nil, "module %s\n\ngo %s\n\nrequire %s %s\n\nreplace %s => ./%s\n", name, goVersion, Path, version, Path, Folder),
		Folder + "/go.mod": fmt.Appendf(nil, "module %s\n\ngo %s\n", Path, goVersion),
	}
	for file, text := range runtime {
		files[path.Join(Folder, file)] = text
	}
	return files
}

// Join is the text of a program in several files: main.go, and each of the others behind
// a line with its name, "-- kernels.go --".
func Join(files map[string][]byte) []byte {
	text := bytes.Clone(files["main.go"])
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != "main.go" {
			text = fmt.Appendf(text, "-- %s --\n%s", name, files[name])
		}
	}
	return text
}

// separator is the line that begins another file.
var separator = regexp.MustCompile(`(?m)^-- (\w+\.\w+) --\n`)

// Split is the files of a text that Join has made.
func Split(text []byte) map[string][]byte {
	files := map[string][]byte{}
	name, from := "main.go", 0
	for _, at := range separator.FindAllSubmatchIndex(text, -1) {
		files[name] = text[from:at[0]]
		name, from = string(text[at[2]:at[3]]), at[1]
	}
	files[name] = text[from:]
	return files
}

// Files is the module of a bundle, by paths: the run-time packages, and the programs
// with names and texts in mains, which are main.go or what Join makes. Its go.mod asks
// for the given version of Go.
func Files(mains map[string][]byte, goVersion string) (map[string][]byte, error) {
	files := Module(name, goVersion, runtime.Files())
	var table bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(mains)) {
		unit := fmt.Sprintf("p%d_", i)
		own := Split(mains[name])
		if err := prefixed(own, unit); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for file, text := range own {
			files[unit+file] = text
		}
		fmt.Fprintf(&table, "%q: {Program: %sprogram, Body: %srun},\n", name, unit, unit)
	}
	files["main.go"] = fmt.Appendf(nil, "package main\nimport %q\nfunc main() {\nspmd.Serve(map[string]spmd.Unit{\n%s})\n}\n", Path+"/runtime/spmd", table.Bytes())
	files["transport.go"] = fmt.Appendf(nil, "//go:build mpi\n\npackage main\n\nimport _ %q\n", Path+"/runtime/transport/mpi")
	return files, nil
}

// prefixed gives the package-level names of a package a prefix, in all its files, so that
// many can be one package. A local name that is the same gets it too, which changes
// nothing.
func prefixed(own map[string][]byte, prefix string) error {
	names, words := map[string]bool{}, map[string][]word{}
	for file, text := range own {
		if path.Ext(file) != ".go" {
			continue
		}
		var err error
		if words[file], err = wordsOf(text, names); err != nil {
			return err
		}
	}
	for file, text := range own {
		if path.Ext(file) != ".go" {
			own[file] = bytes.ReplaceAll(text, []byte("·"), []byte("·"+prefix))
			continue
		}
		var out bytes.Buffer
		from := 0
		for _, w := range words[file] {
			if names[w.name] {
				out.Write(text[from:w.at])
				out.WriteString(prefix)
				from = w.at
			}
		}
		out.Write(text[from:])
		own[file] = out.Bytes()
	}
	return nil
}

// word is an identifier, but for those behind a dot.
type word struct {
	at   int
	name string
}

// wordsOf lists the words of a Go file, and adds its package-level names to names.
func wordsOf(text []byte, names map[string]bool) (words []word, err error) {
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
			return words, errs.Err()
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
