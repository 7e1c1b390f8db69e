package cli

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A build that is over soon shows nothing; one that takes longer says what it is at,
// and leaves nothing on the line.
func TestProgress(t *testing.T) { synctest.Test(t, testProgress) }

func testProgress(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, time.Hour)
	p.Step("compiling a.hpf")
	p.Stop()
	if b.Len() > 0 {
		t.Errorf("%q", b.String())
	}
	p = newProgress(&b, time.Millisecond)
	p.Step("compiling a.hpf")
	time.Sleep(20 * time.Millisecond)
	p.Step("building a")
	time.Sleep(20 * time.Millisecond)
	p.Stop()
	const erase = "\r\x1b[K"
	got := b.String()
	if !strings.HasPrefix(got, erase+"spmdc: compiling a.hpf, 0 s"+erase) || !strings.Contains(got, "spmdc: building a, 0 s"+erase) || !strings.HasSuffix(got, erase) {
		t.Errorf("%q", got)
	}
}
