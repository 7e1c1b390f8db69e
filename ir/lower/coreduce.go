package lower

import (
	"strconv"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// coReduce lowers CO_REDUCE to what a program would write that has none:
//
//	call co_reduce(x, op)      block
//	                              type, save :: t[*]      or for an array      type, allocatable :: t(:)[:]
//	                              t = x; sync all; acc = t[1]
//	                              do k = 2, num_images(); other = t[k]; acc = op(acc, other); end do
//	                              sync all; x = acc
//	                           end block
//
// where the elements of arrays are combined one by one. All images come to the same bits, from
// image 1 upwards.
func (l *lowerer) coReduce(s *ast.Call) []ir.Stmt {
	base := ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}
	call := &ast.Index{XBase: base, Name: s.Proc.Name, NamePos: s.Proc.Pos, Args: s.Args}
	args := l.ordered(call, 2, "a", "operation", "result_image", "stat", "errmsg")
	if args == nil {
		return nil
	}
	op, named := args[1].(*ast.Ident)
	if !named {
		l.errorf(codeArgument, args[1].Position(), "the operation of co_reduce must be the name of a function").
			WithHelp("write a pure function of two values, and its name here")
		return nil
	}
	if p := l.procedure(op.Name); p != nil && !p.unit.Pure {
		l.errorf(codeCall, op.Pos, "%s, the operation of co_reduce, is not PURE", op.Name).
			WithNote(p.unit.Pos, "%s begins here", op.Name).WithHelp("write: pure function %s", op.Name)
		return nil
	}
	b := &reduction{at: base, stmt: ast.Base{Pos: s.Pos}}
	var pre []ir.Stmt
	if l.isPart(args[0]) {
		a := l.part(args[0], &pre)
		if a == nil {
			return nil
		}
		b.rank = len(a.shape.n)
		b.typ = typeSpec(a.typ, a.view.base.Len, base)
	} else {
		x := l.target(args[0])
		if isBad(x) {
			return nil
		}
		length := 0
		if x.Type() == ir.Character {
			length = l.charLen(x)
		}
		b.typ = typeSpec(x.Type(), length, base)
	}
	if b.typ == nil {
		l.errorf(codeOutside, args[0].Position(), "co_reduce of CHARACTER whose length is not constant is not supported").
			WithHelp("assign it to a variable of constant length first")
		return nil
	}
	out := append(pre, l.blockConstruct(b.block(args[0], op, args[2]))...)
	var status []ast.Expr
	for i, e := range args[3:] {
		if e != nil {
			status = append(status, &ast.Keyword{XBase: base, Name: []string{"stat", "errmsg"}[i], X: e})
		}
	}
	return l.succeeds(out, status)
}

// typeSpec is type t as a declaration has it; nil for a CHARACTER length that is not constant.
func typeSpec(t ir.Type, length int, at ast.XBase) *ast.TypeSpec {
	number := func(n int) ast.Expr { return &ast.IntLit{XBase: at, Text: strconv.Itoa(n)} }
	names := map[ir.Type]string{ir.Integer: "integer", ir.Long: "integer", ir.Real: "real", ir.Double: "real",
		ir.Complex: "complex", ir.DoubleComplex: "complex", ir.Logical: "logical"}
	switch t {
	case ir.Character:
		if length < 0 {
			return nil
		}
		return &ast.TypeSpec{Name: "character", Len: number(length)}
	case ir.Long, ir.Double, ir.DoubleComplex:
		return &ast.TypeSpec{Name: names[t], Kind: number(8)}
	}
	return &ast.TypeSpec{Name: names[t]}
}

// reduction writes the block of a CO_REDUCE. No name of the source has a % in it.
type reduction struct {
	at   ast.XBase
	stmt ast.Base
	typ  *ast.TypeSpec
	rank int
}

const sharedName, reducedName, otherName, imageName, indexName = "shared%", "reduced%", "other%", "image%", "index%"

func (b *reduction) name(name string) ast.Expr { return &ast.Ident{XBase: b.at, Name: name} }

func (b *reduction) number(n int) ast.Expr {
	return &ast.IntLit{XBase: b.at, Text: strconv.Itoa(n)}
}

func (b *reduction) call(name string, args ...ast.Expr) ast.Expr {
	return &ast.Index{XBase: b.at, Name: name, NamePos: b.at.Pos, Args: args}
}

func (b *reduction) assign(to, e ast.Expr) ast.Stmt {
	return &ast.Assign{Base: b.stmt, LHS: to, RHS: e}
}

// of is the shared variable of an image.
func (b *reduction) of(image ast.Expr) ast.Expr {
	base := b.name(sharedName)
	if b.rank > 0 {
		base = sectionOfAll(base, b.rank, b.at)
	}
	return &ast.CoIndex{XBase: b.at, Base: base, Images: []ast.Expr{image}}
}

// element is an element of an array, a scalar itself.
func (b *reduction) element(name string) ast.Expr {
	if b.rank == 0 {
		return b.name(name)
	}
	var at []ast.Expr
	for k := range b.rank {
		at = append(at, b.name(indexName+strconv.Itoa(k+1)))
	}
	return b.call(name, at...)
}

// combined combines two variables, element by element.
func (b *reduction) combined(op *ast.Ident) ast.Stmt {
	one := &ast.Index{XBase: b.at, Name: op.Name, NamePos: op.Pos, Args: []ast.Expr{b.element(reducedName), b.element(otherName)}}
	out := b.assign(b.element(reducedName), one)
	for k := range b.rank {
		out = b.loop(indexName+strconv.Itoa(k+1), 1, b.call("size", b.name(reducedName), b.number(k+1)), out)
	}
	return out
}

func (b *reduction) loop(index string, from int, to ast.Expr, body ...ast.Stmt) ast.Stmt {
	return &ast.Do{Base: b.stmt, Var: ast.Name{Pos: b.stmt.Pos, Name: index}, Lo: b.number(from), Hi: to, Body: body, EndPos: b.stmt.Pos}
}

// declared declares variables, of the type of the argument or, with integers, INTEGER.
func (b *reduction) declared(integers bool, coarray bool, names ...string) *ast.TypeDecl {
	d := &ast.TypeDecl{Base: b.stmt, Type: *b.typ, HasColons: true, Allocatable: b.rank > 0 && !integers, Save: b.rank == 0 && coarray}
	if integers {
		d.Type = ast.TypeSpec{Name: "integer"}
	}
	for _, name := range names {
		e := ast.Entity{Pos: b.at.Pos, Name: name}
		if !integers {
			e.Dims = make([]ast.DimSpec, b.rank)
		}
		if coarray {
			e.Codims = make([]ast.DimSpec, 1)
			if b.rank == 0 {
				e.Codims[0].Hi = b.name("*")
			}
		}
		d.Entities = append(d.Entities, e)
	}
	return d
}

// block is CO_REDUCE of x by op, with the result on image only if that is not nil.
func (b *reduction) block(x ast.Expr, op *ast.Ident, image ast.Expr) *ast.Block {
	indices := []string{imageName}
	for k := range b.rank {
		indices = append(indices, indexName+strconv.Itoa(k+1))
	}
	out := &ast.Block{Base: b.stmt, EndPos: b.stmt.Pos,
		Spec: []ast.Stmt{b.declared(false, true, sharedName), b.declared(false, false, reducedName, otherName), b.declared(true, false, indices...)}}
	var first []ast.Stmt
	var last ast.Stmt = &ast.Sync{Base: b.stmt, What: "all"}
	if b.rank > 0 {
		var sizes []ast.Expr
		for k := range b.rank {
			sizes = append(sizes, b.call("size", x, b.number(k+1)))
		}
		array := &ast.CoIndex{XBase: b.at, Base: b.call(sharedName, sizes...), Images: []ast.Expr{b.name("*")}}
		first = []ast.Stmt{&ast.Allocate{Base: b.stmt, Args: []ast.Expr{array}}}
		last = &ast.Allocate{Base: b.stmt, Free: true, Args: []ast.Expr{b.name(sharedName)}}
	}
	result := b.assign(x, b.name(reducedName))
	if image != nil {
		mine := &ast.Binary{XBase: b.at, Op: "==", OpPos: b.at.Pos, X: b.call("this_image"), Y: image}
		result = &ast.If{Base: b.stmt, Arms: []ast.IfArm{{Pos: b.stmt.Pos, Cond: mine, Body: []ast.Stmt{result}}}}
	}
	out.Body = append(first,
		b.assign(b.name(sharedName), x), &ast.Sync{Base: b.stmt, What: "all"},
		b.assign(b.name(reducedName), b.of(b.number(1))),
		b.loop(imageName, 2, b.call("num_images"), b.assign(b.name(otherName), b.of(b.name(imageName))), b.combined(op)),
		last, result)
	return out
}
