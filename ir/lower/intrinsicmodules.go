package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// IntrinsicConstants are the constants of the modules of the language, all of the
// default kind of INTEGER, with the values that gfortran gives them.
var IntrinsicConstants = map[string]map[string]int{
	"iso_fortran_env": {
		"int8": 1, "int16": 2, "int32": 4, "int64": 8,
		"real32": 4, "real64": 8, "real128": 16,
		"atomic_int_kind": 4, "atomic_logical_kind": 4,
		"input_unit": 5, "output_unit": 6, "error_unit": 0,
		"iostat_end": -1, "iostat_eor": -2, "iostat_inquire_internal_unit": 5018,
		"character_storage_size": 8, "file_storage_size": 8, "numeric_storage_size": 32,
		"stat_locked": 1, "stat_locked_other_image": 2, "stat_unlocked": 0,
		"stat_stopped_image": 6000, "stat_failed_image": 6001,
		"initial_team": 0, "parent_team": 1, "current_team": 2,
	},
	"iso_c_binding": {
		"c_signed_char": 1, "c_short": 2, "c_int": 4, "c_long": 8, "c_long_long": 8, "c_size_t": 8,
		"c_int8_t": 1, "c_int16_t": 2, "c_int32_t": 4, "c_int64_t": 8,
		"c_int_least8_t": 1, "c_int_least16_t": 2, "c_int_least32_t": 4, "c_int_least64_t": 8,
		"c_int_fast8_t": 1, "c_int_fast16_t": 8, "c_int_fast32_t": 8, "c_int_fast64_t": 8,
		"c_intmax_t": 8, "c_intptr_t": 8, "c_ptrdiff_t": 8,
		"c_float": 4, "c_double": 8, "c_long_double": 10,
		"c_float_complex": 4, "c_double_complex": 8, "c_long_double_complex": 10,
		"c_bool": 1, "c_char": 1,
	},
}

// kindLists are the constants of the modules that are arrays.
var kindLists = map[string]map[string][]int{
	"iso_fortran_env": {
		"character_kinds": {1, 4}, "integer_kinds": {1, 2, 4, 8, 16}, "logical_kinds": {1, 2, 4, 8, 16}, "real_kinds": {4, 8, 10, 16},
	},
}

// environmentFunctions are the functions of iso_fortran_env.
var environmentFunctions = map[string]intrinsicFunc{
	"compiler_version": {nil, func(_ *lowerer, c *call) ir.Expr { return textConst("spmdc", c.Pos) }},
	"compiler_options": {nil, func(_ *lowerer, c *call) ir.Expr { return textConst("", c.Pos) }},
}

func textConst(s string, pos source.Pos) ir.Expr {
	return &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: s}
}

// kindList is the array of constants called name.
func (l *lowerer) kindList(name string, kinds []int) *ir.Symbol {
	s := &ir.Symbol{Name: l.unique(name), Local: name, Type: ir.Integer, Dims: []ir.Bound{{Lo: 1, Hi: len(kinds)}}}
	l.prog.Symbols = append(l.prog.Symbols, s)
	for at, k := range kinds {
		l.setInitial(s, at, 1, &ir.Const{X: ir.X{Typ: ir.Integer}, Int: k}, s.Pos)
	}
	l.typed[s] = s.Pos
	l.constants[s], l.readOnly[s] = true, name+" is a PARAMETER"
	return s
}

// mentioned reports whether name stands in some unit of the file.
func (l *lowerer) mentioned(name string) bool {
	var in func(units []*ast.Program) bool
	in = func(units []*ast.Program) bool {
		return slices.ContainsFunc(units, func(u *ast.Program) bool { return u.Words[name] || in(u.Contains) })
	}
	f := l.file
	return f.Program != nil && in([]*ast.Program{f.Program}) || in(f.Modules) || in(f.Procedures)
}

// ieeeModules are the constants of the modules for IEEE arithmetic.
var ieeeModules = map[string]map[string]int{
	"ieee_arithmetic": ieeeConstants, "ieee_exceptions": ieeeConstants,
	"ieee_features": numbered("ieee_datatype ieee_denormal ieee_divide ieee_halting ieee_inexact_flag ieee_inf ieee_invalid_flag ieee_nan ieee_rounding ieee_sqrt ieee_subnormal ieee_underflow_flag"),
}
