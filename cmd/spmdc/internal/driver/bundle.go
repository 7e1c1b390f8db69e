package driver

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spmdc/spmdc/runtime"
)

// Bundle builds one program out of many emitted ones, in the folder dir, which it
// makes: it runs them as they are asked for (spmd.Serve), by their names in mains,
// which are the texts of main.go.
//
// Building many programs must not take long. So they are one package, in which
// generic functions of the run-time library are compiled once and not once for each
// program, and functions are not put in line: what takes most of the time otherwise
// are the checks of subscripts, at every place where they stand.
func Bundle(dir string, mains map[string][]byte) (program string, err error) {
	tool, err := findGo(true)
	if err != nil {
		return "", err
	}
	t := Tree{"go.mod": fmt.Appendf(nil, "module %s\n\ngo %s\n", modulePath, goVersion)}
	for p, text := range runtime.Files() {
		t[p] = text
	}
	var table bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(mains)) {
		unit := fmt.Sprintf("p%d_", i)
		if t[fmt.Sprintf("p%d.go", i)], err = prefixed(mains[name], unit); err != nil {
			return "", internalf("code", "%s: %v", name, err)
		}
		fmt.Fprintf(&table, "%q: {Program: %sprogram, Body: %srun},\n", name, unit, unit)
	}
	t["main.go"] = fmt.Appendf(nil, "package main\nimport %q\nfunc main() {\nspmd.Serve(map[string]spmd.Unit{\n%s})\n}\n", modulePath+"/runtime/spmd", table.Bytes())
	if err := writeTree(dir, t); err != nil {
		return "", Usagef("check the disk", "cannot write the programs: %v", cause(err))
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return "", Usagef("check the disk", "cannot write the programs: %v", cause(err))
	}
	program = filepath.Join(dir, "bundle")
	return program, tool.build(dir, program, tmp, false, "-ldflags=-s -w", "-gcflags="+modulePath+"=-l")
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
