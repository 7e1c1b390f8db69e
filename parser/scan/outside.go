package scan

// outsideWords are the statements of Fortran that are outside the subset and
// begin with one word.
var outsideWords = map[string]bool{
	"abstract": true, "assign": true,
	"asynchronous": true, "bind": true,
	"block": true, "class": true,
	"contiguous": true,
	"elemental":  true,
	"format":     true, "generic": true,
	"include":   true,
	"module":    true,
	"procedure": true,
	"pure":      true, "recursive": true,
	"sequence": true, "target": true,
	"type": true, "volatile": true, "wait": true,
}

// outside recognises statements outside the subset by their first words.
func (s *Stmt) outside() {
	second := s.Toks[1].Value
	switch {
	case s.Word == "module" && second == "procedure":
		s.Word = "procedure"
	case outsideWords[s.Word]:
		if len(s.Word) > 3 && s.Word[:3] == "end" {
			s.Word = "end " + s.Word[3:]
		}
	default:
		return
	}
	s.Kind = Outside
}
