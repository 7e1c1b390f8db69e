package cfg

import "github.com/rogpeppe/go-internal/txtar"

// section is one file of a txtar archive.
type section struct{ name, data string }

// readArchive splits a txtar archive; what stands before the first file is the
// comment.
func readArchive(text string) (comment string, sections []section) {
	a := txtar.Parse([]byte(text))
	for _, f := range a.Files {
		sections = append(sections, section{name: f.Name, data: string(f.Data)})
	}
	return string(a.Comment), sections
}

func writeArchive(comment string, sections []section) string {
	a := txtar.Archive{Comment: []byte(comment)}
	for _, s := range sections {
		a.Files = append(a.Files, txtar.File{Name: s.name, Data: []byte(s.data)})
	}
	return string(txtar.Format(&a))
}
