package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// intrinsic describes one intrinsic function.
type intrinsicFunc struct {
	// params names the arguments, for keywords and messages. A name ending in
	// "?" is optional; a last "*" takes any number more.
	params []string
	// build makes the value from the lowered arguments in the order of params;
	// absent ones are nil. It reports what it does not take.
	build func(l *lowerer, c *call) ir.Expr
}

// call is one use of an intrinsic.
type call struct {
	ir.X          // position; the type is filled in
	name   string // as written
	params []string
	args   []ir.Expr
}

// intrinsic lowers a use of an intrinsic.
func (l *lowerer) intrinsic(e *ast.Index) ir.Expr {
	f := intrinsics[e.Name]
	if x, ok := l.inquiry(e); ok {
		return x
	}
	c := &call{X: ir.X{Pos: e.Pos}, name: e.Name, params: f.params}
	if !l.arguments(c, e, f.params) {
		return bad(e.Pos)
	}
	return f.build(l, c)
}

// arguments lowers and orders the arguments of e; false after an error.
func (l *lowerer) arguments(c *call, e *ast.Index, params []string) bool {
	variadic := len(params) > 0 && params[len(params)-1] == "*"
	if variadic {
		params = params[:len(params)-1]
	}
	c.args = make([]ir.Expr, len(params))
	ok := true
	bits := map[int]uint64{} // constants of bits, by argument
	for i, a := range e.Args {
		at := i
		if k, is := a.(*ast.Keyword); is {
			if at = keywordIndex(params, k.Name); at < 0 {
				l.errorf(codeArgument, k.Pos, "%s has no argument %s", c.name, k.Name).WithHelp("its arguments: %s", signature(c))
				ok = false
				continue
			}
			a = k.X
		}
		if l.isAbsent(a) && (at >= len(params) || strings.HasSuffix(params[at], "?")) {
			continue
		}
		value, isBits := bitConstant(a)
		var x ir.Expr
		if isBits = isBits && at < len(params) && takesBits[c.name] > at; isBits {
			x = fromBits(value, ir.Long, a.Position())
			bits[at] = value
		} else {
			x = l.argument(a)
		}
		ok = ok && !isBad(x)
		switch {
		case at >= len(c.args) && variadic:
			c.args = append(c.args, x)
		case at >= len(c.args):
			l.errorf(codeArgument, a.Position(), "%s takes at most %s", c.name, count(len(params), "argument")).
				WithHelp("its arguments: %s", signature(c))
			return false
		case c.args[at] != nil:
			l.errorf(codeArgument, a.Position(), "argument %s of %s is given twice", strings.TrimSuffix(params[at], "?"), c.name)
			ok = false
		default:
			c.args[at] = x
		}
	}
	for i, p := range params {
		if ok && c.args[i] == nil && !strings.HasSuffix(p, "?") {
			l.errorf(codeArgument, e.Pos, "%s lacks its argument %s", c.name, p).WithHelp("its arguments: %s", signature(c))
			return false
		}
	}
	for at, value := range bits {
		if ok && len(bits) == 2 {
			l.errorf(codeArgument, c.args[at].Position(), "both arguments of %s are constants of bits", c.name).
				WithHelp("write int(...) around one of them, which gives it a type")
			return false
		} else if ok {
			c.args[at] = fromBits(value, c.typeOfBits(at), c.args[at].Position())
		}
	}
	return ok
}

// argument lowers an argument of an elemental intrinsic, where a whole array
// would make an array.
func (l *lowerer) argument(a ast.Expr) ir.Expr {
	if isStar(a) {
		l.errorf(codeOutside, a.Position(), "array sections are not supported").WithHelp("write a DO loop over the elements")
		return bad(a.Position())
	}
	return l.expr(a)
}

func keywordIndex(params []string, name string) int {
	for i, p := range params {
		if strings.TrimSuffix(p, "?") == name {
			return i
		}
	}
	return -1
}

// signature writes the arguments of an intrinsic as "mod(a, p)".
func signature(c *call) string {
	parts := make([]string, len(c.params))
	for i, p := range c.params {
		switch {
		case p == "*":
			parts[i] = "..."
		case strings.HasSuffix(p, "?"):
			parts[i] = "[" + strings.TrimSuffix(p, "?") + "]"
		default:
			parts[i] = p
		}
	}
	return c.name + "(" + strings.Join(parts, ", ") + ")"
}

// wrong reports that argument i has a type that the intrinsic does not take.
func (l *lowerer) wrong(c *call, i int, want string) ir.Expr {
	param := "*"
	if i < len(c.params) {
		param = strings.TrimSuffix(c.params[i], "?")
	}
	if param == "*" {
		param = "number " + count(i+1, "")
	}
	l.errorf(codeArgument, c.args[i].Position(), "argument %s of %s is %s, it must be %s", strings.TrimSpace(param), c.name, c.args[i].Type(), want)
	return bad(c.Pos)
}

// result makes the call of the generic intrinsic name.
func (c *call) result(name string, t ir.Type, args ...ir.Expr) *ir.Call {
	return &ir.Call{X: ir.X{Pos: c.Pos, Typ: t}, Name: name, Args: args}
}

// outsideSubroutines names intrinsic and library subroutines that are not supported, with
// what to do instead.
var outsideSubroutines = map[string]string{
	"move_alloc":    "write assignments",
	"hpf_alignment": otherMappings, "hpf_distribution": otherMappings, "hpf_template": otherMappings, // of module hpf_library
	"global_alignment": otherMappings, "global_distribution": otherMappings, "global_template": otherMappings, // of HPF_LOCAL_LIBRARY
}

const otherMappings = "leave the call out: explain FILE mapping shows how arrays lie; number_of_processors() and processors_shape() are there"

// knownOutside names intrinsics of Fortran that are not supported, with what to
// write instead.
var knownOutside = func() map[string]string {
	m := map[string]string{}
	for _, name := range strings.Fields("reduce") {
		m[name] = "write a DO loop over the elements"
	}
	for _, name := range strings.Fields("associated") {
		m[name] = "declare arrays with constant bounds"
	}
	for _, name := range strings.Fields("image_index lcobound ucobound coshape failed_images stopped_images") {
		m[name] = "coarrays have one codimension [*], 1 to num_images()"
	}
	return m
}()
