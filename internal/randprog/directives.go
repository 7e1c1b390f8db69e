package randprog

import (
	"fmt"
	"strings"
)

// directives writes the mapping directives of the program.
func (g *gen) directives(u *unit) []string {
	w := &directiveWriter{g: g, u: u, merged: map[string][]string{}}
	w.shapes()
	for _, a := range g.arrays {
		if a.place.kind == aligned {
			w.align(a)
		}
	}
	w.flush("align:colons", "align:several objects")
	for _, t := range g.templates {
		w.line("distribute %s(%s)%s", t.name, strings.Join(t.formats, ", "), onto(t.onto))
	}
	for _, a := range g.arrays {
		if a.place.kind == distributed {
			list := "(" + strings.Join(a.place.formats, ", ") + ")"
			if a.place.colons {
				w.merge("distribute "+list+onto(a.place.onto), a.name)
			} else {
				w.line("distribute %s%s%s", a.name, list, onto(a.place.onto))
			}
		}
	}
	w.flush("dist:colons", "dist:several objects")
	return w.out
}

// directiveWriter collects directives; those of the form with "::" that have
// equal words are merged.
type directiveWriter struct {
	g      *gen
	u      *unit
	out    []string
	order  []string
	merged map[string][]string
}

// line adds a directive, in upper case now and then.
func (w *directiveWriter) line(format string, args ...any) {
	s := "!HPF$ " + fmt.Sprintf(format, args...)
	switch w.u.pick(5) {
	case 1:
		s = strings.ToUpper(s)
	case 2:
		s = strings.ToLower(s)
	}
	w.out = append(w.out, s)
}

func (w *directiveWriter) merge(head, name string) {
	if w.merged[head] == nil {
		w.order = append(w.order, head)
	}
	w.merged[head] = append(w.merged[head], name)
}

// flush writes the merged directives and counts them.
func (w *directiveWriter) flush(form, several string) {
	for _, head := range w.order {
		names := w.merged[head]
		w.line("%s :: %s", head, strings.Join(names, ", "))
		w.g.feat(form)
		if len(names) > 1 {
			w.g.feat(several)
		}
	}
	w.order, w.merged = nil, map[string][]string{}
}

// shapes writes PROCESSORS and TEMPLATE.
func (w *directiveWriter) shapes() {
	var list []string
	for _, p := range w.g.grids {
		list = append(list, fmt.Sprintf("%s(%s)", p.name, p.shape))
	}
	w.list("processors", list)
	list = nil
	for _, t := range w.g.templates {
		var dims []string
		for _, b := range t.dims {
			hi := w.g.spell(w.u, b.hi)
			if b.lo != 1 {
				hi = fmt.Sprintf("%d:%s", b.lo, hi)
			}
			dims = append(dims, hi)
		}
		list = append(list, fmt.Sprintf("%s(%s)", t.name, strings.Join(dims, ", ")))
	}
	w.list("template", list)
}

// list writes one directive for all, if that is one line of Fortran, or one for each.
func (w *directiveWriter) list(keyword string, list []string) {
	if all := strings.Join(list, ", "); len(list) > 1 && w.u.chance(1, 3) && len(all) < 100 {
		w.line("%s %s", keyword, all)
		w.g.feat(keyword + ":several objects")
		return
	}
	for _, s := range list {
		w.line("%s %s", keyword, s)
	}
}

func onto(p *grid) string {
	if p == nil {
		return ""
	}
	return " onto " + p.name
}

// align writes the alignment of a in its form.
func (w *directiveWriter) align(a *array) {
	p := a.place
	var target string
	if p.target != nil {
		target = p.target.name
	} else {
		target = p.base.name
	}
	if p.source == nil {
		if p.colons {
			w.merge("align with "+target, a.name)
			w.g.feat("align:identity without list")
			return
		}
		list := strings.TrimSuffix(strings.Repeat(":, ", a.rank()), ", ")
		w.line("align %s(%s) with %s(%s)", a.name, list, target, list)
		w.g.feat("align:identity with (:)")
		return
	}
	var source, subs []string
	for d, dummy := range p.source {
		if dummy {
			source = append(source, indexNames[d])
		} else {
			source = append(source, "*")
		}
	}
	for _, s := range p.subs {
		subs = append(subs, s.String())
	}
	from, to := strings.Join(source, ", "), fmt.Sprintf("%s(%s)", target, strings.Join(subs, ", "))
	if p.colons {
		w.merge(fmt.Sprintf("align (%s) with %s", from, to), a.name)
	} else {
		w.line("align %s(%s) with %s", a.name, from, to)
	}
}

// affine writes c*name+o with c not 0; text is |o| as it is to be written.
func affine(c int, name, text string, o int) string {
	switch {
	case c == -1 && o == 0:
		return "-" + name
	case c == -1 && o < 0:
		return "-" + name + "-" + text
	case c == -1:
		return text + "-" + name
	case c != 1:
		name = fmt.Sprintf("%d*%s", c, name)
	}
	switch {
	case o > 0:
		return name + "+" + text
	case o < 0:
		return name + "-" + text
	}
	return name
}
