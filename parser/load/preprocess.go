package load

import (
	"strings"

	"github.com/spmdc/spmdc/parser/source"
)

// branch is an #if that is open.
type branch struct {
	at     source.Pos
	active bool // its lines are compiled
	done   bool // one of its branches was, or the whole #if stands in one that is not
	other  bool // #else was there
}

// preprocess reads a file with lines for the preprocessor.
func (r *reader) preprocess(f *source.File) {
	var open []branch
	active := func() bool { return len(open) == 0 || open[len(open)-1].active }
	lines := f.Physical()
	for i := 0; i < len(lines); i++ {
		ph := lines[i]
		if !strings.HasPrefix(ph.Text, "#") || r.macros.comment {
			if active() {
				r.expanded(f, ph)
			} else {
				r.macros.expand(f, ph) // comments of C go on in what is left out
			}
			continue
		}
		for strings.HasSuffix(ph.Text, `\`) && i+1 < len(lines) {
			i++
			ph.Text = ph.Text[:len(ph.Text)-1]
			ph = joined(ph, lines[i])
		}
		d := directiveOf(ph)
		switch d.word {
		case "if", "ifdef", "ifndef":
			b := branch{at: ph.At(0), done: !active()}
			if !b.done {
				b.active = r.condition(f, d)
				b.done = b.active
			}
			open = append(open, b)
		case "elif", "else", "endif":
			if len(open) == 0 {
				r.wrong(d, "#%s without #if", d.word).WithHelp("remove it")
				continue
			}
			b := &open[len(open)-1]
			switch {
			case d.word == "endif":
				open = open[:len(open)-1]
			case b.other:
				r.wrong(d, "#%s behind #else", d.word).WithNote(b.at, "the #if is here").
					WithHelp("an #endif may be missing in front of it")
			default:
				b.other = d.word == "else"
				b.active = !b.done && (b.other || r.condition(f, d))
				b.done = b.done || b.active
			}
		default:
			if active() {
				r.directive(f, d)
			}
		}
	}
	if r.macros.comment {
		r.program.Diags.Errorf(source.Preprocessor, lines[len(lines)-1].At(0), "a comment of C does not end").
			WithHelp("*/ is missing behind the last /* of the file")
		r.macros.comment, r.begun = false, nil
	}
	for _, b := range open {
		r.program.Diags.Errorf(source.Preprocessor, b.at, "#endif is missing").
			WithHelp("the lines up to the end of the file belong to this #if")
	}
}

// expanded takes in a line with its macros replaced.
func (r *reader) expanded(f *source.File, ph source.Physical) {
	out := r.macros.expand(f, ph)
	if name := r.macros.cycle; name != "" {
		r.program.Diags.Errorf(source.Preprocessor, ph.At(0), "the macro %s stands for itself", name).
			WithHelp("give it a value in which it does not occur")
		return
	}
	if r.macros.work > maxWork || len(out.Text) > maxExpansion {
		r.program.Diags.Errorf(source.Preprocessor, ph.At(0), "what macros stand for in this line is too long").
			WithHelp("their values have more than %d characters, or stand for each other in too many ways", maxExpansion)
		return
	}
	if r.begun != nil {
		out = joined(*r.begun, out)
		r.begun = nil
	}
	if r.macros.comment {
		r.begun = &out
		return
	}
	r.line(out)
}

// joined is a line with the next behind it; places lie on the first.
func joined(a, b source.Physical) source.Physical {
	out := source.Physical{Text: a.Text + b.Text, Line: a.Line}
	for i := range len(a.Text) {
		out.Cols = append(out.Cols, a.At(i).Col)
	}
	for range len(b.Text) + 1 {
		out.Cols = append(out.Cols, a.At(len(a.Text)).Col)
	}
	return out
}

// directive is a line for the preprocessor.
type directive struct {
	ph   source.Physical
	word string
	from int // of the word
	rest int // where the text behind it begins
	end  int // where it ends, but for a comment
}

func directiveOf(ph source.Physical) directive {
	d := directive{ph: ph, from: 1, end: len(ph.Text)}
	quote := byte(0)
	for i := 0; i+1 < len(ph.Text); i++ {
		switch c := ph.Text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"':
			quote = c
		case c == '/' && ph.Text[i+1] == '*':
			d.end = i
		}
		if d.end < len(ph.Text) {
			break
		}
	}
	for d.from < d.end && isBlank(ph.Text[d.from]) {
		d.from++
	}
	d.word = ph.Text[d.from : d.from+nameLen(ph.Text[d.from:d.end])]
	d.rest = d.from + len(d.word)
	for d.rest < d.end && isBlank(ph.Text[d.rest]) {
		d.rest++
	}
	for d.end > d.rest && isBlank(ph.Text[d.end-1]) {
		d.end--
	}
	return d
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' }

// text is what stands behind the word.
func (d *directive) text() string { return d.ph.Text[d.rest:d.end] }

// wrong reports what is wrong with a directive.
func (r *reader) wrong(d directive, format string, args ...any) *source.Diag {
	return r.program.Diags.Errorf(source.Preprocessor, d.ph.At(d.from), format, args...).WithEnd(d.ph.At(d.from + len(d.word)))
}

// directive executes a directive that is not about conditions.
func (r *reader) directive(f *source.File, d directive) {
	text := d.text()
	switch d.word {
	case "define":
		n := nameLen(text)
		switch {
		case n == 0 || isDigit(text[0]):
			r.wrong(d, "#define without a name").WithHelp("write #define NAME value")
		case n < len(text) && text[n] == '(':
			r.wrong(d, "the macro %s has arguments: such ones are not supported", text[:n]).
				WithHelp("write a function, or what the macro stands for, where it is used")
		default:
			r.macros.values[text[:n]] = strings.TrimSpace(text[n:])
		}
	case "undef":
		delete(r.macros.values, text)
	case "include":
		r.hashInclude(f, d)
	case "error":
		r.wrong(d, "#error %s", text).WithHelp("the program says so itself: see the conditions around the line, and -D on the command line")
	case "warning":
		r.wrong(d, "#warning %s", text).Severity = source.Warning
	case "", "pragma", "line", "ident":
		// Nothing that changes the program.
	default:
		if isDigit(d.word[0]) {
			return // the mark of a preprocessor that was here before
		}
		r.wrong(d, "there is no preprocessor directive #%s", d.word).
			WithHelp("the directives are #define, #undef, #if, #ifdef, #ifndef, #elif, #else, #endif, #include and #error")
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// hashInclude executes #include "file".
func (r *reader) hashInclude(f *source.File, d directive) {
	text := d.text()
	if text != "" && isNameByte(text[0]) {
		text, _ = r.macros.value(f, d.ph, text, nil)
	}
	if len(text) < 3 || text[0] != '"' && text[0] != '<' || text[0] == '"' && text[len(text)-1] != '"' || text[0] == '<' && text[len(text)-1] != '>' {
		r.wrong(d, "#include without the name of a file").WithHelp(`write #include "file"`)
		return
	}
	r.include(d.ph, text[1:len(text)-1], d.rest+1, d.end-1)
}

// condition evaluates the condition of #if, #ifdef, #ifndef or #elif.
func (r *reader) condition(f *source.File, d directive) bool {
	text := d.text()
	if d.word == "ifdef" || d.word == "ifndef" {
		if n := nameLen(text); n == 0 || n < len(text) {
			r.wrong(d, "#%s wants the name of a macro", d.word).WithHelp("write #%s NAME", d.word)
		}
		return r.macros.defined(text) == (d.word == "ifdef")
	}
	e := &evaluation{macros: r.macros, file: f, ph: d.ph, text: text}
	r.macros.work, r.macros.cycle = 0, ""
	value := e.evaluate()
	if r.macros.cycle != "" {
		e.problem, e.bad = "the macro "+r.macros.cycle+", which stands for itself,", 0
	}
	if e.problem != "" {
		r.program.Diags.Errorf(source.Preprocessor, d.ph.At(d.rest+e.bad), "%s in the condition of #%s", e.problem, d.word).
			WithHelp("a condition has whole numbers, macros, defined(NAME) and the operators of C")
		return false
	}
	return value != 0
}
