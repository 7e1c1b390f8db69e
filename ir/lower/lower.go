// Package lower turns the syntax tree of a program into the typed program of
// package ir: it resolves names, folds constants, makes conversions explicit,
// maps specific intrinsics to generic ones, and gives control flow its structure.
//
// The source
//
//	integer, parameter :: n = 10
//	real(8) :: a(0:n)
//	do i = 1, n
//	   a(i) = dsqrt(a(i-1)) + 1
//	end do
//
// becomes
//
//	real(8) a(0:10)
//	do i = 1, 10, 1
//	   a(i) = sqrt(a(i-1)) + 1.0d0
//	end do
//
// It is the only package that sees both trees. What it does not accept is
// reported with position and remedy; all errors of a file are reported.
package lower

import (
	"maps"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/apart"
	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Lower returns the typed form of f. Errors go to diags, which is in source
// order afterwards; after errors the program is incomplete and must not be
// compiled further. The result is nil only when f holds no program.
func Lower(f *ast.File, diags *source.List) *ir.Program {
	if f == nil || f.Program == nil {
		return nil
	}
	elementals(f, diags)
	f, ok := derived.Flatten(f, IntrinsicConstants, diags)
	if !ok {
		diags.Unique()
		diags.Sort()
		return &ir.Program{Name: f.Program.Name, File: f.Name, Pos: f.Program.Pos}
	}
	before := diags.Len()
	for k := newFound(); ; {
		l, prog := lower(f, diags, k)
		if len(l.again.flat)+len(l.again.vary)+len(l.again.recursive)+len(l.again.parts)+len(l.again.tied) == 0 {
			diags.Unique()
			diags.Sort()
			return prog
		}
		maps.Copy(k.flat, l.again.flat)
		maps.Copy(k.vary, l.again.vary)
		maps.Copy(k.apart, l.again.apart)
		maps.Copy(k.recursive, l.again.recursive)
		maps.Copy(k.parts, l.again.parts)
		diags.Diags = diags.Diags[:before]
	}
}

// found is what the lowering of a program shows of its arrays, and what has to be known before
// their declarations are lowered: lowering begins again with it.
type found struct {
	flat map[declared]bool // arrays that have rank 1 because calls reshape them
	vary map[string]bool   // allocatable arrays whose lower bounds are variables

	tied      map[declared]declared // pointers and their targets: another one of the class, see join
	apart     map[declared]bool     // those of them that are components of coarrays
	recursive map[declared]bool     // procedures that have a frame, by unitKey
	parts     map[ast.Name]passing  // how their dummy arrays are passed from depth to depth
}

func newFound() found {
	return found{map[declared]bool{}, map[string]bool{}, map[declared]declared{}, map[declared]bool{}, map[declared]bool{}, map[ast.Name]passing{}}
}

// lower is Lower, where k is known.
func lower(f *ast.File, diags *source.List, k found) (*lowerer, *ir.Program) {
	p := f.Program
	l := &lowerer{
		file:        f,
		diags:       diags,
		prog:        &ir.Program{Name: p.Name, File: f.Name, Pos: p.Pos},
		typed:       make(map[*ir.Symbol]source.Pos),
		unbounded:   make(map[*ir.Symbol]bool),
		ambiguous:   make(map[*ir.Symbol]bool),
		intrinsics:  make(map[*ir.Symbol]bool),
		mention:     make(map[*ir.Symbol]bool),
		active:      make(map[*ir.Symbol]source.Pos),
		taken:       make(map[string]bool),
		tried:       make(map[string]int),
		endless:     make(map[*ast.Program]bool),
		stacks:      make(map[ir.Type]*stack),
		heaps:       make(map[declared]*heap),
		classes:     make(map[*ir.Symbol]declared),
		pointers:    make(map[*ir.Symbol]*pointer),
		isPointer:   make(map[*ir.Symbol]bool),
		main:        make(map[string]bool),
		modules:     make(map[string]*scope),
		language:    make(map[string]*scope),
		external:    make(map[string]*procedure),
		called:      make(map[*ast.Program]bool),
		savedVars:   make(map[savedKey]*ir.Symbol),
		shared:      make(map[*ir.Symbol]bool),
		dynamic:     make(map[string]bool),
		shapes:      make(map[*ir.Symbol]*shape),
		views:       make(map[*ir.Symbol]*view),
		found:       k,
		again:       newFound(),
		texts:       make(map[*ir.Symbol]textPart),
		overlays:    make(map[*ir.Symbol]overlaid),
		common:      make(map[*ir.Symbol]bool),
		loose:       make(map[*ir.Symbol]bool),
		known:       make(map[*ir.Symbol]ir.Expr),
		captured:    make(map[*ir.Symbol]bool),
		lengths:     make(map[*ir.Symbol]ir.Expr),
		copies:      make(map[*ir.Symbol]*view),
		constants:   make(map[*ir.Symbol]bool),
		structured:  make(map[*ast.Program][]ast.Stmt),
		concurrents: make(map[ast.Stmt]bool),
		allocs:      make(map[*ir.Symbol]*allocatable),
		cobounds:    make(map[*ir.Symbol]codimensions),
		shifts:      shifts(f),
		mirrors:     make(map[*ir.Symbol]*ir.Symbol),
		lows:        findLows(f, k.vary),
		readOnly:    make(map[*ir.Symbol]string),
		protected:   make(map[*ir.Symbol]protected),
		results:     map[*ast.Index]*ir.Symbol{},
		signatures:  make(map[*ast.Program][]*dummy),
	}
	l.unitNames(f)
	images, teams, fails := mentionsImages(f)
	l.prog.SPMD, l.prog.Fails = images, fails
	l.reserve(p)
	for _, u := range f.Procedures {
		if _, twice := l.external[u.Name]; twice {
			l.errorf(codeDuplicate, u.Pos, "there are two procedures called %s", u.Name).
				WithNote(l.external[u.Name].unit.Pos, "the other one begins here").WithHelp("rename one of them, or remove it")
			continue
		}
		l.external[u.Name] = &procedure{unit: u}
		for _, e := range entriesOf(u) {
			l.external[e.Name] = &procedure{unit: e}
		}
	}
	l.declareBlocks(f)
	for _, m := range f.Modules {
		l.module(m)
	}
	l.scope = l.newScope(p, nil)
	main := l.scope
	l.program = main
	directives, pending := l.declarations(p.Spec)
	l.checkDeclared()
	l.directives(directives)
	for _, u := range f.BlockData {
		l.blockData(u)
	}
	l.scope, l.pending = main, pending
	var begin []ir.Stmt
	if teams {
		begin = l.declareTeams(p.Pos)
	}
	begin = append(begin, l.unitBody(p)...)
	l.prog.Body = append(l.heapsBegin(), begin...)
	l.joinTexts()
	l.wholeTexts()
	l.uncalled(f)
	l.dropIntrinsicNames()
	l.finishIndices()
	if l.punned {
		l.prog.Body = l.bitwise(l.prog.Body)
	}
	if !l.diags.HasErrors() {
		l.prog.Body = l.remapped(l.prog.Body)
	}
	if !l.diags.HasErrors() {
		l.narrow()
		l.prog.Body = l.mirrored(l.prog.Body)
		l.settle()
	}
	l.prog.Body, _ = (&reaching{left: map[ir.Stmt]bool{}}).list(l.prog.Body)
	l.noRandomAcross()
	l.noTeamsAcross(p.Pos)
	return l, l.prog
}

// lowerer is the state of one Lower call.
type lowerer struct {
	file   *ast.File
	diags  *source.List
	prog   *ir.Program
	*scope // of the unit in hand

	typed      map[*ir.Symbol]source.Pos // where the type was declared
	unbounded  map[*ir.Symbol]bool       // arrays whose bounds were in error
	ambiguous  map[*ir.Symbol]bool       // stand for names that come from two modules, until one is used
	intrinsics map[*ir.Symbol]bool       // declared names that stand for intrinsics, or external functions
	mention    map[*ir.Symbol]bool       // scalars used as variables

	active  map[*ir.Symbol]source.Pos // indices of the DO loops around
	indices apart.Indices
	loops   []loop
	pending *ast.Independent // directive waiting for its DO
	listed  *nestList        // of the INDEPENDENT with a list of loops around, or nil
	temps   int
	ends    []ir.Stmt // give the indices of implied DO loops their last values

	taken     map[string]bool // names of the typed program
	tried     map[string]int  // how often a number was put behind a name
	takenList []takenName
	main      map[string]bool // names that the main program declares

	modules  map[string]*scope
	program  *scope            // the main program
	language map[string]*scope // modules of the language that are in use
	external map[string]*procedure
	called   map[*ast.Program]bool
	endless  map[*ast.Program]bool // procedures that call themselves, and nothing is seen to end it
	calls    []*ast.Program        // being executed, the innermost last
	frames   []*frame              // of those that call themselves
	stacks   map[ir.Type]*stack    // what these keep
	texted   *ir.Symbol            // the same, for texts

	heaps     map[declared]*heap      // of classes, by their first one
	classes   map[*ir.Symbol]declared // of the arrays of heaps
	pointers  map[*ir.Symbol]*pointer
	isPointer map[*ir.Symbol]bool // declared as POINTER

	prelude   []ir.Stmt                 // what the statement in hand does first: functions that it refers to
	hoisted   []ir.Stmt                 // the same, in front of that: functions whose value is an array
	results   map[*ast.Index]*ir.Symbol // the arrays that have their values
	goal      *argument                 // what is assigned to
	dynamic   map[string]bool           // arrays and templates with DYNAMIC, by their names in the typed program
	remapping bool                      // the directive in hand is executed
	noCalls   bool                      // functions cannot be referred to here
	phantom   bool                      // a procedure is lowered for its errors only
	variables bool                      // constant arguments are variables in the procedure

	elem       *elemental   // the array expression in hand
	steady     bool         // nothing changes scalars between here and the use of what is lowered
	critical   source.Pos   // of the CRITICAL construct around
	criticalIn *scope       // that has it
	locks      []source.Pos // CRITICAL constructs
	teams      *teams       // nil: the program has none
	team       source.Pos   // of the CHANGE TEAM construct around
	teamIn     *scope       // that has it
	inTeam     []*ir.Symbol // coarrays that are allocated in it

	concurrents map[ast.Stmt]bool // the DO loops that DO CONCURRENT has become

	structured map[*ast.Program][]ast.Stmt // the statements of units, without jumps

	blocks    map[string]*block
	surveying bool                    // COMMON blocks are looked for
	punned    bool                    // an array holds numbers of several types
	overlays  map[*ir.Symbol]overlaid // variables that are parts of others
	texts     map[*ir.Symbol]textPart // CHARACTER variables that are parts of a text
	common    map[*ir.Symbol]bool     // are in COMMON
	found                             // what is known
	again     found                   // what is more, so that lowering begins again

	savedVars map[savedKey]*ir.Symbol
	shared    map[*ir.Symbol]bool // saved variables that an earlier call has mapped
	shapes    map[*ir.Symbol]*shape
	views     map[*ir.Symbol]*view
	loose     map[*ir.Symbol]bool    // arrays whose bounds depend on arguments
	known     map[*ir.Symbol]ir.Expr // constants that are passed in variables
	captured  map[*ir.Symbol]bool    // assigned once, in front of a call
	lengths   map[*ir.Symbol]ir.Expr // of CHARACTER variables whose length the run knows
	constants map[*ir.Symbol]bool    // arrays that keep their initial values
	copies    map[*ir.Symbol]*view   // of dummy arrays that are copied: the actual argument
	readOnly  map[*ir.Symbol]string  // why it cannot be assigned to
	protected map[*ir.Symbol]protected

	signatures map[*ast.Program][]*dummy

	allocs      map[*ir.Symbol]*allocatable
	cobounds    map[*ir.Symbol]codimensions
	shifts      bool                      // see there
	mirrors     map[*ir.Symbol]*ir.Symbol // of the scalars of components that each image allocates for itself
	commonNames map[string]source.Pos     // in COMMON; while the declarations in hand are read
	postponed   []func()                  // set the dimensions that depend on them
	unsized     []*ast.Entity             // CHARACTER*(*) whose PARAMETER is still to come; of the declarations in hand
	deferred    map[string]bool           // see deferredElsewhere; of the declarations in hand
	regrown     []regrown
	lows        *lows
}

// loop is a loop around the statement being lowered.
type loop struct {
	name  string
	stmt  ir.Stmt
	block bool // no loop of the source: EXIT and CYCLE are not about it
	of    ast.Stmt
}

// errorf reports an error; the result takes help and notes.
func (l *lowerer) errorf(code source.Code, pos source.Pos, format string, args ...any) *source.Diag {
	return l.diags.Errorf(code, pos, format, args...)
}

// bad stands for an expression that was in error: it has no type, and what is
// made of it reports nothing more.
func bad(pos source.Pos) ir.Expr { return &ir.Const{X: ir.X{Pos: pos}} }

func isBad(list ...ir.Expr) bool {
	for _, e := range list {
		if e.Type() == ir.Invalid {
			return true
		}
	}
	return false
}

// symbol returns the scalar, array or constant called name, made by the
// implicit typing rules at its first use. After IMPLICIT NONE an undeclared name
// is an error, once.
func (l *lowerer) symbol(name string, pos source.Pos) *ir.Symbol {
	if s := l.lookup(name); s != nil {
		l.unambiguous(s, pos)
		return s
	}
	if l.implicitNone {
		return l.ownSymbol(name, pos)
	}
	if l.inner || l.unit.Statement {
		in := l.scope
		l.scope = in.host
		defer func() { l.scope = in }()
		return l.symbol(name, pos)
	}
	if h := l.host; h != nil && h.unit.Kind != ast.ModuleUnit && h.unit.Words[name] {
		in := l.scope
		l.scope = h
		defer func() { l.scope = in }()
		return l.symbol(name, pos)
	}
	return l.ownSymbol(name, pos)
}

// ownSymbol makes a variable of the unit in hand by the implicit typing rules, as symbol does.
func (l *lowerer) ownSymbol(name string, pos source.Pos) *ir.Symbol {
	if l.implicitNone {
		s := &ir.Symbol{Name: name, Pos: pos}
		l.names[name] = s
		l.errorf(codeUndeclared, pos, "%s is not declared", name).
			WithHelp("declare it, as in: %s :: %s", typeWord(l.implicitType(name)), name)
		return s // not listed: nothing is known about it
	}
	s := l.newSymbol(name, pos)
	l.retype(s, name)
	return l.savedByAll(name, s)
}

// temp makes a scalar that the source does not have. Its name cannot clash
// with one of the source, where names begin with a letter.
func (l *lowerer) temp(base string, t ir.Type, length int, pos source.Pos) *ir.Symbol {
	l.temps++
	s := &ir.Symbol{Name: tempName(base, l.temps), Pos: pos, Type: t, Len: length, Site: l.scope.site, Temp: true}
	l.names[s.Name] = s
	l.prog.Symbols = append(l.prog.Symbols, s)
	return s
}

// dropIntrinsicNames removes what "double precision dsqrt" declared when dsqrt
// is used as the intrinsic, the same of external functions, and the constants of
// procedures, of which every call has a copy.
func (l *lowerer) dropIntrinsicNames() {
	kept := l.prog.Symbols[:0]
	for _, s := range l.prog.Symbols {
		if l.intrinsics[s] && !l.mention[s] || s.Param && s.Site != nil {
			continue
		}
		kept = append(kept, s)
	}
	l.prog.Symbols = kept
}
