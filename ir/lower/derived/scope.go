package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// scope has the names of a unit, of an interface body or of a construct that are about derived
// types.
type scope struct {
	outer *scope
	unit  *ast.Program
	id    string // in front of the names of the constants that its types need

	types    map[string]*record
	vars     map[string]*variable // nil: a name that is no variable of a derived type here
	ranks    map[string]int       // of arrays of intrinsic types
	procs    map[string]*function
	generics map[string][]*function
	private  map[string]bool
	hidden   bool // names are private unless they are said to be public
	public   map[string]bool
	saveAll  bool
	temps    []ast.Stmt // declarations of what the source does not have
	early    []ast.Stmt // the same, in front of the declaration in hand
	count    int
}

// record is a derived type.
type record struct {
	name   string
	id     string // unique in the program
	def    *ast.TypeDef
	scope  *scope
	parent *record
	comps  []*component // those of the parent first
	bound  map[string]*bound
	final  []*function
	names  []string // of the constants and procedures that go with it
	decls  []ast.Stmt
	leaf   []*leaf
	busy   bool

	any     *record // of what is declared with CLASS(it)
	static  *record // of such: the type
	dynamic bool    // something is declared with CLASS(it) and ALLOCATABLE
	held    bool    // an array or coarray is
	code    int     // of an intrinsic type that CLASS(*) may have, see TypeCode
	holds   []*record

	pool   *pool // of its elements that descriptors describe
	linked bool  // pointers to it are places in the pool

	points    *pointers // of pointers to procedures
	intrinsic bool      // of an intrinsic module: the program does not see its components
}

// component is one of a derived type; of is its type where that is a derived one.
type component struct {
	name        string
	pos         source.Pos
	of          *record
	spec        ast.TypeSpec
	dims        []ast.DimSpec // constants, or none known where it is allocatable
	codims      []ast.DimSpec // of an allocatable coarray
	allocatable bool
	pointer     bool     // allocatable is set, too
	init        ast.Expr // a constant, or nil
	array       bool     // init is an array

	described *described // of is a descriptor, or nil

	given map[string]*component // of a derived type with an initial value: its components with theirs

	dynamic bool       // it is declared with CLASS and ALLOCATABLE
	of1     *component // of a CLASS: the component of an extension that it stands for, and
	owner   *record    // the extension
}

// bound is a procedure of a type: name is the generic name that the program calls it by.
type bound struct {
	by       *record
	name     string
	target   []string
	specific []*bound // of a generic name: what it stands for
	nopass   bool
	deferred *function // its interface
	any      *bound    // calls the procedure that the type of the object has
	pass     string
	at       source.Pos
}

// leaf is what a variable of a derived type is made of in the end: name is "%pos", or "%cell%u".
type leaf struct {
	name string
	comp *component
	dims []ast.DimSpec // of all components on the way, the innermost first
	open bool          // the dimensions have no bounds: a component on the way is allocatable
	path []*component

	codims []ast.DimSpec // of the component on the way that is a coarray
}

// variable is one of a derived type, called name.
type variable struct {
	name        string
	of          *record
	rank        int
	allocatable bool
	class       bool
	dynamic     bool // with ALLOCATABLE: the run gives it a type; arrays and coarrays have allocatable, too
	bounded     bool // the value of a function, which is declared with bounds and allocated
	coarray     bool
	codims      int  // how many codimensions it has
	anyImage    bool // with the codimension [*]
	pointer     bool // allocatable is set, too
	target      bool
	dummy       bool
	inPlace     bool // passed by its place, where pointers to its type are places
	byValue     bool
	intent      string
	alias       *object // it is another name of that
}

// function is a procedure that the program may refer to.
type function struct {
	unit  *ast.Program
	scope *scope
}

// attribute is ALLOCATABLE or POINTER, in words.
func (c *component) attribute() string {
	if c.pointer {
		return "a pointer"
	}
	return "allocatable"
}

// pointer reports whether l is a pointer, or a part of one.
func (l *leaf) pointer() bool {
	return slices.ContainsFunc(l.path, func(c *component) bool { return c.pointer })
}

func (s *scope) record(name string) *record {
	for at := s; at != nil; at = at.outer {
		if r := at.types[name]; r != nil {
			return r
		}
	}
	return nil
}

func (s *scope) variable(name string) *variable {
	for at := s; at != nil; at = at.outer {
		if v, ok := at.vars[name]; ok {
			return v
		}
	}
	return nil
}

// declared reports whether name is declared as a variable of any type.
func (s *scope) declared(name string) bool {
	for at := s; at != nil; at = at.outer {
		if _, ok := at.vars[name]; ok {
			return true
		}
	}
	return false
}

// rankOf is the rank of name where that is an array of an intrinsic type, else 0.
func (s *scope) rankOf(name string) int {
	for at := s; at != nil; at = at.outer {
		if _, ok := at.vars[name]; ok {
			return at.ranks[name]
		}
	}
	return 0
}

func (s *scope) function(p *program, name string) *function {
	for at := s; at != nil; at = at.outer {
		if f := at.procs[name]; f != nil {
			return f
		}
	}
	if f := p.called[name]; f != nil {
		return f
	}
	return p.external[name]
}

// candidates are the procedures that a reference of name may mean.
func (s *scope) candidates(p *program, name string) []*function {
	var list []*function
	for at := s; at != nil; at = at.outer {
		list = append(list, at.generics[name]...)
	}
	if len(list) == 0 {
		if f := s.function(p, name); f != nil {
			list = append(list, f)
		} else {
			list = p.global[name]
		}
	}
	return list
}

func newScope(u *ast.Program, outer *scope, id string) *scope {
	return &scope{outer: outer, unit: u, id: id, types: map[string]*record{}, vars: map[string]*variable{}, ranks: map[string]int{}, procs: map[string]*function{},
		generics: map[string][]*function{}, private: map[string]bool{}, public: map[string]bool{}}
}

// declare finds the names of u and of the procedures in it.
func (p *program) declare(u *ast.Program, outer *scope) *scope {
	id := u.Name
	if outer != nil {
		id = outer.id + "%" + u.Name
	}
	s := newScope(u, outer, id)
	p.scopes[u] = s
	for _, in := range u.Contains {
		s.procs[in.Name] = &function{unit: in}
	}
	p.spec(s, u.Spec)
	if u.Kind == ast.FunctionUnit && u.Prefix != nil {
		if v := p.typed(s, u.Prefix, 0); v != nil {
			v.name = resultName(u)
			s.vars[v.name] = v
		}
	}
	s.attributes(u.Spec)
	s.result(u)
	for _, in := range u.Contains {
		s.procs[in.Name].scope = p.declare(in, s)
	}
	p.associate(s, u)
	for _, st := range u.Spec {
		if b, ok := st.(*ast.Interface); ok {
			p.generic(s, b)
		}
	}
	p.boundProcedures(s)
	return s
}

// result lets function u, whose value is an array of a derived type with bounds of its own, allocate it.
func (s *scope) result(u *ast.Program) {
	if v := s.vars[resultName(u)]; u.Kind == ast.FunctionUnit && v != nil && v.rank > 0 && !v.pointer && !v.class {
		v.bounded, v.allocatable = !v.allocatable, true
	}
}

func resultName(u *ast.Program) string {
	if u.Result.Name != "" {
		return u.Result.Name
	}
	return u.Name
}

// typed is a variable of type t, nil where that is no derived type.
func (p *program) typed(s *scope, t *ast.TypeSpec, rank int) *variable {
	if t.Of.Name == "" {
		return nil
	}
	if t.Of.Name == everything {
		return &variable{of: p.anyOf(p.all()), rank: rank, class: true}
	}
	r := s.record(t.Of.Name)
	if r == nil {
		help := "define it in front of this line, or take it from a module by USE"
		if len(t.Of.Name) > 5 && t.Of.Name[len(t.Of.Name)-5:] == "_type" || t.Of.Name == "c_ptr" || t.Of.Name == "c_funptr" {
			help = "types of the intrinsic modules are not supported"
		}
		p.errorf(t.Of.Pos, "there is no derived type %s here", t.Of.Name).WithHelp("%s", help)
		return nil
	}
	if t.Name == "class" {
		return &variable{of: p.anyOf(r), rank: rank, class: true}
	}
	return &variable{of: r, rank: rank}
}

// spec takes the declarations of a unit or construct.
func (p *program) spec(s *scope, list []ast.Stmt) {
	for _, st := range ast.JoinUses(list) {
		switch st := st.(type) {
		case *ast.Use:
			p.use(s, st)
		case *ast.Access:
			p.access(s, st)
		case *ast.TypeDef:
			p.define(s, st)
		case *ast.Save:
			s.saveAll = s.saveAll || len(st.Names)+len(st.Blocks) == 0
		case *ast.TypeDecl:
			for i := range st.Entities {
				e := &st.Entities[i]
				rank := len(e.Dims)
				if rank == 0 {
					rank = len(st.Dimension)
				}
				v := p.typed(s, &st.Type, rank)
				if st.Points != nil {
					v = &variable{of: p.pointerTo(s, st.Points)}
				}
				if v != nil {
					v.name, v.allocatable, v.coarray = e.Name, st.Allocatable, len(e.Codims)+len(st.Codimension) > 0
					v.codims = len(e.Codims)
					if v.codims == 0 {
						v.codims = len(st.Codimension)
					}
					v.anyImage = isAnyImage(e.Codims) || len(e.Codims) == 0 && isAnyImage(st.Codimension)
					v.pointer, v.target = st.Pointer, slices.Contains(st.Unused, "target")
					v.byValue, v.intent = st.Value, st.Intent
					if v.class && v.allocatable && (!v.pointer || rank == 0) {
						v.dynamic, v.allocatable, v.of.static.dynamic = true, rank > 0 || v.coarray && !v.pointer, true
						v.of.static.held = v.of.static.held || v.allocatable
					}
				} else if st.Type.Of.Name == "" && st.External {
					continue
				}
				s.vars[e.Name] = v
				if v == nil {
					s.ranks[e.Name] = rank
				}
				if st.Access == "private" {
					s.private[e.Name] = true
				} else if st.Access == "public" {
					s.public[e.Name] = true
				}
			}
		case *ast.DimensionStmt:
			for _, e := range st.Entities {
				if v := s.vars[e.Name]; v != nil {
					p.errorf(e.Pos, "DIMENSION of %s, which has a derived type", e.Name).WithHelp("write the extents into its declaration")
				} else {
					s.vars[e.Name], s.ranks[e.Name] = nil, len(e.Dims)
				}
			}
		case *ast.Interface:
			for _, u := range st.Units {
				f := &function{unit: u}
				s.procs[u.Name] = f
				f.scope = p.declare(u, s)
			}
		}
	}
}

func (p *program) access(s *scope, st *ast.Access) {
	if len(st.Names) == 0 {
		s.hidden = st.Access == "private"
	}
	for _, n := range st.Names {
		if st.Access == "private" {
			s.private[n.Name] = true
		} else {
			s.public[n.Name] = true
		}
	}
}

// visible reports whether units that use a module see its name.
func (s *scope) visible(name string) bool {
	return s.public[name] || !s.hidden && !s.private[name]
}

// use takes what a module has.
func (p *program) use(s *scope, u *ast.Use) {
	m := p.modules[u.Module.Name]
	if m == nil || u.Nature == "intrinsic" {
		p.useIntrinsic(s, u)
		return
	}
	local := map[string][]string{}
	for _, n := range u.Names {
		local[n.Original().Name] = append(local[n.Original().Name], n.Name.Name)
	}
	names := func(name string) []string {
		switch list := local[name]; {
		case !m.visible(name):
			return nil
		case list != nil || u.Only:
			return list
		}
		return []string{name}
	}
	for name, r := range m.types {
		for _, n := range names(name) {
			s.types[n] = r
		}
	}
	for name, v := range m.vars {
		for _, n := range names(name) {
			if v == nil {
				s.vars[n], s.ranks[n] = nil, m.ranks[name]
				continue
			}
			here := *v
			here.name = n
			s.vars[n] = &here
		}
	}
	for name, f := range m.procs {
		for _, n := range names(name) {
			s.procs[n] = f
		}
	}
	for name, list := range m.generics {
		for _, n := range names(name) {
			s.addGeneric(n, list)
		}
	}
	for _, r := range m.reachable() {
		for _, n := range r.names {
			s.addGeneric(n, r.scope.generics[n])
		}
	}
}

func (s *scope) addGeneric(name string, list []*function) {
	for _, f := range list {
		if !slices.ContainsFunc(s.generics[name], func(g *function) bool { return g.unit == f.unit }) {
			s.generics[name] = append(s.generics[name], f)
		}
	}
}

// generic takes the procedures of an interface block.
func (p *program) generic(s *scope, b *ast.Interface) {
	if b.Name.Name == "" || b.Abstract {
		return
	}
	for _, n := range b.Procs {
		if f := s.function(p, n.Name); f != nil {
			s.generics[b.Name.Name] = append(s.generics[b.Name.Name], f)
		}
	}
	for _, u := range b.Units {
		s.generics[b.Name.Name] = append(s.generics[b.Name.Name], s.procs[u.Name])
	}
}

// variableOf is what argument or result name of f is, nil where that has no derived type.
func (f *function) variableOf(name string) *variable {
	if f == nil || f.scope == nil {
		return nil
	}
	return f.scope.vars[name]
}

// result is the type of the value of f, nil where that is no derived type.
func (f *function) result() *variable {
	if f.unit.Kind != ast.FunctionUnit {
		return nil
	}
	return f.variableOf(resultName(f.unit))
}
