package driver

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/kr/pretty"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// astRecords and irRecords print a program as Go values, one record for each unit,
// declaration and statement, behind its first line in Fortran. What a record refers to, and has a record of its own, is
// named in it by its place; expressions stand in it as source text. So no record is
// deeper than package pretty prints, which gives up at depth 10, whatever the depth of
// the program is. For
//
//	do i = 1, n
//	  a(i) = (i + 1)*2
//	end do
//
// the records of the tree are
//
//	! do i = 1, n
//	ast.Do{
//	    Base: ast.Base{Pos:3:3, Label:0},
//	    ...
//	    Body: {
//	        Assign at 4:5,
//	    },
//	    ...
//	}
//	  ! a(i) = (i + 1)*2
//	  ast.Assign{
//	      Base: ast.Base{Pos:4:5, Label:0},
//	      LHS:  a(i),
//	      RHS:  (i + 1)*2,
//	  }
func astRecords(f *ast.File) string {
	r := recorder{
		stmt: reflect.TypeFor[ast.Stmt](), expr: reflect.TypeFor[ast.Expr](),
		nested:  []reflect.Type{reflect.TypeFor[*ast.Program]()},
		refer:   func(v any) any { return astRef{v.(ast.Stmt)} },
		inWords: func(v any) any { return astText{v.(ast.Expr)} },
	}
	r.head = func(v any) string {
		if s, ok := v.(ast.Stmt); ok {
			return ast.UnparseStmt(s)
		}
		return ""
	}
	r.record(reflect.ValueOf(f))
	return r.b.String()
}

func irRecords(p *ir.Program) string {
	r := recorder{
		stmt: reflect.TypeFor[ir.Stmt](), expr: reflect.TypeFor[ir.Expr](),
		nested:  []reflect.Type{reflect.TypeFor[[]*ir.Symbol]()},
		refer:   func(v any) any { return irRef{v.(ir.Stmt)} },
		inWords: func(v any) any { return irText{v.(ir.Expr)} },
	}
	r.head = func(v any) string {
		switch v := v.(type) {
		case *ir.Symbol:
			return v.Decl()
		case ir.Stmt:
			return ir.StmtString(v)
		}
		return ""
	}
	r.record(reflect.ValueOf(p))
	return r.b.String()
}

// Statements and expressions as records have them. Each implements the interface of what
// it stands for, so that it fits the field that had that, and its GoString is what
// package pretty prints.
type (
	astRef  struct{ ast.Stmt }
	irRef   struct{ ir.Stmt }
	astText struct{ ast.Expr }
	irText  struct{ ir.Expr }
)

func (s astRef) GoString() string  { return referTo(s.Stmt, s.Position().GoString()) }
func (s irRef) GoString() string   { return referTo(s.Stmt, s.Position().GoString()) }
func (x astText) GoString() string { return ast.UnparseExpr(x.Expr) }
func (x irText) GoString() string  { return ir.ExprText(x.Expr) }

// referTo names a statement by its type and place.
func referTo(v any, place string) string {
	return reflect.TypeOf(v).Elem().Name() + " at " + place
}

// recorder writes records.
type recorder struct {
	b          strings.Builder
	depth      int
	stmt, expr reflect.Type       // the interfaces of statements and expressions
	nested     []reflect.Type     // fields of these types have records of their own, too
	refer      func(stmt any) any // a statement as a record has it
	inWords    func(expr any) any // an expression
	head       func(v any) string // the first line of what has a record; "": none
}

// record writes the record of what v points to, and then those of what stands below it.
func (r *recorder) record(v reflect.Value) {
	var below []reflect.Value
	text := pretty.Sprint(r.shallow(v.Elem(), true, &below).Interface())
	if head := r.head(v.Interface()); head != "" {
		text = "! " + head + "\n" + text
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(&r.b, "%*s%s", 2*r.depth, "", line)
	}
	r.b.WriteByte('\n')
	r.depth++
	for _, v := range below {
		r.record(v)
	}
	r.depth--
}

// shallow is a copy of v for a record; what has a record of its own is appended to below.
// top: v is the record itself.
func (r *recorder) shallow(v reflect.Value, top bool, below *[]reflect.Value) reflect.Value {
	switch t := v.Type(); {
	case t == r.expr || t == r.stmt:
		if v.IsNil() {
			return v
		}
		as := r.inWords
		if t == r.stmt {
			as = r.refer
		}
		c := reflect.New(t).Elem()
		c.Set(reflect.ValueOf(as(v.Interface())))
		return c
	case t.Kind() == reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			f := v.Field(i)
			if top {
				r.descend(f, below)
			}
			c.Field(i).Set(r.shallow(f, top && t.Field(i).Anonymous, below))
		}
		return c
	case t.Kind() == reflect.Slice && !v.IsNil():
		c := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			if t.Elem().Kind() == reflect.Struct { // such as the arms of an IF, which have statements
				for k := range v.Index(i).NumField() {
					r.descend(v.Index(i).Field(k), below)
				}
			}
			c.Index(i).Set(r.shallow(v.Index(i), false, below))
		}
		return c
	case t.Kind() == reflect.Pointer && !v.IsNil():
		if _, named := v.Interface().(fmt.GoStringer); named {
			return v
		}
		c := reflect.New(t.Elem())
		c.Elem().Set(r.shallow(v.Elem(), false, below))
		return c
	}
	return v
}

// descend appends to below what field f of a record has that gets records of its own:
// the statements of a list, and what is nested.
func (r *recorder) descend(f reflect.Value, below *[]reflect.Value) {
	t := f.Type()
	list := t.Kind() == reflect.Slice && t.Elem() == r.stmt
	for _, n := range r.nested {
		if t == n && t.Kind() == reflect.Pointer && !f.IsNil() {
			*below = append(*below, f)
			return
		}
		list = list || t.Kind() == reflect.Slice && (t == n || t.Elem() == n)
	}
	if !list {
		return
	}
	for i := range f.Len() {
		e := f.Index(i)
		if e.Kind() == reflect.Interface {
			e = e.Elem()
		}
		*below = append(*below, e)
	}
}
