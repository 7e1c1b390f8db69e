package ast

import (
	"fmt"
	"strconv"
	"strings"
)

// head returns the line that a statement begins with, and whether it is a
// directive.
func head(s Stmt) (text string, directive bool) {
	var b strings.Builder
	switch s := s.(type) {
	case *TypeDecl:
		writeTypeDecl(&b, s)
	case *TypeDef:
		writeTypeDef(&b, s)
	case *ParameterStmt:
		b.WriteString("parameter (")
		for i, n := range s.Names {
			comma(&b, i)
			b.WriteString(n.Name + " = ")
			writeExpr(&b, n.Init, 0)
		}
		b.WriteString(")")
	case *DimensionStmt:
		b.WriteString("dimension ")
		writeEntities(&b, s.Entities)
	case *AllocatableStmt:
		b.WriteString(allocatableWord(s.Pointer) + " :: ")
		writeEntities(&b, s.Entities)
	case *Allocate:
		if s.Free {
			b.WriteString("de")
		}
		b.WriteString("allocate (")
		if s.Of.Name != "" {
			b.WriteString(s.Of.Name + " :: ")
		}
		for i, e := range s.Args {
			comma(&b, i)
			writeExpr(&b, e, 0)
		}
		b.WriteString(")")
	case *ImplicitNone:
		b.WriteString("implicit none")
		if s.External {
			b.WriteString(" (type, external)")
		}
	case *Implicit:
		writeImplicit(&b, s)
	case *Data:
		writeData(&b, s)
	case *Save:
		writeSave(&b, s)
	case *Common:
		writeCommon(&b, s)
	case *Namelist:
		b.WriteString("namelist")
		for _, g := range s.Groups {
			b.WriteString(" /" + g.Name.Name + "/ " + joinNames(g.Names))
		}
	case *Equivalence:
		b.WriteString("equivalence ")
		for i, group := range s.Groups {
			comma(&b, i)
			b.WriteString("(")
			writeList(&b, group)
			b.WriteString(")")
		}
	case *Intent:
		b.WriteString("intent(" + s.Intent + ") :: " + joinNames(s.Names))
	case *Attribute:
		b.WriteString(s.Word + " :: " + joinNames(s.Names))
	case *Interface:
		if s.Abstract {
			b.WriteString("abstract ")
		}
		b.WriteString(named("interface", s.Name.Name))
	case *Import:
		b.WriteString("import")
		if len(s.Names) > 0 {
			b.WriteString(" :: " + joinNames(s.Names))
		}
	case *External:
		word := "external"
		if s.Intrinsic {
			word = "intrinsic"
		} else if s.Interface.Name != "" {
			word = "procedure(" + s.Interface.Name + ")"
		}
		b.WriteString(word + " :: " + joinNames(s.Names))
	case *Use:
		b.WriteString("use ")
		if s.Nature != "" {
			b.WriteString(", " + s.Nature + " :: ")
		}
		b.WriteString(s.Module.Name)
		if s.Only {
			b.WriteString(", only:")
		}
		for i, n := range s.Names {
			if i > 0 || !s.Only {
				b.WriteString(",")
			}
			b.WriteString(" " + n.Name.Name)
			if n.Of.Name != "" {
				b.WriteString(" => " + n.Of.Name)
			}
		}
	case *Access:
		b.WriteString(s.Access)
		if len(s.Names) > 0 {
			b.WriteString(" :: " + joinNames(s.Names))
		}

	case *Processors:
		b.WriteString("PROCESSORS ")
		writeEntities(&b, s.Entities)
		directive = true
	case *Template:
		b.WriteString("TEMPLATE ")
		writeEntities(&b, s.Entities)
		directive = true
	case *Align:
		writeAlign(&b, s)
		directive = true
	case *Distribute:
		writeDistribute(&b, s)
		directive = true
	case *Dynamic:
		b.WriteString("DYNAMIC " + joinNames(s.Names))
		directive = true
	case *Remap:
		b.WriteString("RE")
		switch d := s.Directive.(type) {
		case *Align:
			writeAlign(&b, d)
		case *Distribute:
			writeDistribute(&b, d)
		}
		directive = true
	case *Inherit:
		b.WriteString("INHERIT " + joinNames(s.Names))
		directive = true
	case *Shadow:
		b.WriteString("SHADOW (")
		for i, w := range s.Widths {
			comma(&b, i)
			switch {
			case w.Low == nil:
				b.WriteString("*")
			default:
				writeExpr(&b, w.Low, 0)
			}
			if w.High != nil {
				b.WriteString(":")
				writeExpr(&b, w.High, 0)
			}
		}
		b.WriteString(") :: " + joinNames(s.Names))
		directive = true
	case *Independent:
		b.WriteString("INDEPENDENT")
		if len(s.Loops) > 0 {
			b.WriteString(" (" + joinNames(s.Loops) + ")")
		}
		writeClause(&b, "NEW", s.New)
		writeClause(&b, "REDUCTION", s.Reduction)
		if s.On.IsSet() {
			b.WriteString(", ")
		}
		writeOn(&b, &s.On)
		directive = true

	case *Assign:
		lhs, rhs := s.written()
		writeExpr(&b, lhs, 0)
		b.WriteString(" = ")
		writeExpr(&b, rhs, 0)
	case *Do:
		b.WriteString(label(s.Name) + "do")
		if s.TermLabel != 0 {
			fmt.Fprintf(&b, " %d", s.TermLabel)
		}
		if s.Var.Name != "" {
			b.WriteString(" " + s.Var.Name + " = ")
			writeControl(&b, s.Lo, s.Hi, s.Step)
		}
	case *DoWhile:
		b.WriteString(label(s.Name) + "do")
		if s.TermLabel != 0 {
			fmt.Fprintf(&b, " %d", s.TermLabel)
		}
		b.WriteString(" while (" + UnparseExpr(s.Cond) + ")")
	case *If:
		b.WriteString(label(s.Name) + s.word() + " (")
		if len(s.Arms) > 0 {
			writeExpr(&b, s.Arms[0].Cond, 0)
		}
		if s.OneLine {
			b.WriteString(") ")
			if len(s.Arms) > 0 && len(s.Arms[0].Body) > 0 {
				b.WriteString(UnparseStmt(s.Arms[0].Body[0]))
			}
		} else if s.Where {
			b.WriteString(")")
		} else {
			b.WriteString(") then")
		}
	case *Forall:
		writeForall(&b, s)
	case *Exit:
		b.WriteString(named("exit", s.Name))
	case *Cycle:
		b.WriteString(named("cycle", s.Name))
	case *Format:
		b.WriteString("format" + s.Text)
	case *Print:
		writePrint(&b, s)
	case *Read:
		writeRead(&b, s)
	case *FileStmt:
		b.WriteString(s.Word)
		writeControls(&b, &s.Control, false, s.Items)
	case *Stop:
		if s.Error {
			b.WriteString("error ")
		}
		b.WriteString("stop")
		if s.Code != nil {
			b.WriteString(" ")
			writeExpr(&b, s.Code, 0)
		}
	case *Sync:
		if s.isSync() {
			b.WriteString("sync ")
		}
		b.WriteString(s.What)
		writeImages(&b, images(s), s.Status)
	case *Critical:
		b.WriteString(label(s.Name) + "critical")
		writeImages(&b, "", s.Status)
	case *ChangeTeam:
		b.WriteString(label(s.Name) + "change team (")
		writeExpr(&b, s.Team, 0)
		for _, n := range s.Names {
			b.WriteString(", " + n.Name.Name + "[")
			writeList(&b, n.Codims)
			b.WriteString("] => ")
			writeExpr(&b, n.X, 0)
		}
		for _, e := range s.Status {
			b.WriteString(", ")
			writeExpr(&b, e, 0)
		}
		b.WriteString(")")
	case *Block:
		switch {
		case s.Tasks:
			b.WriteString("TASK_REGION")
			directive = true
		case s.On.IsSet():
			writeOn(&b, &s.On)
			if !s.On.One {
				b.WriteString(" BEGIN")
			}
			directive = true
		default:
			b.WriteString(label(s.Name) + "block")
		}
	case *Associate:
		b.WriteString(label(s.Name) + "associate (")
		for i, n := range s.Names {
			comma(&b, i)
			b.WriteString(n.Name.Name + " => ")
			writeExpr(&b, n.X, 0)
		}
		b.WriteString(")")
	case *Call:
		b.WriteString("call ")
		if s.Of != nil {
			writeExpr(&b, s.Of, 0)
			b.WriteString("%")
		}
		b.WriteString(s.Proc.Name)
		if len(s.Args) > 0 {
			b.WriteString("(")
			writeList(&b, s.Args)
			b.WriteString(")")
		}
	case *Return:
		b.WriteString("return")
		if s.X != nil {
			b.WriteString(" ")
			writeExpr(&b, s.X, 0)
		}
	case *Entry:
		b.WriteString("entry " + s.Name.Name + "(" + joinNames(s.Args) + ")")
		if s.Result.Name != "" {
			b.WriteString(" result(" + s.Result.Name + ")")
		}
	case *Continue:
		b.WriteString("continue")
	case *Goto:
		b.WriteString("goto " + joinLabels(s.To))
	case *ComputedGoto:
		b.WriteString("goto (" + joinLabels(s.To...) + "), " + UnparseExpr(s.X))
	case *AssignedGoto:
		b.WriteString("goto " + s.Var.Name)
		if len(s.To) > 0 {
			b.WriteString(", (" + joinLabels(s.To...) + ")")
		}
	case *ArithmeticIf:
		b.WriteString("if (" + UnparseExpr(s.X) + ") " + joinLabels(s.To[:]...))
	case *LabelAssign:
		b.WriteString("assign " + joinLabels(s.To) + " to " + s.Var.Name)
	case *Pause:
		b.WriteString("pause")
		if s.Code != nil {
			b.WriteString(" " + UnparseExpr(s.Code))
		}
	case *Select:
		switch {
		case s.OfType && s.As.Name != "":
			b.WriteString(label(s.Name) + "select type (" + s.As.Name + " => " + UnparseExpr(s.X) + ")")
		case s.OfType:
			b.WriteString(label(s.Name) + "select type (" + UnparseExpr(s.X) + ")")
		default:
			b.WriteString(label(s.Name) + "select case (" + UnparseExpr(s.X) + ")")
		}
	case *PointerAssign:
		if len(s.To) > 1 {
			b.WriteString("nullify (")
			writeList(&b, s.To)
			b.WriteString(")")
		} else {
			b.WriteString(UnparseExpr(s.To[0]) + " => " + UnparseExpr(s.X))
		}
	default:
		fmt.Fprintf(&b, "! %T", s)
	}
	return b.String(), directive
}

// word is the first one of the statement.
func (s *If) word() string {
	if s.Where {
		return "where"
	}
	return "if"
}

func writeForall(b *strings.Builder, s *Forall) {
	b.WriteString(label(s.Name))
	if s.Concurrent {
		b.WriteString("do ")
		if s.TermLabel != 0 {
			fmt.Fprintf(b, "%d ", s.TermLabel)
		}
		b.WriteString("concurrent (")
	} else {
		b.WriteString("forall (")
	}
	for i, x := range s.Indices {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(x.Var.Name + " = " + UnparseExpr(x.Lo) + ":" + UnparseExpr(x.Hi))
		if x.Step != nil {
			b.WriteString(":" + UnparseExpr(x.Step))
		}
	}
	if s.Mask != nil {
		b.WriteString(", " + UnparseExpr(s.Mask))
	}
	b.WriteString(")")
	if len(s.Local) > 0 {
		b.WriteString(" local(" + joinNames(s.Local) + ")")
	}
	if len(s.LocalInit) > 0 {
		b.WriteString(" local_init(" + joinNames(s.LocalInit) + ")")
	}
	for _, r := range s.Reduce {
		b.WriteString(" reduce(" + r.Op + ":" + r.Name.Name + ")")
	}
	if s.OneLine && len(s.Body) > 0 {
		b.WriteString(" " + UnparseStmt(s.Body[0]))
	}
}

func joinLabels(list ...Target) string {
	labels := make([]string, len(list))
	for i, t := range list {
		labels[i] = strconv.Itoa(t.Label)
	}
	return strings.Join(labels, ", ")
}

// head is the CASE statement.
func (c *Case) head() string {
	if g := c.Guard; g != nil {
		switch {
		case g.Type != nil:
			var b strings.Builder
			writeType(&b, g.Type)
			return "type is (" + b.String() + ")"
		case g.Of.Name == "":
			return "class default"
		case g.Class:
			return "class is (" + g.Of.Name + ")"
		}
		return "type is (" + g.Of.Name + ")"
	}
	if len(c.Values) == 0 {
		return "case default"
	}
	var b strings.Builder
	for i, v := range c.Values {
		comma(&b, i)
		if v.Lo != nil {
			writeExpr(&b, v.Lo, 0)
		}
		if v.Range {
			b.WriteString(":")
		}
		if v.Hi != nil {
			writeExpr(&b, v.Hi, 0)
		}
	}
	return "case (" + b.String() + ")"
}

// writeImages writes what stands in parentheses behind SYNC or CRITICAL: images, unless
// there are none, and STAT= and ERRMSG=.
func writeImages(b *strings.Builder, images string, status []Expr) {
	if images == "" && len(status) == 0 {
		return
	}
	b.WriteString(" (" + images)
	for i, e := range status {
		if i > 0 || images != "" {
			b.WriteString(", ")
		}
		writeExpr(b, e, 0)
	}
	b.WriteString(")")
}

// images is the image set of SYNC IMAGES, or the event or lock.
func images(s *Sync) string {
	var b strings.Builder
	switch {
	case s.What == "all" || s.What == "memory" || s.What == "fail image":
	case s.What == "form team":
		writeList(&b, s.Images)
	case s.List:
		b.WriteString("[")
		writeList(&b, s.Images)
		b.WriteString("]")
	case len(s.Images) == 0:
		b.WriteString("*")
	default:
		writeExpr(&b, s.Images[0], 0)
	}
	return b.String()
}

// label is a construct name in front of its statement.
func label(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// named is a statement with a construct name behind it, or without.
func named(word, name string) string {
	if name == "" {
		return word
	}
	return word + " " + name
}

func allocatableWord(pointer bool) string {
	if pointer {
		return "pointer"
	}
	return "allocatable"
}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteString(", ")
	}
}

func writeTypeDecl(b *strings.Builder, s *TypeDecl) {
	colons := s.HasColons
	if s.Points == nil {
		writeType(b, &s.Type)
	} else {
		b.WriteString("procedure(" + s.Points.Face.Name + "), pointer")
		if s.Points.NoPass {
			b.WriteString(", nopass")
		} else if s.Points.Pass != "" {
			b.WriteString(", pass(" + s.Points.Pass + ")")
		}
		colons = true
	}
	if s.Parameter {
		b.WriteString(", parameter")
		colons = true
	}
	if s.Dimension != nil {
		b.WriteString(", dimension")
		writeDims(b, s.Dimension)
		colons = true
	}
	if s.Codimension != nil {
		b.WriteString(", codimension")
		writeBounds(b, "[", s.Codimension, "]")
		colons = true
	}
	if s.Save {
		b.WriteString(", save")
		colons = true
	}
	if s.External {
		b.WriteString(", external")
		colons = true
	}
	if s.Intrinsic {
		b.WriteString(", intrinsic")
		colons = true
	}
	for _, word := range s.Unused {
		b.WriteString(", " + word)
		colons = true
	}
	if s.Allocatable {
		b.WriteString(", " + allocatableWord(s.Pointer))
		colons = true
	}
	for i, has := range []bool{s.Optional, s.Value, s.Protected} {
		if has {
			b.WriteString(", " + []string{"optional", "value", "protected"}[i])
			colons = true
		}
	}
	if s.Intent != "" {
		b.WriteString(", intent(" + s.Intent + ")")
		colons = true
	}
	if s.Access != "" {
		b.WriteString(", " + s.Access)
		colons = true
	}
	for _, e := range s.Entities {
		colons = colons || e.Init != nil || e.Null
	}
	if colons {
		b.WriteString(" ::")
	}
	b.WriteString(" ")
	if s.Points == nil {
		writeEntities(b, s.Entities)
		return
	}
	for i, e := range s.Entities {
		if comma(b, i); e.Init == nil {
			b.WriteString(e.Name)
		} else {
			b.WriteString(e.Name + " => " + UnparseExpr(e.Init))
		}
	}
}

// writeType writes a type with its kind or length.
func writeType(b *strings.Builder, t *TypeSpec) {
	b.WriteString(t.Name)
	if t.Of.Name != "" {
		b.WriteString("(" + t.Of.Name + ")")
	}
	size := t.Kind
	if t.Name == "character" {
		size = t.Len
	}
	switch {
	case t.Name == "character" && t.Kind != nil && size == nil:
		b.WriteString("(kind=" + UnparseExpr(t.Kind) + ")")
	case t.Name == "character" && t.Kind != nil:
		b.WriteString("(len=" + UnparseExpr(size) + ", kind=" + UnparseExpr(t.Kind) + ")")
	case size == nil:
	case !t.Star && t.Name == "character":
		b.WriteString("(len=" + UnparseExpr(size) + ")")
	case !t.Star:
		b.WriteString("(" + UnparseExpr(size) + ")")
	default:
		writeStar(b, size)
	}
}

// writeStar writes the *8 of REAL*8 or the *(n) of CHARACTER*(n).
func writeStar(b *strings.Builder, size Expr) {
	if lit, ok := size.(*IntLit); ok {
		b.WriteString("*" + lit.Text)
		return
	}
	b.WriteString("*(" + UnparseExpr(size) + ")")
}

func writeEntities(b *strings.Builder, list []Entity) {
	for i, e := range list {
		comma(b, i)
		b.WriteString(e.Name)
		if e.Dims != nil {
			writeDims(b, e.Dims)
		}
		if e.Codims != nil {
			writeBounds(b, "[", e.Codims, "]")
		}
		if e.Len != nil {
			writeStar(b, e.Len)
		}
		if e.Init != nil {
			b.WriteString(" = ")
			writeExpr(b, e.Init, 0)
		}
		if e.Data != nil {
			writeValues(b, e.Data)
		}
		if e.Null {
			b.WriteString(" => null()")
		}
	}
}

func writeDims(b *strings.Builder, dims []DimSpec) { writeBounds(b, "(", dims, ")") }

func writeBounds(b *strings.Builder, open string, dims []DimSpec, end string) {
	b.WriteString(open)
	for i, d := range dims {
		comma(b, i)
		if d.Lo != nil {
			writeExpr(b, d.Lo, 0)
			b.WriteString(":")
		}
		switch {
		case d.Hi != nil:
			writeExpr(b, d.Hi, 0)
		case d.Lo == nil:
			b.WriteString(":")
		}
	}
	b.WriteString(end)
}
