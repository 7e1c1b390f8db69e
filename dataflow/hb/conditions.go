package hb

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
)

// Conditions that depend on nothing but the indices of loops that are kept apart,
// as mod(t,2) == 0, are decided for each of their iterations: control then goes one
// way only.

// conditions marks the loops that conditions depend on.
func (x *phases) conditions() {
	for _, n := range x.f.Graph.Nodes {
		if cond := x.f.Program.Cond(n); cond != nil {
			x.condition(cond, n)
		}
	}
}

// condition marks the loops that decide what a condition is, or a part of it that may
// be enough.
func (x *phases) condition(e ir.Expr, n *cfg.Node) {
	switch e := e.(type) {
	case *ir.Un:
		x.condition(e.E, n)
	case *ir.Bin:
		if e.Op >= ir.And {
			x.condition(e.L, n)
			x.condition(e.R, n)
			return
		}
		var vars []string
		if !x.variables(e.L, &vars) || !x.variables(e.R, &vars) {
			return
		}
		for _, v := range vars {
			k := n.Loop
			for k != nil && k.Index != v {
				k = k.Parent
			}
			if k == nil {
				return
			}
			if _, ok := x.bounds(k); !ok {
				return
			}
		}
		for _, v := range vars {
			x.dependsOnIndex(v, n.Loop)
		}
	}
}

// variables adds the variables that the value of an expression follows from; false
// if it does not follow from variables alone.
func (x *phases) variables(e ir.Expr, vars *[]string) bool {
	if !e.Type().IsInteger() {
		return false
	}
	if f, ok := x.f.Program.Affine(e); ok {
		*vars = append(*vars, f.Vars()...)
		return true
	}
	switch e := e.(type) {
	case *ir.Conv:
		return x.variables(e.E, vars)
	case *ir.Un:
		return (e.Op == ir.Neg || e.Op == ir.Group) && x.variables(e.E, vars)
	case *ir.Bin:
		return e.Op <= ir.Div && x.variables(e.L, vars) && x.variables(e.R, vars)
	case *ir.Call:
		return e.Name == "mod" && len(e.Args) == 2 && x.variables(e.Args[0], vars) && x.variables(e.Args[1], vars)
	}
	return false
}

// choices decides the branches whose innermost loop kept apart is l, with the
// values of env: by node, whether the condition holds. The text is the same for the
// same choices.
func (x *phases) choices(l *cfg.Loop) (map[int]bool, string) {
	out := map[int]bool{}
	var text strings.Builder
	for _, n := range x.branches[l] {
		if holds, known := x.f.Program.Truth(x.f.Program.Cond(n), x.env); known {
			out[n.ID] = holds
			fmt.Fprintf(&text, " %d%v", n.ID, holds)
		}
	}
	return out, text.String()
}
