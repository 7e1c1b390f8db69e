package comm_test

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := randomProgram(t)
		np := rapid.IntRange(1, 7).Draw(t, "PEs")
		if d := compare(text, np); d != "" {
			t.Fatalf("%d PEs: %s\n%s", np, d, numbered(text))
		}
	})
}
