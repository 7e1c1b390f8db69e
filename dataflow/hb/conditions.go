package hb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
)

// Conditions that depend on nothing but the indices of loops that are told apart,
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

// condition marks the loops that tell what a condition is, or a part of it that may
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

// choices decides the branches whose innermost loop told apart is l, with the
// values of env: by node, whether the condition holds. The text is the same for the
// same choices.
func (x *phases) choices(l *cfg.Loop) (map[int]bool, string) {
	out := map[int]bool{}
	var text strings.Builder
	for _, n := range x.branches[l] {
		if holds, known := x.truth(x.f.Program.Cond(n)); known {
			out[n.ID] = holds
			fmt.Fprintf(&text, " %d%v", n.ID, holds)
		}
	}
	return out, text.String()
}

// truth is the value of a condition, with those of env for the indices.
func (x *phases) truth(e ir.Expr) (holds, known bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Bool, e.Typ == ir.Logical
	case *ir.Un:
		holds, known = x.truth(e.E)
		return holds == (e.Op == ir.Group), known && (e.Op == ir.Not || e.Op == ir.Group)
	case *ir.Bin:
		if e.Op == ir.And || e.Op == ir.Or {
			a, knowA := x.truth(e.L)
			b, knowB := x.truth(e.R)
			decides := e.Op == ir.Or
			switch {
			case knowA && a == decides, knowB && b == decides:
				return decides, true
			}
			return !decides, knowA && knowB
		}
		if e.Op < ir.Eq || e.Op > ir.Ge {
			return false, false
		}
		a, knowA := x.number(e.L)
		b, knowB := x.number(e.R)
		way := 0
		if a < b {
			way = -1
		} else if a > b {
			way = 1
		}
		hold := map[ir.Op][]int{ir.Eq: {0}, ir.Ne: {-1, 1}, ir.Lt: {-1}, ir.Le: {-1, 0}, ir.Gt: {1}, ir.Ge: {0, 1}}[e.Op]
		return slices.Contains(hold, way), knowA && knowB
	}
	return false, false
}

// number is the value of an expression of type INTEGER; one that does not fit in its
// type is not known.
func (x *phases) number(e ir.Expr) (int64, bool) {
	v, ok := x.unwrapped(e)
	return v, ok && e.Type().Wrap(int(v)) == int(v)
}

func (x *phases) unwrapped(e ir.Expr) (int64, bool) {
	var vars []string
	if !x.variables(e, &vars) {
		return 0, false
	}
	for _, v := range vars {
		if _, ok := x.env[v]; !ok {
			return 0, false
		}
	}
	if f, ok := x.f.Program.Affine(e); ok {
		return f.Eval(x.at)
	}
	var args []ir.Expr
	op := ir.Group
	switch e := e.(type) {
	case *ir.Conv:
		args = []ir.Expr{e.E}
	case *ir.Un:
		args, op = []ir.Expr{e.E}, e.Op
	case *ir.Bin:
		args, op = []ir.Expr{e.L, e.R}, e.Op
	case *ir.Call:
		args, op = e.Args, modulus
	}
	v := make([]int64, len(args))
	for i, a := range args {
		var ok bool
		if v[i], ok = x.number(a); !ok || v[i] > 1<<31 || v[i] < -1<<31 {
			return 0, false
		}
	}
	switch op {
	case ir.Group:
		return v[0], true
	case ir.Neg:
		return -v[0], true
	case ir.Add:
		return v[0] + v[1], true
	case ir.Sub:
		return v[0] - v[1], true
	case ir.Mul:
		return v[0] * v[1], true
	}
	if v[1] == 0 {
		return 0, false
	}
	if op == modulus {
		return v[0] % v[1], true
	}
	return v[0] / v[1], true
}

// modulus stands for the intrinsic MOD among operators.
const modulus = ir.Op(255)
