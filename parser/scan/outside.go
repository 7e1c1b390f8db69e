package scan

// outsideWords are the statements of Fortran that are outside the subset and
// begin with one word.
var outsideWords = map[string]bool{
	"abstract": true, "assign": true,
	"asynchronous": true, "bind": true,
	"block": true, "class": true,
	"codimension":  true,
	"contiguous":   true,
	"elemental":    true,
	"endenum":      true,
	"endprocedure": true,
	"endsubmodule": true, "enum": true,
	"enumerator": true, "final": true,
	"format": true, "generic": true,
	"include": true,
	"module":  true, "nullify": true,
	"pointer":   true,
	"procedure": true,
	"pure":      true, "recursive": true,
	"selecttype": true, "sequence": true,
	"submodule": true, "target": true,
	"type": true, "volatile": true, "wait": true,
}

// outside recognises statements outside the subset by their first words.
func (s *Stmt) outside() {
	second := s.Toks[1].Value
	switch {
	case s.Word == "select" && second == "type":
		s.Word = "select " + second
	case s.Word == "module" && second == "procedure":
		s.Word = "procedure"
	case outsideWords[s.Word]:
		switch s.Word {
		case "selecttype":
			s.Word = "select type"
		}
		if len(s.Word) > 3 && s.Word[:3] == "end" {
			s.Word = "end " + s.Word[3:]
		}
	default:
		return
	}
	s.Kind = Outside
}
