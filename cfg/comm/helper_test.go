package comm_test

import (
	"os"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
)

// analyze is the SPMD form of text.
func analyze(t testing.TB, text string) *comm.Program {
	t.Helper()
	return front.Must(t, front.SPMD, text)
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
