package ir

// Evaluate is the value of e where value gives those of some of its parts; nil if it does not
// follow from them. value is called for a part before its operands are looked at, and returns
// nil for what it leaves to them. An .AND. or .OR. of which one operand decides needs no other.
// fits is false where an INTEGER has been wrapped on the way, or something is no finite number.
func Evaluate(e Expr, value func(Expr) *Const) (c *Const, fits bool) {
	if c, ok := e.(*Const); ok {
		return c, true
	}
	if c := value(e); c != nil {
		return c, true
	}
	switch e.(type) {
	case *Un, *Bin, *Conv, *Call:
	default:
		return nil, false
	}
	operands := Children(e)
	args := make([]*Const, len(operands))
	all := true
	fits = true
	for i, x := range operands {
		c, ok := Evaluate(x, value)
		if c != nil && decides(e, c) {
			return &Const{X: X{Pos: e.Position(), Typ: e.Type()}, Bool: c.Bool}, ok
		}
		args[i], all, fits = c, all && c != nil, fits && ok
	}
	if !all {
		return nil, false
	}
	c, ok, is := Compute(e, args)
	if !is {
		return nil, false
	}
	return c, fits && ok
}

// decides reports whether e is c, whatever its other operand is.
func decides(e Expr, c *Const) bool {
	b, ok := e.(*Bin)
	return ok && (b.Op == And && !c.Bool || b.Op == Or && c.Bool)
}
