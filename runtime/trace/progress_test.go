package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/spmd"
)

// inLoop is an observer of two PEs that are in the fifth of ten iterations.
func inLoop(t *testing.T, port string) *observer {
	t.Helper()
	o := &observer{regions: []Region{{-1, "program", "p", 1, 9}, {0, "loop", "t", 4, 8}}, program: &spmd.Program{Name: "p", File: "p.hpf"}, began: readClock(), recorders: make([]*Recorder, 2)}
	o.profile.port = port
	end, err := o.watch(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	with(t, 2, 2, 1, func(r *Recorder) {
		r.live = &o.live[r.PE()]
		r.Enter(1)
		r.Trips(10)
		for range 5 {
			r.Next()
			r.Barrier(0)
		}
	})
	return o
}

// ask sends a request, and returns the answer.
func ask(t *testing.T, o *observer, request string) (head, body string) {
	t.Helper()
	c, err := net.Dial("tcp", o.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, strings.ReplaceAll(request, "HERE", o.address))
	answer, err := io.ReadAll(bufio.NewReader(c))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ = strings.Cut(string(answer), "\r\n\r\n")
	return head, body
}

// TestProgress: a client on this machine gets how far the run is, others and other requests do not.
func TestProgress(t *testing.T) {
	o := inLoop(t, ":0")
	head, body := ask(t, o, "GET / HTTP/1.1\r\nHost: HERE\r\n\r\n")
	var p Progress
	if err := json.Unmarshal([]byte(body), &p); err != nil || !strings.HasPrefix(head, "HTTP/1.0 200 ") {
		t.Fatalf("%v: %s\n%s", err, head, body)
	}
	if p.Loop == nil || p.Loop.Name != "t" || p.Loop.Line != 4 || p.Loop.Iteration != 5 || p.Loop.Of != 10 || p.Loop.Rate <= 0 || p.Program != "p" || p.PEs != 2 ||
		len(p.Status) != 2 || p.Status[1].Iteration != 5 || p.Blocked <= 0 || p.Blocked > 1 {
		t.Errorf("%s", body)
	}
	if text := p.text(); !strings.Contains(text, ", loop t in line 4: iteration 5 of 10, ") || !strings.HasSuffix(text, " % blocked") {
		t.Error(text)
	}
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n": "403", "GET /x HTTP/1.1\r\nHost: HERE\r\n\r\n": "404", "POST / HTTP/1.1\r\nHost: HERE\r\n\r\n": "404",
	} {
		if head, body := ask(t, o, request); !strings.HasPrefix(head, "HTTP/1.0 "+want) || body != "{}\n" {
			t.Errorf("%q: %s\n%s", request, head, body)
		}
	}
	other := &observer{program: o.program, profile: profileFlag{port: o.address[strings.LastIndex(o.address, ":"):]}}
	if _, err := other.watch(1); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("%v: the port is in use", err)
	}
}

// TestShown: a terminal gets a line, which is gone at the end.
func TestShown(t *testing.T) {
	o := inLoop(t, ":0")
	var b bytes.Buffer
	end, over := make(chan struct{}), make(chan struct{})
	go o.show(&signalling{&b, func() { close(end) }}, end, over)
	<-over
	if got := b.String(); !strings.HasPrefix(got, "\rp: ") || !strings.Contains(got, "iteration 5 of 10") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
}

// signalling calls a function behind the first write.
type signalling struct {
	io.Writer
	first func()
}

func (s *signalling) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if s.first != nil {
		s.first()
		s.first = nil
	}
	return n, err
}
