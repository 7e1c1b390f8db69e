package cfg

import "strings"

// section is one file of a txtar archive.
type section struct{ name, data string }

// readArchive splits text at its "-- name --" lines; what stands before the
// first is the comment.
func readArchive(text string) (comment string, sections []section) {
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		name, ok := strings.CutPrefix(bare, "-- ")
		if name, end := strings.CutSuffix(name, " --"); ok && end {
			sections = append(sections, section{name: name})
		} else if len(sections) == 0 {
			comment += line
		} else {
			sections[len(sections)-1].data += line
		}
	}
	return comment, sections
}

func writeArchive(comment string, sections []section) string {
	for _, s := range sections {
		comment += "-- " + s.name + " --\n" + s.data
	}
	return comment
}
