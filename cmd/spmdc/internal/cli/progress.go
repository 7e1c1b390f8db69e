package cli

import (
	"fmt"
	"io"
	"time"
)

// progress says on a terminal what a build is at, when it takes long.
type progress struct {
	w     io.Writer
	delay time.Duration // before the first line, and between lines
	steps chan string
	done  chan struct{}
}

// progressDelay is how long a build may take without a word.
const progressDelay = time.Second

// newProgress begins to watch a build. Stop ends it.
func newProgress(w io.Writer, delay time.Duration) *progress {
	p := &progress{w: w, delay: delay, steps: make(chan string), done: make(chan struct{})}
	go p.show()
	return p
}

// Step says what the build is at now.
func (p *progress) Step(what string) { p.steps <- what }

// Stop ends the watch, and takes its line from the terminal.
func (p *progress) Stop() {
	close(p.steps)
	<-p.done
}

func (p *progress) show() {
	defer close(p.done)
	const erase = "\r\x1b[K"
	begin := time.Now()
	tick := time.NewTicker(p.delay)
	defer tick.Stop()
	what, shown := "", false
	for {
		select {
		case step, more := <-p.steps:
			if !more {
				if shown {
					io.WriteString(p.w, erase)
				}
				return
			}
			what = step
		case <-tick.C:
			if what != "" {
				shown = true
				fmt.Fprintf(p.w, "%sspmdc: %s, %.0f s", erase, what, time.Since(begin).Seconds())
			}
		}
	}
}
