package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// While a program runs, how far it is can be seen on a terminal, and asked for by HTTP on the
// loop-back address: the iteration of the outermost loop that communicates, and how long PEs
// were blocked. Each PE says at the beginning of an iteration where it is.

// live is where a PE is. The PE writes it, and others read it.
type live struct {
	region    atomic.Int64 // of the outermost loop; 0: it has not come to one
	iteration atomic.Int64 // from 0
	trips     atomic.Int64 // of the loop, 0: not known
	entered   atomic.Int64 // ticks when the loop began
	now       atomic.Int64 // ticks when the iteration began
	blocked   atomic.Int64 // ticks that the PE had waited for others until then
}

// Progress is how far a run is.
type Progress struct {
	Program string      `json:"program"`
	PEs     int         `json:"pes"`
	Seconds float64     `json:"seconds"` // since the run began
	Loop    *LoopStatus `json:"loop"`    // where PE 0 is; null: it has not come to a loop that communicates
	// Blocked is the share of time that the PEs of Status have waited for others, on average, until
	// their iterations began.
	Blocked float64    `json:"blocked"`
	Status  []PEStatus `json:"status"` // by PE, of those in the process of PE 0
}

// LoopStatus is where a loop is.
type LoopStatus struct {
	Line      int     `json:"line"`
	Name      string  `json:"name"`
	Iteration int64   `json:"iteration"`           // from 1
	Of        int64   `json:"of,omitempty"`        // where it is known how many there are
	Rate      float64 `json:"rate"`                // iterations of a second
	Remaining float64 `json:"remaining,omitempty"` // seconds, where it is known how many there are
}

// PEStatus is where a PE is.
type PEStatus struct {
	Iteration int64   `json:"iteration"`
	Blocked   float64 `json:"blocked"`
}

// progress is how far the run is now.
func (o *observer) progress() *Progress {
	p := &Progress{Program: o.program.Name, PEs: len(o.recorders), Seconds: time.Since(o.began.time).Seconds()}
	now, rate := ticks(), o.began.rate()/1e9
	for i := range o.live {
		l := &o.live[i]
		s := PEStatus{Iteration: l.iteration.Load() + 1}
		if span := l.now.Load() - o.began.ticks; l.region.Load() > 0 && span > 0 {
			s.Blocked = float64(l.blocked.Load()) / float64(span)
		} else {
			s.Iteration = 0
		}
		p.Blocked += s.Blocked / float64(len(o.live))
		p.Status = append(p.Status, s)
	}
	l := &o.live[0]
	region := l.region.Load()
	if region == 0 {
		return p
	}
	g := o.regions[region]
	_, line := o.program.Place(g.Line)
	p.Loop = &LoopStatus{Line: line, Name: g.Name, Iteration: p.Status[0].Iteration, Of: l.trips.Load()}
	done := l.iteration.Load()
	if span := float64(l.now.Load()-l.entered.Load()) * rate; done > 0 && span > 0 {
		p.Loop.Rate = float64(done) / span
		if p.Loop.Of > done {
			left := float64(p.Loop.Of-done) / p.Loop.Rate
			p.Loop.Remaining = max(0, left-float64(now-l.now.Load())*rate)
		}
	}
	return p
}

// text is a line of at most 80 columns or so.
func (p *Progress) text() string {
	text := fmt.Sprintf("%s: %s", p.Program, tracefile.Duration(p.Seconds))
	l := p.Loop
	if l == nil {
		return text
	}
	text += fmt.Sprintf(", loop %s in line %d: iteration %d", l.Name, l.Line, l.Iteration)
	if l.Of > 0 {
		text += fmt.Sprintf(" of %d", l.Of)
	}
	if l.Rate > 0 {
		text += fmt.Sprintf(", %.3g/s", l.Rate)
	}
	if l.Remaining > 0 {
		text += ", " + tracefile.Duration(l.Remaining) + " left"
	}
	return text + fmt.Sprintf(", %.0f %% blocked", 100*p.Blocked)
}

// shown is how often a terminal is written to.
const shown = 500 * time.Millisecond

// show writes a line to a terminal again and again, until end is closed, and removes it then.
func (o *observer) show(w io.Writer, end, over chan struct{}) {
	defer close(over)
	t := time.NewTicker(shown)
	defer t.Stop()
	wrote := false
	for {
		select {
		case <-t.C:
			text := []rune(o.progress().text())
			const columns = 79
			fmt.Fprintf(w, "\r%s\x1b[K", string(text[:min(len(text), columns)]))
			wrote = true
		case <-end:
			if wrote {
				io.WriteString(w, "\r\x1b[K")
			}
			return
		}
	}
}

// terminal is standard error if that is a terminal; nil: it is none.
func terminal() io.Writer {
	st, err := os.Stderr.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return os.Stderr
}

// serve answers each request with the progress.
func (o *observer) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return // closed at the end of the run
		}
		go o.answer(c)
	}
}

// patience is how long a client may take.
const patience = 5 * time.Second

// answer reads a request up to the empty line behind its head. Only a request for the page
// itself of the loop-back address is answered with the progress: a page of another site, which
// knows a name for that address, is not.
func (o *observer) answer(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	const most = 1 << 14
	r := bufio.NewReader(io.LimitReader(c, most))
	first, host := "", ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		if first == "" {
			first = line
			continue
		}
		if line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "host") {
			host = strings.TrimSpace(value)
		}
	}
	status, body := "200 OK", []byte(nil)
	_, port, _ := net.SplitHostPort(c.LocalAddr().String())
	switch {
	case host != "" && host != "127.0.0.1:"+port && host != "localhost:"+port:
		status, body = "403 Forbidden", []byte("{}\n")
	case !strings.HasPrefix(first, "GET / "):
		status, body = "404 Not Found", []byte("{}\n")
	default:
		body, _ = json.MarshalIndent(o.progress(), "", " ")
		body = append(body, '\n')
	}
	fmt.Fprintf(c, "HTTP/1.0 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nCache-Control: no-store\r\n\r\n%s", status, len(body), body)
}

// watch begins to show the progress, and returns what ends that.
func (o *observer) watch(n int) (end func(), err error) {
	var listener net.Listener
	if o.profile.port != "" {
		if listener, err = net.Listen("tcp", "127.0.0.1"+o.profile.port); err != nil {
			return nil, &spmd.UsageError{Text: "-profile=" + o.profile.port + ": " + err.Error(), Hint: "name another port, or 0 for any"}
		}
		fmt.Fprintf(os.Stderr, "%s: the profile is at http://%s/\n", o.program.Name, listener.Addr())
	}
	w := terminal()
	if listener == nil && w == nil {
		return func() {}, nil
	}
	o.live = make([]live, n)
	stop, over := make(chan struct{}), make(chan struct{})
	if w != nil {
		go o.show(w, stop, over)
	} else {
		close(over)
	}
	if listener != nil {
		o.address = listener.Addr().String()
		go o.serve(listener)
	}
	return func() {
		close(stop)
		<-over
		if listener != nil {
			listener.Close()
		}
	}, nil
}
