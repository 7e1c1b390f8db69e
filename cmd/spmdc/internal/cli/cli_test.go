package cli

import (
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", ""},
		{"run -n 4 a.hpf", "run -n 4 a.hpf"},
		{"compile --explain comm a.hpf", "compile --explain comm a.hpf"},
		{"--version", "version"},
		{"--explain a.hpf", "explain a.hpf"},
		{"--explain comm a.hpf", "explain comm a.hpf"},
		{"--explain=comm a.hpf", "explain comm a.hpf"},
		{"--explain cfg --format=dot a.hpf", "explain cfg --format=dot a.hpf"},
		{"--explain a.hpf --format dot cfg", "explain a.hpf --format dot cfg"},
		{"--explain", "explain"},
	} {
		if got := strings.Join(rewrite(strings.Fields(test.args)), " "); got != test.want {
			t.Errorf("rewrite(%s) = %s, want %s", test.args, got, test.want)
		}
	}
}
