package ast

import (
	"reflect"
	"slices"

	"github.com/spmdc/spmdc/parser/source"
)

// Parts are the expressions that x consists of, those that are absent left out.
func Parts(x Expr) []*Expr {
	switch x := x.(type) {
	case *Index:
		return present(x.Args)
	case *Triplet:
		return present(nil, &x.Lo, &x.Hi, &x.Step)
	case *Substring:
		return present(nil, &x.Base, &x.Lo, &x.Hi)
	case *CoIndex:
		return present(x.Images, &x.Base)
	case *Component:
		return present(x.Args, &x.Base)
	case *Unary:
		return present(nil, &x.X)
	case *Binary:
		return present(nil, &x.X, &x.Y)
	case *Paren:
		return present(nil, &x.X)
	case *Complex:
		return present(nil, &x.Re, &x.Im)
	case *Array:
		return present(x.Items)
	case *Elements:
		return present(x.Own, &x.X)
	case *Keyword:
		return present(nil, &x.X)
	case *ImpliedDo:
		return append(present(x.Items), present(nil, &x.Lo, &x.Hi, &x.Step)...)
	}
	return nil
}

// present are those of single, and then of list, that are not absent.
func present(list []Expr, single ...*Expr) []*Expr {
	out := make([]*Expr, 0, len(single)+len(list))
	for _, x := range single {
		if *x != nil {
			out = append(out, x)
		}
	}
	for i := range list {
		if list[i] != nil {
			out = append(out, &list[i])
		}
	}
	return out
}

// Any reports whether f holds for x or for an expression inside.
func Any(x Expr, f func(Expr) bool) bool {
	return x != nil && (f(x) || slices.ContainsFunc(Parts(x), func(p *Expr) bool { return Any(*p, f) }))
}

// Exprs are the expressions of a statement, those of the statements inside left out, in
// the order in which they are evaluated; none is nil.
func Exprs(s Stmt) []*Expr {
	var out []*Expr
	add := func(list ...*Expr) {
		for _, x := range list {
			if *x != nil {
				out = append(out, x)
			}
		}
	}
	all := func(list []Expr) {
		for i := range list {
			add(&list[i])
		}
	}
	control := func(c *Control) {
		add(&c.Unit, &c.Format)
		for i := range c.Specs {
			add(&c.Specs[i].X)
		}
	}
	switch s := s.(type) {
	case *Assign:
		add(&s.LHS, &s.RHS)
	case *PointerAssign:
		all(s.To)
		add(&s.X)
	case *Do:
		add(&s.Lo, &s.Hi, &s.Step)
	case *DoWhile:
		add(&s.Cond)
	case *Forall:
		for i := range s.Indices {
			add(&s.Indices[i].Lo, &s.Indices[i].Hi, &s.Indices[i].Step)
		}
		add(&s.Mask)
	case *If:
		for i := range s.Arms {
			add(&s.Arms[i].Cond)
		}
	case *Print:
		control(&s.Control)
		all(s.Items)
	case *Read:
		control(&s.Control)
		all(s.Items)
	case *FileStmt:
		control(&s.Control)
		all(s.Items)
	case *Stop:
		add(&s.Code)
	case *Sync:
		all(s.Images)
		all(s.Status)
	case *Critical:
		all(s.Status)
	case *Allocate:
		all(s.Args)
	case *ChangeTeam:
		add(&s.Team)
		for i := range s.Names {
			all(s.Names[i].Codims)
			add(&s.Names[i].X)
		}
		all(s.Status)
		all(s.EndStatus)
	case *Block:
		add(&s.On.Home)
		all(s.On.Objects)
	case *Independent:
		add(&s.On.Home)
		all(s.On.Objects)
	case *Associate:
		for i := range s.Names {
			add(&s.Names[i].X, &s.Names[i].At)
			all(s.Names[i].Extents)
		}
	case *Call:
		add(&s.Of)
		all(s.Args)
	case *Return:
		add(&s.X)
	case *ComputedGoto:
		add(&s.X)
	case *ArithmeticIf:
		add(&s.X)
	case *Select:
		add(&s.X)
		for i := range s.Cases {
			for k := range s.Cases[i].Values {
				add(&s.Cases[i].Values[k].Lo, &s.Cases[i].Values[k].Hi)
			}
		}
	case *TypeDecl:
		add(&s.Type.Kind, &s.Type.Len)
		dims := func(list []DimSpec) {
			for i := range list {
				add(&list[i].Lo, &list[i].Hi)
			}
		}
		dims(s.Dimension)
		for i := range s.Entities {
			dims(s.Entities[i].Dims)
			add(&s.Entities[i].Len, &s.Entities[i].Init)
		}
	case *ParameterStmt:
		for i := range s.Names {
			add(&s.Names[i].Init)
		}
	case *DimensionStmt:
		for i := range s.Entities {
			for k := range s.Entities[i].Dims {
				add(&s.Entities[i].Dims[k].Lo, &s.Entities[i].Dims[k].Hi)
			}
		}
	case *Data:
		for i := range s.Sets {
			all(s.Sets[i].Objects)
		}
	}
	return out
}

// Each calls visit for the statements of list, each before those in it.
func Each(list []Stmt, visit func(Stmt)) {
	for _, s := range list {
		visit(s)
		for _, inner := range Bodies(s) {
			Each(*inner, visit)
		}
	}
}

// Bodies are the statement lists of a construct.
func Bodies(s Stmt) []*[]Stmt {
	switch s := s.(type) {
	case *Do:
		return []*[]Stmt{&s.Body}
	case *DoWhile:
		return []*[]Stmt{&s.Body}
	case *Forall:
		return []*[]Stmt{&s.Body}
	case *Critical:
		return []*[]Stmt{&s.Body}
	case *Block:
		return []*[]Stmt{&s.Body}
	case *Associate:
		return []*[]Stmt{&s.Body}
	case *ChangeTeam:
		return []*[]Stmt{&s.Body}
	case *If:
		var list []*[]Stmt
		for i := range s.Arms {
			list = append(list, &s.Arms[i].Body)
		}
		return append(list, &s.Else)
	case *Select:
		var list []*[]Stmt
		for i := range s.Cases {
			list = append(list, &s.Cases[i].Body)
		}
		return list
	}
	return nil
}

// Copy is an expression or a statement with lists of its own. What the lists hold is shared,
// and the lists of statements are.
func Copy[N interface{ Position() source.Pos }](n N) N {
	old := reflect.ValueOf(n).Elem()
	out := reflect.New(old.Type())
	out.Elem().Set(old)
	ownLists(out.Elem())
	return out.Interface().(N)
}

func ownLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			ownLists(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem() == reflect.TypeFor[Stmt]() {
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		for i := range list.Len() {
			ownLists(list.Index(i))
		}
		v.Set(list)
	}
}

// ConstructName is the name of construct s, "" where it has none, and of other statements.
func ConstructName(s Stmt) string {
	switch s := s.(type) {
	case *Do:
		return s.Name
	case *DoWhile:
		return s.Name
	case *If:
		return s.Name
	case *Select:
		return s.Name
	case *Associate:
		return s.Name
	case *Block:
		return s.Name
	case *Forall:
		return s.Name
	case *Critical:
		return s.Name
	case *ChangeTeam:
		return s.Name
	}
	return ""
}
