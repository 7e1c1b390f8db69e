package derived

import (
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Reduction is the block that CO_REDUCE of x by the function op is, where typ and rank are those of x;
// image, if it is not nil, alone gets the result:
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
func Reduction(s *ast.Call, typ *ast.TypeSpec, rank int, x ast.Expr, op *ast.Ident, image ast.Expr) *ast.Block {
	b := &reduction{at: ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}, stmt: ast.Base{Pos: s.Pos}, typ: typ, rank: rank}
	return b.block(x, op, image)
}

// reducedType is the name by which the block of a CO_REDUCE knows the type of its argument.
const reducedType = "%reduced"

// coReduce is CO_REDUCE of a variable of type r.
func (t *unit) coReduce(s *ast.Call, r *record, args []ast.Expr) []ast.Stmt {
	names := []string{"a", "operation", "result_image", "stat", "errmsg"}
	given := make([]ast.Expr, len(names))
	for i, a := range args {
		if k, ok := a.(*ast.Keyword); ok {
			i, a = slices.Index(names, k.Name), k.X
		}
		if i < 0 || i >= len(names) || given[i] != nil {
			t.p.diags.Errorf(source.BadIntrinsic, s.Pos, "co_reduce takes A, OPERATION, RESULT_IMAGE, STAT and ERRMSG").WithHelp("write: call co_reduce(x, operation)")
			return []ast.Stmt{}
		}
		given[i] = a
	}
	op, named := given[1].(*ast.Ident)
	var f *function
	if named {
		f = t.function(t.p, op.Name)
	}
	switch {
	case f == nil || !f.unit.Pure || f.unit.Kind != ast.FunctionUnit:
		t.p.diags.Errorf(source.BadIntrinsic, s.Pos, "the operation of co_reduce must be the name of a pure function").
			WithHelp("write a pure function of two values of type %s, and its name here", r.name)
		return []ast.Stmt{}
	case t.p.isChosen(r) || r.allocates():
		t.p.errorf(s.Pos, "CO_REDUCE of type %s, which is declared with CLASS or has allocatable components or pointers", r.name).WithHelp("reduce the components one by one")
		return []ast.Stmt{}
	}
	outer := t.scope
	defer func() { t.scope = outer }()
	t.scope = newScope(t.unit, outer, outer.ofUnit().id)
	t.scope.types[reducedType] = r
	typ := &ast.TypeSpec{Name: "type", Of: ast.Name{Pos: s.Pos, Name: reducedType}}
	out := t.block(Reduction(s, typ, t.rank(given[0]), given[0], op, given[2]))
	if given[3] != nil {
		e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
		out = append(out, e.set(t.expr(given[3]), e.lit(0)))
	}
	return out
}

// allocates reports whether a value of type r has allocatable components or pointers.
func (r *record) allocates() bool {
	return r.hasContents() || slices.ContainsFunc(r.leaves(), func(l *leaf) bool { return l.open || l.comp.pointer })
}

// reduction writes the block of a CO_REDUCE. No name of the source has a % in it.
type reduction struct {
	at   ast.XBase
	stmt ast.Base
	typ  *ast.TypeSpec
	rank int
}

const sharedName, reducedName, otherName, imageName, indexName = "shared%of", "reduced%of", "other%of", "image%of", "index%of"

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
		base = ast.SectionOfAll(sharedName, b.rank, b.at)
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
