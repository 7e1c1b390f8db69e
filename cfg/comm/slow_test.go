package comm_test

import (
	"testing"

	"github.com/spmdc/spmdc/parser/source"
)

// TestDocumentedWarning: the example of the code gives the warning, once.
func TestDocumentedWarning(t *testing.T) {
	info, _ := source.Lookup(source.Slow)
	diags := source.NewList(source.NewFile("in.hpf", []byte(info.Example)))
	analyze(t, info.Example).WarnSlow(diags)
	if len(diags.Diags) != 1 || diags.Diags[0].Code != source.Slow {
		t.Errorf("the example of %s gives %v", info.Code, diags.Diags)
	}
}
