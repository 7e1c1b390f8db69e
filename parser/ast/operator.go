package ast

import "strings"

// An operator that a program defines is a generic name, and its use a reference to one of
// the functions that have it:
//
//	interface operator(.cross.)        a .cross. b  is  Index{"operator(.cross.)", [a, b]}

// OperatorName is the generic name of operator op. The relations have one name in both spellings.
func OperatorName(op string) string {
	switch op {
	case ".eq.":
		op = "=="
	case ".ne.":
		op = "/="
	case ".lt.":
		op = "<"
	case ".le.":
		op = "<="
	case ".gt.":
		op = ">"
	case ".ge.":
		op = ">="
	}
	return "operator(" + op + ")"
}

// Operator is the operator that x applies, "" where x is no use of one.
func (x *Index) Operator() string {
	op, ok := strings.CutPrefix(x.Name, "operator(")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(op, ")")
}
