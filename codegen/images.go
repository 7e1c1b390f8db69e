package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Programs with coarrays. Every image executes all statements; what goes between
// images is a call of the run time:
//
//	x(i) = y(j)[p]          x.Data[x.At1(i)] = y.Load(3, p, j)
//	halo(1:n)[q] = u(1:n)   halo.Put(4, q, []spmd.Span{{1, n, 1}}, u, []spmd.Span{{1, n, 1}})
//	sync all                pe.SyncAll(5)
//
// In front of a statement that uses coarrays stands a mark, pe.MarkRemote() or
// pe.MarkLocal(), which barrier elision rests on: it is made before the next
// synchronisation, and exactly when the access is, or too often. A loop without
// synchronisation has one mark in front of it for what every iteration does.

// access is what a mark says; a higher one says more.
type access uint8

const (
	private access = iota
	local
	remote
)

// comesTo is a statement of a program with coarrays: marks, and what is known
// about marks behind it. plain emits the statement itself.
func (g *gen) comesTo(s ir.Stmt, plain func()) {
	g.mark(g.before(s))
	known := g.marked
	if ir.Synchronises(s) {
		known = private
	}
	switch s.(type) {
	case *ir.Do, *ir.While, *ir.Critical:
		g.marked = known // an iteration may begin behind a synchronisation
	}
	plain()
	if orders(s) {
		// It orders all images in its midst, and assigns its results, or changes
		// the memory of a coarray, behind that.
		g.marked = private
		g.mark(own(s))
		known = g.marked
	}
	g.marked = known // the marks inside s may be in parts that were not executed
}

// orders reports whether s orders all images in its midst.
func orders(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Collective:
		return true
	case *ir.Allocate:
		return s.Together()
	}
	return false
}

// enters is comesTo for control flow that all images follow together, in programs
// that distribute arrays too. What it returns is called behind n.
func (g *gen) enters(n comm.Node) (behind func()) {
	s := controls(n)
	if s == nil || !g.prog.IR.SPMD {
		return func() {}
	}
	g.out.at = s.Position().Line
	g.mark(g.before(s))
	known := g.marked
	if ir.Synchronises(s) {
		known = private
		g.marked = private
	}
	return func() { g.marked = known }
}

// mark emits a mark, if none since the last synchronisation says as much.
func (g *gen) mark(a access) {
	if a <= g.marked {
		return
	}
	g.marked = a
	if a == remote {
		g.out.p("pe.MarkRemote()")
	} else {
		g.out.p("pe.MarkLocal()")
	}
}

// before is the accesses that the mark in front of s tells of.
func (g *gen) before(s ir.Stmt) access {
	a := own(s)
	switch s := s.(type) {
	case *ir.Do:
		if ir.Synchronises(s) {
			break
		}
		a = max(a, always(s.Body, isLeaf(s.Body)))
	case *ir.While:
		if ir.Synchronises(s) {
			return private // what the condition needs is marked in the loop
		}
		a = max(a, always(s.Body, false))
	case *ir.If:
		// The conditions of ELSE IF are evaluated where no mark can stand.
		for len(s.Else) == 1 {
			next, ok := s.Else[0].(*ir.If)
			if !ok {
				break
			}
			a = max(a, own(next))
			s = next
		}
	}
	return a
}

// always is the accesses that every execution of body makes, or with all also
// those that some make.
func always(body []ir.Stmt, all bool) access {
	a := private
	for _, s := range body {
		a = max(a, own(s))
		switch s := s.(type) {
		case *ir.Do:
			a = max(a, always(s.Body, all || isLeaf(s.Body)))
		case *ir.If:
			if all {
				a = max(a, always(s.Then, all), always(s.Else, all))
			}
		}
		if leaves(s) {
			break
		}
	}
	return a
}

// own is the accesses of s itself, statements inside aside.
func own(s ir.Stmt) access {
	a := private
	for _, e := range ir.Exprs(s) {
		near, far := ir.Coarrays(e)
		switch {
		case far:
			a = remote
		case near:
			a = max(a, local)
		}
	}
	touches := func(sec *ir.Section) {
		if sec != nil && sec.Sym.Coarray {
			a = max(a, local)
		}
	}
	switch s := s.(type) {
	case *ir.Transfer:
		a = remote
	case *ir.Allocate:
		switch {
		case s.Together():
			a = remote
		case s.Sym.Coarray:
			a = max(a, local)
		}
	case *ir.Collective:
		touches(s.Part)
	case *ir.Sync:
		touches(s.Set)
	}
	return a
}

// image emits the statements that only programs with coarrays have.
func (g *gen) image(s ir.Stmt) {
	site := g.imageSites[s]
	switch s := s.(type) {
	case *ir.Transfer:
		g.transfer(s)
	case *ir.Sync:
		verb := "SyncImages"
		if s.Stat {
			verb = "SyncImagesStat"
		}
		switch {
		case s.Kind == ir.SyncAll:
			g.out.p("pe.SyncAll(%d)", site)
		case s.Kind == ir.EventPost:
			g.out.p("pe.Notify(%d, %s)", site, g.position(s.Images[0]))
		case s.Kind == ir.Unlock:
			g.out.p("pe.NotifyAll(%d)", site)
		case s.Kind == ir.EventWait || s.Kind == ir.Lock:
			g.out.p("pe.AwaitNotice(%d)", site)
		case s.Kind >= ir.FormTeam:
			args := []string{fmt.Sprint(site)}
			for _, e := range s.Images {
				args = append(args, g.position(e))
			}
			verb := map[ir.SyncKind]string{ir.FormTeam: "FormTeam", ir.ChangeTeam: "ChangeTeam", ir.EndTeam: "EndTeam", ir.SyncTeam: "SyncTeam", ir.FailImage: "FailImage", ir.KeepStatus: "KeepStatus"}[s.Kind]
			g.out.p("pe.%s(%s)", verb, strings.Join(args, ", "))
		case s.Kind == ir.SyncMemory:
			g.out.p("pe.SyncMemory(%d)", site)
		case s.Set != nil:
			g.out.p("pe.%s(%d, spmd.Images(%s.Elements(%s))...)", verb, site, g.array1(s.Set.Sym), g.spans(s.Set))
		case s.Images != nil:
			args := []string{fmt.Sprint(site)}
			for _, e := range s.Images {
				args = append(args, g.position(e))
			}
			g.out.p("pe.%s(%s)", verb, strings.Join(args, ", "))
		case s.Stat:
			g.out.p("pe.%s(%d, pe.AllImages()...)", verb, site)
		default:
			g.out.p("pe.SyncImagesAll(%d)", site)
		}
	case *ir.Collective:
		g.collective(s, site)
	case *ir.Critical:
		g.out.p("pe.Lock(%d, %d)", site, s.Lock)
		g.stmts(s.Body, nil)
		g.out.at = s.Pos.Line
		g.out.p("pe.Unlock(%d, %d)", site, s.Lock)
	default:
		panic(fmt.Sprintf("codegen: no Go for %T", s))
	}
}

func (g *gen) transfer(s *ir.Transfer) {
	verb := "Get"
	if s.Put {
		verb = "Put"
	}
	there, here := g.spanList(s.Remote), g.spanList(s.Local)
	g.out.p("%s.%s(%d, %s, %s, %s, %s)", g.names.sym(s.Remote.Sym), verb, g.imageSites[s], g.position(s.Image), there, g.array1(s.Local.Sym), here)
}

// array1 is an array, also where it is a coarray.
func (g *gen) array1(s *ir.Symbol) string {
	if s.Coarray {
		return "&" + g.names.sym(s) + ".Array"
	}
	return g.names.sym(s)
}

func (g *gen) spanList(s *ir.Section) string { return "[]spmd.Span{" + g.spansOf(s, "") + "}" }

// spans are the dimensions of a section as arguments.
func (g *gen) spans(s *ir.Section) string { return g.spansOf(s, "spmd.Span") }

func (g *gen) spansOf(s *ir.Section, typ string) string {
	parts := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		if d.N == nil {
			parts[i] = fmt.Sprintf("spmd.One(%s)", g.position(d.Lo))
			continue
		}
		parts[i] = fmt.Sprintf("%s{%s, %s, %s}", typ, g.position(d.Lo), g.position(d.N), g.position(d.Step))
		if typ != "" { // go vet wants keys where the type is from another package
			parts[i] = fmt.Sprintf("%s{Lo: %s, N: %s, Step: %s}", typ, g.position(d.Lo), g.position(d.N), g.position(d.Step))
		}
	}
	return strings.Join(parts, ", ")
}

var coFuncs = map[string]string{"co_sum": "CoSum", "co_max": "CoMax", "co_min": "CoMin", "co_broadcast": "CoBroadcast"}

func (g *gen) collective(s *ir.Collective, site int) {
	image := "0"
	if s.Image != nil {
		image = g.position(s.Image)
	}
	f := "spmd." + coFuncs[s.Name]
	if s.Target().Type == ir.Character {
		f = "spmd.CoBroadcastText"
		if s.Part != nil {
			g.out.p("%ss(pe, %d, %s, %d, %s, %s)", f, site, image, s.Target().Len, g.array1(s.Part.Sym), g.spans(s.Part))
			return
		}
	}
	if s.Part != nil {
		g.out.p("%sOf(pe, %d, %s, %s, %s)", f, site, image, g.array1(s.Part.Sym), g.spans(s.Part))
		return
	}
	var x string
	switch e := s.Scalar.(type) {
	case *ir.Var:
		x = g.scalar(e.Sym)
		g.reads(e.Sym)
	case *ir.Ref:
		x = g.element(e, true)
	}
	length := ""
	if s.Target().Type == ir.Character {
		length = fmt.Sprintf("%d, ", s.Target().Len)
	}
	g.out.p("%s = %s(pe, %d, %s, %s%s)", x, f, site, image, length, x)
}

// coref renders an element of another image that is read.
func (g *gen) coref(e *ir.CoRef) string {
	s := fmt.Sprintf("%s.Load(%s)", g.names.sym(e.Sym), strings.Join(g.coindex(e), ", "))
	if g.opt.Check {
		return fmt.Sprintf("spmd.Def(%s, %q)", s, ir.ExprString(e))
	}
	return s
}

// storeRemote emits the assignment to an element of another image.
func (g *gen) storeRemote(e *ir.CoRef, value string) {
	args := g.coindex(e)
	args = append(args[:2:2], append([]string{value}, args[2:]...)...)
	g.out.p("%s.Store(%s)", g.names.sym(e.Sym), strings.Join(args, ", "))
}

// coindex is the site, the image and the subscripts of e.
func (g *gen) coindex(e *ir.CoRef) []string {
	args := []string{fmt.Sprint(g.corefSites[e]), g.position(e.Image)}
	for _, s := range e.Subs {
		args = append(args, g.position(s))
	}
	return args
}

// makeImageSites numbers what goes between images.
func (g *gen) makeImageSites() {
	kinds := map[bool]string{false: "get", true: "put"}
	ir.Walk(g.prog.IR.Body, func(s ir.Stmt) bool {
		at := s.Position()
		switch s := s.(type) {
		case *ir.Transfer:
			g.imageSites[s] = g.addSite(at.Line, at.Col, kinds[s.Put], ir.ExprString(&ir.Var{Sym: s.Remote.Sym}), "", s.Site)
		case *ir.Sync:
			g.syncsAll = g.syncsAll || s.Kind == ir.SyncAll
			g.imageSites[s] = g.addSite(at.Line, at.Col, s.Kind.String(), "", "", s.Site)
		case *ir.Allocate:
			if s.Together() {
				g.imageSites[s] = g.addSite(at.Line, at.Col, map[bool]string{false: "allocate", true: "deallocate"}[s.Free], s.Sym.Source(), "", s.Site)
			}
		case *ir.Collective:
			g.imageSites[s] = g.addSite(at.Line, at.Col, s.Name, s.Target().Source(), "", s.Site)
		case *ir.Critical:
			g.imageSites[s] = g.addSite(at.Line, at.Col, "critical", "", "", s.Site)
		}
		for i, e := range ir.Exprs(s) {
			_, assigns := s.(*ir.Assign)
			ir.WalkExpr(e, func(x ir.Expr) bool {
				if c, ok := x.(*ir.CoRef); ok {
					put := assigns && i == 1 && x == e
					g.corefSites[c] = g.addSite(c.Pos.Line, c.Pos.Col, kinds[put], ir.ExprString(c), "", s.CallSite())
				}
				return true
			})
		}
		return true
	})
}
