package ir

import (
	"fmt"
	"strings"
)

// The explicit SPMD half of the language. In a program with coarrays (Program.SPMD)
// every image executes its own control flow on variables of its own; nothing is
// divided among PEs, and nothing is the same on all of them. What goes from one
// image to another is in the nodes of this file and nowhere else:
//
//	x(i) = y(j)[p]            Assign{LHS: Ref x, RHS: CoRef y}
//	halo(1:n)[q] = u(1:n)     Transfer{Put: true, ...}
//	sync all                  Sync{Kind: SyncAll}
//	call co_sum(s)            Collective{Name: "co_sum"}
//
// A scalar coarray is an array of one element here (Symbol.Cell), so that no pass
// takes it for a variable whose value only assignments of this image change.

type (
	// CoRef is an element of a coarray on the image Image, from 1. It is the
	// target of an assignment too.
	CoRef struct {
		X
		Sym   *Symbol
		Subs  []Expr // of either INTEGER type
		Image Expr   // of either INTEGER type
	}

	// Section is a part of an array: for each dimension N elements from Lo on by
	// Step, or with a nil N the element Lo alone.
	Section struct {
		Sym  *Symbol
		Dims []Range
	}
	// Range is one dimension of a Section. All are of INTEGER types; Step is a constant.
	Range struct{ Lo, N, Step Expr }

	// Transfer copies a section of this image to one of image Image (Put), or the
	// reverse. The extents of both are the same, in order, and so are the types.
	Transfer struct {
		S
		Put           bool
		Local, Remote *Section
		Image         Expr
	}
	// Sync is SYNC ALL, SYNC MEMORY or SYNC IMAGES. The images are Images, or the
	// elements of Set, or all if both are nil. EventPost and Unlock send these a notice that
	// an event or a lock has changed; EventWait and Lock wait until more notices have
	// come than had when this image last waited, so that they may return too early. Images of
	// FormTeam are the number of the new team and, where it is given, NEW_INDEX; those of
	// ChangeTeam and SyncTeam the team. KeepStatus says that what fails from here on, as an image
	// has failed or stopped, does not end the run: a Read of sync_status, which ends that, gets it.
	Sync struct {
		S
		Kind   SyncKind
		Images []Expr
		Set    *Section
		Stat   bool // of SyncImages: what fails does not end the run, and a Read of sync_status gets it
	}
	// Collective is a call of CO_SUM, CO_MAX, CO_MIN or CO_BROADCAST. It concerns
	// Scalar, a *Var or *Ref, or the array Part. Image is RESULT_IMAGE or
	// SOURCE_IMAGE, nil when absent.
	Collective struct {
		S
		Name   string
		Scalar Expr
		Part   *Section
		Image  Expr
	}
	// Critical is executed by one image at a time. Constructs with one Lock
	// exclude each other: those that a procedure has once for every call.
	Critical struct {
		S
		Lock int // from 0
		Body []Stmt
	}
)

// SyncKind says which images a Sync concerns.
type SyncKind uint8

const (
	SyncAll SyncKind = iota
	SyncImages
	SyncMemory
	EventPost
	EventWait
	Lock
	Unlock
	FormTeam
	ChangeTeam
	EndTeam
	SyncTeam
	FailImage
	KeepStatus
)

func (k SyncKind) String() string {
	return [...]string{"sync all", "sync images", "sync memory", "event post", "event wait", "lock", "unlock", "form team", "change team", "end team", "sync team", "fail image", "keep status"}[k]
}

// Exprs are the expressions of a section.
func (s *Section) Exprs() []Expr {
	if s == nil {
		return nil
	}
	var list []Expr
	for _, d := range s.Dims {
		list = append(list, d.Lo)
		if d.N != nil {
			list = append(list, d.N, d.Step)
		}
	}
	return list
}

// Target is the symbol whose elements or value a Collective changes.
func (s *Collective) Target() *Symbol {
	if s.Part != nil {
		return s.Part.Sym
	}
	return Target(s.Scalar)
}

// Target is the symbol that a Transfer changes, on this image or another.
func (s *Transfer) Target() *Symbol {
	if s.Put {
		return s.Remote.Sym
	}
	return s.Local.Sym
}

// Synchronises reports whether s, or a statement inside, orders images: what
// others do to coarrays may be seen behind it and not before.
func Synchronises(s Stmt) bool {
	found := false
	Walk([]Stmt{s}, func(s Stmt) bool {
		switch s := s.(type) {
		case *Sync, *Collective, *Critical, *Checkpoint:
			found = true
		case *Allocate:
			found = found || s.Together()
		}
		return !found
	})
	return found
}

// Together reports whether all images come to s and wait for each other.
func (s *Allocate) Together() bool { return s.Sym.Coarray && !s.Sym.Apart }

// Coarrays reports the accesses to coarrays that e makes.
func Coarrays(e Expr) (local, remote bool) {
	WalkExpr(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Ref:
			local = local || e.Sym.Coarray
		case *CoRef:
			remote = true
		}
		return true
	})
	return local, remote
}

// coindexed writes what is of image in brackets.
func (sp spelling) coindexed(text string, image Expr) string {
	return text + "[" + sp.expr(image) + "]"
}

// element writes an array element; that of a scalar coarray is its name.
func (sp spelling) element(s *Symbol, subs []Expr) string {
	if s.Cell {
		return s.Name
	}
	return s.Name + "(" + strings.Join(sp.list(subs), ",") + ")"
}

func (sp spelling) section(s *Section) string {
	if s.Sym.Cell {
		return s.Sym.Name
	}
	parts := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		parts[i] = sp.expr(d.Lo)
		if text, ok := bounds(d); ok {
			parts[i] += text
		} else if d.N != nil {
			parts[i] = "(" + sp.expr(d.N) + " from " + sp.expr(d.Lo)
			if d.Step.(*Const).Int != 1 {
				parts[i] += " by " + sp.expr(d.Step)
			}
			parts[i] += ")"
		}
	}
	return s.Sym.Name + "(" + strings.Join(parts, ",") + ")"
}

// bounds is what follows the lower bound of a range that is known: ":8:2".
func bounds(d Range) (string, bool) {
	lo, okLo := d.Lo.(*Const)
	n, okN := d.N.(*Const)
	if !okLo || !okN {
		return "", false
	}
	step := d.Step.(*Const).Int
	text := fmt.Sprintf(":%d", lo.Int+(n.Int-1)*step)
	if step != 1 {
		text += fmt.Sprintf(":%d", step)
	}
	return text, true
}

// images writes the statements of this file.
func (sp spelling) images(s Stmt) string {
	switch s := s.(type) {
	case *Transfer:
		here, there := sp.section(s.Local), sp.coindexed(sp.section(s.Remote), s.Image)
		if s.Put {
			return there + " = " + here
		}
		return here + " = " + there
	case *Sync:
		text := s.Kind.String()
		switch {
		case s.Kind == SyncAll || s.Kind == SyncMemory || s.Kind == EventWait || s.Kind == Lock || s.Kind == EndTeam || s.Kind >= FailImage:
		case s.Set != nil:
			text += " (" + sp.section(s.Set) + ")"
		case s.Images != nil:
			text += " ([" + strings.Join(sp.list(s.Images), ", ") + "])"
		default:
			text += " (*)"
		}
		if s.Stat {
			text += " stat"
		}
		return text
	case *Collective:
		text := "call " + s.Name + "("
		if s.Part != nil {
			text += sp.section(s.Part)
		} else {
			text += sp.expr(s.Scalar)
		}
		if s.Image != nil {
			text += ", image=" + sp.expr(s.Image)
		}
		return text + ")"
	case *Critical:
		return "critical"
	}
	return "?"
}
