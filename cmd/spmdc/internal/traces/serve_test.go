package traces

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// bigTrace is a file of two PEs with so many chunks of events for each: an execution of the loop
// every microsecond, and one of the program.
func bigTrace(t *testing.T, chunks int) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "big"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	b := bufio.NewWriterSize(file, 1<<20)
	d := twoPEs(t, "big").Definitions
	w := tracefile.NewWriter(b, &d)
	for c := range 3 {
		var list []tracefile.Event
		for i := range 100 {
			n := 2 * int64(100*c+i) // every second
			list = append(list, tracefile.Event{Kind: tracefile.Iteration, ID: 1, Began: n * 1e5, Took: 1e5, Number: uint64(n), Peer: -1})
		}
		w.Events(0, tracefile.Iterations, list)
	}
	const events = 16384
	list := make([]tracefile.Event, events)
	for pe := range 2 {
		w.Events(pe, 0, []tracefile.Event{{Kind: tracefile.Region, Took: int64(chunks) * events * 1000, Peer: -1}})
		for c := range chunks {
			for i := range list {
				n := int64(c*events + i)
				list[i] = tracefile.Event{Kind: tracefile.Region, ID: 1, Began: n * 1000, Took: 500 + n%97, Number: uint64(n), Peer: -1}
			}
			w.Events(pe, 1, list)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestServe: a view of a short time has all that is in it, one of the whole time what there is
// room for, and only requests of this machine are answered.
func TestServe(t *testing.T) {
	s, err := NewServer(bigTrace(t, 60))
	if err != nil {
		t.Fatal(err)
	}
	count := func(v *View) int { return (len(v.Lanes[0]) + len(v.Lanes[1])) / 10 }
	v, err := s.View(30_000_000, 30_100_500)
	if err != nil || count(v) != 2*(1+101) || v.Note != "all 204 events of this time are drawn" {
		t.Errorf("%v: %d events, %s", err, count(v), v.Note)
	}
	v, err = s.View(30_000_000, 60_000_000)
	if err != nil || count(v) != mostServed || !strings.HasPrefix(v.Note, "the longest 20000 of 60") {
		t.Errorf("%v: %d events, %s", err, count(v), v.Note)
	}
	v, err = s.View(s.begin, s.end)
	if err != nil || count(v) != mostServed || !strings.HasPrefix(v.Note, "20000 events are drawn, of some 1966082 of this time") {
		t.Errorf("%v: %d events, %s", err, count(v), v.Note)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	get := func(path, host string) (int, string) {
		r, err := http.NewRequest(http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	for _, x := range []struct {
		path, host string
		status     int
		text       string
	}{
		{"/", "", 200, `"view":"view"`}, {"/view?from=0&to=5000", "", 200, `"note":"all 14 events`}, {"/iteration?number=300", "", 200, "[300,30000000,100000,1]\n"}, {"/iteration?number=-7", "", 200, "[0,0,100000,1]"}, {"/iteration?number=999", "", 200, "[598,"},
		{"/iteration", "", 400, "has a number"}, {"/view?from=5&to=x", "", 400, "from one time to another"},
		{"/other", "", 404, ""}, {"/", "evil.example:80", 403, "127.0.0.1"},
	} {
		if status, text := get(x.path, x.host); status != x.status || !strings.Contains(text, x.text) {
			t.Errorf("%s of %q: %d, %.300s", x.path, x.host, status, text)
		}
	}
}

// TestServeBig: of a file of 1 GB the first page comes in less than 2 s, a view in less than 0.5 s,
// in less than 500 MB.
func TestServeBig(t *testing.T) {
	effort.Full(t, "long: a file of 1 GB")
	file := bigTrace(t, 3200)
	st, err := file.Stat()
	if err != nil || st.Size() < 1e9 {
		t.Fatalf("%v: the file has %d bytes", err, st.Size())
	}
	begin := time.Now()
	s, err := NewServer(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Page(io.Discard); err != nil {
		t.Fatal(err)
	}
	page := time.Since(begin)
	view := time.Hour // the best of several: other programs run too
	for range 3 {
		begin = time.Now()
		if _, err := s.View(s.end/3, s.end/2); err != nil {
			t.Fatal(err)
		}
		view = min(view, time.Since(begin))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d bytes: the page after %v, a view after %v, %d MB", st.Size(), page, view, m.Sys>>20)
	if page > 2*time.Second || view > time.Second/2 || m.Sys > 500<<20 {
		t.Error("that is too much")
	}
}
