package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// scope holds the names of one unit: of the main program, of a module, or of a
// procedure on one call path.
type scope struct {
	unit  *ast.Program
	host  *scope   // of the unit that contains this one, or nil
	inner bool     // of a construct of the unit: host is the scope around it
	site  *ir.Site // the call that executes the procedure

	names        map[string]*ir.Symbol
	implicitNone bool
	letters      *letterTypes
	data         []*ast.Data // of the unit, taken when all is declared
	saves        []*ast.Save
	saveAll      bool                     // all variables are saved
	targets      map[string]target        // templates and processor arrangements
	procs        map[string]*procedure    // contained, or of modules in use
	externals    map[string]procedureName // declared EXTERNAL or INTRINSIC
	interfaces   map[string]bool          // external procedures that an interface block describes
	abstract     map[string]bool          // abstract interfaces
	generics     map[string]*generic
	namelists    map[string]*namelist
	library      map[string]bool   // functions of the intrinsic modules in use
	renamed      map[string]string // of these, by the names that USE gives them
	dummies      map[string]*dummy
	binding      *binding        // of a procedure
	used         map[string]bool // names of modules
	ret          *ir.While       // what RETURN leaves; made when there is one
	alternate    *ir.Symbol      // the number of the alternate return, nil where there are none
	checkpoints  bool            // module spmd is in use
	access       *access         // of a module
	skip         int             // statements in front of the body: statement functions
	inline       []*ast.Program  // those functions
}

// target is a template or processor arrangement: where it is declared, and its
// name in the typed program.
type target struct {
	pos    source.Pos
	name   string
	bad    bool       // its declaration is in error, or not made use of
	scalar bool       // an arrangement without shape: one processor
	shape  []ir.Bound // of an arrangement; nil where it is not constant
}

// procedure is one that can be called: host is the scope whose names it sees.
type procedure struct {
	unit *ast.Program
	host *scope
}

func (l *lowerer) newScope(unit *ast.Program, host *scope) *scope {
	s := &scope{unit: unit, host: host, names: map[string]*ir.Symbol{}, targets: map[string]target{},
		procs: map[string]*procedure{}, externals: map[string]procedureName{}, interfaces: map[string]bool{}, abstract: map[string]bool{}, generics: map[string]*generic{}, namelists: map[string]*namelist{}, library: map[string]bool{}, renamed: map[string]string{}, dummies: map[string]*dummy{}, used: map[string]bool{}}
	if s.letters = defaultTypes(); host != nil {
		s.implicitNone, s.letters = host.implicitNone, host.letters
	}
	for _, in := range unit.Contains {
		if _, twice := s.procs[in.Name]; twice {
			l.errorf(codeDuplicate, in.Pos, "there are two procedures called %s", in.Name)
			continue
		}
		s.procs[in.Name] = &procedure{in, s}
		for _, e := range entriesOf(in) {
			s.procs[e.Name] = &procedure{e, s}
		}
	}
	return s
}

// owns reports whether s is a symbol of this unit.
func (s *scope) owns(sym *ir.Symbol) bool {
	for name, at := range s.names {
		if at == sym {
			return !s.used[name]
		}
	}
	return false
}

// lookup finds a name in s and the scopes around it.
func (s *scope) lookup(name string) *ir.Symbol {
	for at := s; at != nil; at = at.host {
		if sym := at.names[name]; sym != nil {
			return sym
		}
		if at.procs[name] != nil { // hides what has the name in a host
			return nil
		}
	}
	return nil
}

// dummy finds the dummy argument that name means.
func (s *scope) dummy(name string) *dummy {
	for at := s; at != nil; at = at.host {
		if d := at.dummies[name]; d != nil {
			return d
		}
		if at.names[name] != nil || at.procs[name] != nil {
			return nil
		}
	}
	return nil
}

// target finds a template or processor arrangement.
func (s *scope) target(name string) (target, bool) {
	for at := s; at != nil; at = at.host {
		if t, ok := at.targets[name]; ok {
			return t, true
		}
		if at.names[name] != nil {
			break
		}
	}
	return target{}, false
}

// procedure finds what a CALL or function reference of name means: nil when
// there is none in this file.
func (l *lowerer) procedure(name string) *procedure {
	for at := l.scope; at != nil; at = at.host {
		if p := at.procs[name]; p != nil {
			return p
		}
		if at.externals[name].intrinsic {
			return nil
		}
		if at.namesExternal(name) {
			break
		}
	}
	return l.external[name]
}

// namesExternal reports whether declarations of s say of a name, which no procedure of s has, that
// a procedure of this name is external, whatever a host contains: EXTERNAL, an interface, or the
// type of a scalar. The value of a function has its name too.
func (s *scope) namesExternal(name string) bool {
	switch {
	case s.externals[name].pos.IsValid() || s.interfaces[name]:
		return true
	case s.names[name] == nil || s.used[name] || s.dummies[name] != nil || isArray(s.names[name]):
		return false
	}
	unit := unitOf(s.unit)
	if unit.Name == name || slices.ContainsFunc(entriesOf(unit), func(e *ast.Program) bool { return e.Name == name }) {
		return false
	}
	return slices.ContainsFunc(unit.Spec, func(d ast.Stmt) bool {
		t, is := d.(*ast.TypeDecl)
		return is && slices.ContainsFunc(t.Entities, func(e ast.Entity) bool { return e.Name == name })
	})
}

// unique makes of name one that nothing else in the program has.
func (l *lowerer) unique(name string) string {
	before := l.tried[name]
	try, n := name, before+1
	for ; ; n++ {
		if n > 1 {
			try = name + "_" + strconv.Itoa(n)
		}
		if !l.taken[try] {
			break
		}
	}
	l.tried[name] = n
	l.taken[try] = true
	l.takenList = append(l.takenList, takenName{try, name, before})
	return try
}

// takenName is a name that unique made of another one, of which it had tried the numbers
// up to before.
type takenName struct {
	name, of string
	before   int
}

// localName is the name in the typed program of what the unit in hand calls name.
func (l *lowerer) localName(name string) string {
	if strings.Contains(name, "%") { // of a component
		plain := strings.ReplaceAll(strings.TrimPrefix(name, "%"), "%", "_")
		if l.inner || l.scope.unit.Kind.IsProcedure() {
			plain = l.scope.unit.Name + "_" + plain
		}
		return l.unique(plain)
	}
	switch {
	case l.inner:
		return l.unique(l.scope.unit.Name + "_" + name)
	case l.scope.unit.Kind == ast.FunctionUnit && name == resultName(l.scope.unit):
		return l.unique(l.scope.unit.Name)
	case l.main[name] && l.scope.unit.Kind == ast.MainUnit:
		return name // reserved
	case l.scope.unit.Kind.IsProcedure():
		return l.unique(l.scope.unit.Name + "_" + name)
	}
	return l.unique(name)
}

// newSymbol declares name in the unit in hand. A variable of a procedure that is
// saved is the same one in all calls.
func (l *lowerer) newSymbol(name string, pos source.Pos) *ir.Symbol {
	s := &ir.Symbol{Name: l.localName(name), Pos: pos, Site: l.scope.site}
	if s.Name != name {
		s.Local = name
	}
	l.names[name] = s
	l.prog.Symbols = append(l.prog.Symbols, s)
	return s
}

// savedKey is a variable of a procedure.
type savedKey struct {
	unit *ast.Program
	name string
	pos  source.Pos // of its declaration: a construct may declare the name again
}

// saved makes all calls of the procedure share variable s, called name in the
// source. It returns the one to use.
func (l *lowerer) saved(name string, s *ir.Symbol) *ir.Symbol {
	if !l.scope.unit.Kind.IsProcedure() || s.Param || l.phantom || l.common[s] {
		return s
	}
	if o, ok := l.overlays[s]; ok {
		if !l.common[o.base] {
			l.keepStorage(s)
		}
		return s
	}
	if _, ok := l.texts[s]; ok {
		l.keepText(s)
		return s
	}
	l.keepAllocated(s)
	key := savedKey{unitOf(l.scope.unit), name, s.Pos}
	first := l.savedVars[key]
	if first == s {
		return s
	}
	if first == nil {
		s.Site = nil
		l.savedVars[key] = s
		return s
	}
	for n, x := range l.names { // EQUIVALENCE may have given it several names
		if x == s {
			l.names[n] = first
		}
	}
	l.shared[first] = true
	l.drop(s)
	return first
}

// unambiguous reports the use at pos of a name that comes from two modules.
func (l *lowerer) unambiguous(s *ir.Symbol, pos source.Pos) {
	if l.ambiguous[s] {
		l.errorf(codeDuplicate, pos, "%s comes from two modules", s.Name).
			WithNote(s.Pos, "one of them declares it here").WithHelp("write USE module, ONLY: names for one of them")
		delete(l.ambiguous, s)
	}
}

// module lowers the declarations of a module: its variables are there once.
func (l *lowerer) module(u *ast.Program) {
	if _, twice := l.modules[u.Name]; twice {
		l.errorf(codeDuplicate, u.Pos, "there are two modules called %s", u.Name)
		return
	}
	l.scope = l.newScope(u, nil)
	directives, _ := l.declarations(u.Spec)
	l.checkDeclared()
	l.checkAccess()
	l.directives(directives)
	l.modules[u.Name] = l.scope
}

// blockData lowers a BLOCK DATA unit: it gives variables in COMMON their initial values.
func (l *lowerer) blockData(u *ast.Program) {
	l.scope = l.newScope(u, nil)
	directives, _ := l.declarations(u.Spec)
	l.checkDeclared()
	l.directives(directives)
}

// reserve takes for the main program the names that it declares, so that they
// are in the typed program what they are in the source.
func (l *lowerer) reserve(p *ast.Program) {
	take := func(list []ast.Entity) {
		for _, e := range list {
			l.main[e.Name] = true
			l.taken[e.Name] = true
		}
	}
	for _, s := range p.Spec {
		switch s := s.(type) {
		case *ast.TypeDecl:
			take(s.Entities)
		case *ast.DimensionStmt:
			take(s.Entities)
		case *ast.ParameterStmt:
			take(s.Names)
		case *ast.Processors:
			take(s.Entities)
		case *ast.Template:
			take(s.Entities)
		}
	}
}

// mark is a state of the program to which reset returns.
type mark struct{ diags, symbols, hpf, sites, ends, taken, temps int }

func (l *lowerer) mark() mark {
	return mark{len(l.diags.Diags), len(l.prog.Symbols), len(l.prog.HPF), len(l.prog.Sites), len(l.ends), len(l.takenList), l.temps}
}

// reset removes what came into the program behind m, but for diagnostics.
func (l *lowerer) reset(m mark) {
	gone := map[*ir.Symbol]bool{}
	for _, s := range l.prog.Symbols[m.symbols:] {
		gone[s] = true
	}
	for at := l.scope; at != nil; at = at.host {
		for name, s := range at.names {
			if gone[s] && at.dummies[name] == nil {
				delete(at.names, name) // an implicit one, in a statement function
			}
		}
	}
	l.forgetPieces(gone)
	for key, s := range l.savedVars {
		if gone[s] {
			delete(l.savedVars, key)
		}
	}
	l.prog.Symbols = l.prog.Symbols[:m.symbols]
	l.prog.HPF = l.prog.HPF[:m.hpf]
	l.prog.Sites = l.prog.Sites[:m.sites]
	l.ends = l.ends[:m.ends]
	for _, t := range slices.Backward(l.takenList[m.taken:]) {
		delete(l.taken, t.name)
		l.tried[t.of] = t.before
	}
	l.takenList = l.takenList[:m.taken]
	l.temps = m.temps
}
