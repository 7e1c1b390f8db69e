package source

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"sign", "sin", "sqrt", "enddo", "endif", "end"}
	for s, want := range map[string]string{"sinn": "sin", "sqr": "sqrt", "enddoo": "enddo", "edn": "end", "absolute": "", "x": ""} {
		if got := Nearest(s, words...); got != want {
			t.Errorf("nearest to %s: %q, want %q", s, got, want)
		}
	}
}
