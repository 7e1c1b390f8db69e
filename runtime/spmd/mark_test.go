package spmd

import (
	"reflect"
	"testing"

	"github.com/spmdc/spmdc/runtime/elide"
)

func TestMarks(t *testing.T) {
	pe := &PE{}
	for _, c := range []struct {
		do   func()
		want elide.Access
	}{
		{func() {}, elide.Private},
		{pe.MarkLocal, elide.Local},
		{pe.MarkRemote, elide.Remote},
		{func() { pe.MarkLocal(); pe.MarkRemote() }, elide.Remote},
		{func() { pe.MarkRemote(); pe.MarkLocal() }, elide.Remote},
		{func() { pe.MarkLocal(); pe.MarkLocal() }, elide.Local},
	} {
		c.do()
		if got := pe.TakeAccess(); got != c.want {
			t.Errorf("access %d, want %d", got, c.want)
		}
		if got := pe.TakeAccess(); got != elide.Private {
			t.Errorf("access %d after it was taken, want %d", got, elide.Private)
		}
	}
}

func TestPath(t *testing.T) {
	calls := []Call{{Line: 3, Col: 1, Proc: "a"}, {Line: 7, Col: 2, Proc: "b", Parent: 1}, {Line: 8, Col: 2, Proc: "b"}}
	p := &Program{Calls: calls, Sites: []Site{{Line: 1}, {Line: 20, Call: 2}, {Line: 20, Call: 3}}}
	for site, want := range [][]Call{{}, {calls[0], calls[1]}, {calls[2]}} {
		if got := p.Path(site); !reflect.DeepEqual(got, want) {
			t.Errorf("path of site %d: %v, want %v", site, got, want)
		}
	}
}
