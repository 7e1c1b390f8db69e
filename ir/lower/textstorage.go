package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// CHARACTER variables of different lengths that share storage are parts of one text. They are
// variables of their own until the program is complete: then, with
//
//	character(12) :: label;  character(4) :: word(3);  equivalence (label, word)
//
// word(i) becomes label_storage(4*i-3:4*i), and label becomes label_storage(1:12).

// textPart is where a variable begins in a text, from 0.
type textPart struct {
	whole *ir.Symbol
	at    int
}

// differentTexts reports whether all that share piece q are CHARACTER, but not of one length.
func (q *stretch) differentTexts() bool {
	differ := false
	for _, p := range q.list {
		if p.sym.Type != ir.Character {
			return false
		}
		differ = differ || p.sym.Len != q.list[0].sym.Len
	}
	return differ
}

// overlayText makes p a part of the text that piece q is.
func (l *lowerer) overlayText(a *area, p placed, q *stretch) {
	if q.sym == nil {
		q.sym = l.pieceArray(a, p, q)
		q.sym.Dims, q.sym.Len = nil, q.hi-q.lo
	}
	l.texts[p.sym], p.sym.Whole = textPart{q.sym, p.at - q.lo}, q.sym
}

// keepText makes all calls of the procedure share the text that s is a part of.
func (l *lowerer) keepText(s *ir.Symbol) {
	whole := l.texts[s].whole
	if l.common[whole] {
		return
	}
	first := l.saved(whole.Local, whole)
	if first == whole {
		return
	}
	for _, x := range l.names {
		if part, is := l.texts[x]; is && part.whole == whole {
			l.texts[x], x.Whole = textPart{first, part.at}, first
			l.shared[x] = true
		}
	}
}

// joinTexts makes the parts what they are, in the whole program.
func (l *lowerer) joinTexts() {
	if len(l.texts) == 0 {
		return
	}
	for s, part := range l.texts {
		l.joinInitial(s, part)
		l.drop(s)
	}
	l.prog.Body = l.joinedTexts(l.prog.Body)
}

// joinInitial gives the text the initial value of its part s.
func (l *lowerer) joinInitial(s *ir.Symbol, part textPart) {
	set := func(at int, text string) {
		c, _ := part.whole.Init.(*ir.Const)
		if c == nil {
			c = &ir.Const{X: ir.X{Pos: s.Pos, Typ: ir.Character}, Str: strings.Repeat("\x00", part.whole.Len)}
			part.whole.Init = c
		}
		at += part.at
		c.Str = c.Str[:at] + pad(text, s.Len) + c.Str[at+s.Len:]
	}
	if c, ok := s.Init.(*ir.Const); ok {
		for k := range storageSize(s) / max(1, s.Len) {
			set(k*s.Len, c.Str)
		}
	}
	for _, v := range s.Values {
		for k := range v.N {
			set((v.At+k)*s.Len, v.Const.Str)
		}
	}
}

// joinedTexts is list with the parts as what they are, also in the statements inside of those in list.
func (l *lowerer) joinedTexts(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		var behind []ir.Stmt
		switch s := s.(type) {
		case *ir.Assign:
			s.RHS, s.LHS = l.joinedText(s.RHS), l.joinedText(s.LHS)
		case *ir.Read: // which reads variables only
			for i, v := range s.Items {
				if _, is := l.texts[v.Sym]; !is {
					continue
				}
				item := l.local(v.Sym.Source(), ir.Character, s.Pos)
				item.Len = v.Sym.Len
				s.Items[i] = &ir.Var{X: v.X, Sym: item}
				out = append(out, &ir.Assign{S: s.S, LHS: varOf(item, s.Pos), RHS: raw(l.joinedText(v))})
				behind = append(behind, &ir.Assign{S: s.S, LHS: l.joinedText(v), RHS: varOf(item, s.Pos)})
			}
		}
		ir.ReplaceBodies(s, l.joinedTexts)
		replaceExprs(s, l.joinedText)
		out = append(append(out, s), behind...)
	}
	return out
}

// joinedText is e with the parts as what they are, nil for nil.
func (l *lowerer) joinedText(e ir.Expr) ir.Expr {
	if e == nil {
		return nil
	}
	return ir.Rewrite(e, func(x ir.Expr) ir.Expr {
		var s *ir.Symbol
		var at ir.Expr // the place of the element, from 0
		switch x := x.(type) {
		case *ir.Var:
			s, at = x.Sym, l.intConst(0, x.Pos)
		case *ir.Ref:
			s, at = x.Sym, l.intConst(0, x.Pos)
			size := 1
			for k, b := range s.Dims {
				i := l.minus(l.joinedText(x.Subs[k]), l.intConst(b.Lo, x.Pos), x.Pos)
				at = l.plus(l.times(l.intConst(size, x.Pos), i, x.Pos), at, x.Pos)
				size *= b.Extent()
			}
		}
		part, is := l.texts[s]
		if !is {
			return nil
		}
		pos := x.Position()
		lo := l.plus(l.times(l.intConst(s.Len, pos), at, pos), l.intConst(part.at+1, pos), pos)
		return &ir.Substr{X: ir.X{Pos: pos, Typ: ir.Character, Raw: x.IsRaw()}, Base: varOf(part.whole, pos), Lo: lo,
			Hi: l.plus(ir.Clone(lo), l.intConst(s.Len-1, pos), pos)}
	})
}
