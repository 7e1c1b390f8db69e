package driver

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/spmdc/spmdc/parser/source"
)

// dump writes a syntax tree as Go composite literals, without fields that say
// nothing, and with positions as LINE:COLUMN. Trees are as deep as the
// expressions of the program, which have no bound.
func dump(v any) string {
	d := &dumper{}
	d.value(reflect.ValueOf(v), 0, true)
	d.b.WriteByte('\n')
	return d.b.String()
}

type dumper struct{ b bytes.Buffer }

// value writes v; typed: its type does not follow from where it stands.
func (d *dumper) value(v reflect.Value, depth int, typed bool) {
	switch v.Kind() {
	case reflect.Interface:
		d.value(v.Elem(), depth, true)
	case reflect.Pointer:
		d.b.WriteByte('&')
		d.value(v.Elem(), depth, true)
	case reflect.Struct:
		if p, ok := v.Interface().(source.Pos); ok {
			fmt.Fprintf(&d.b, "%d:%d", p.Line, p.Col)
			return
		}
		if typed {
			d.b.WriteString(v.Type().String())
		}
		d.list(depth, v.NumField(), func(i int) bool {
			if v.Field(i).IsZero() || !v.Type().Field(i).IsExported() || v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() == 0 {
				return false
			}
			d.indent(depth + 1)
			d.b.WriteString(v.Type().Field(i).Name + ": ")
			d.value(v.Field(i), depth+1, false)
			return true
		})
	case reflect.Slice, reflect.Array:
		d.list(depth, v.Len(), func(i int) bool {
			d.indent(depth + 1)
			if e := v.Index(i); (e.Kind() == reflect.Interface || e.Kind() == reflect.Pointer) && e.IsNil() {
				d.b.WriteString("nil")
			} else {
				d.value(e, depth+1, false)
			}
			return true
		})
	case reflect.String:
		fmt.Fprintf(&d.b, "%q", v.String())
	default:
		fmt.Fprintf(&d.b, "%v", v)
	}
}

// list writes the elements in braces, each on a line; element reports whether there
// was something to write.
func (d *dumper) list(depth, n int, element func(i int) bool) {
	d.b.WriteByte('{')
	empty := d.b.Len()
	d.b.WriteByte('\n')
	some := false
	for i := range n {
		if element(i) {
			d.b.WriteString(",\n")
			some = true
		}
	}
	if !some {
		d.b.Truncate(empty)
	} else {
		d.indent(depth)
	}
	d.b.WriteByte('}')
}

func (d *dumper) indent(depth int) {
	for range depth {
		d.b.WriteString("    ")
	}
}
