package verify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

// server is a process that runs the programs of a bundle one after the other (see
// driver.Bundle and spmd.Serve): starting one takes longer than most runs. A run
// that fails may leave something behind, so the process is then ended, and the next
// request starts another.
type server struct {
	bundle string
	limit  time.Duration // of one run
	ctx    context.Context
	launch driver.Launch // with MPI each run is one of processes that mpirun starts

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
	untie  func()
}

// run runs a program of the bundle. The error is a *Fault where the program, and
// with it the process, came to no regular end.
func (s *server) run(name string, input []byte, args ...string) (*Outcome, []byte, error) {
	if s.launch.Transport != driver.InProcess {
		return untraced(s.ctx, s.limit, s.launch, s.bundle, name)(input, args...)
	}
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return nil, nil, err
		}
	}
	var late atomic.Bool
	process := s.cmd.Process
	timer := time.AfterFunc(s.limit, func() {
		late.Store(true)
		process.Kill()
	})
	reply, err := s.ask(append([]string{name, string(input)}, args...))
	timer.Stop()
	var status int
	if err == nil {
		if len(reply) != 4 {
			err = fmt.Errorf("%d words", len(reply))
		} else {
			status, err = strconv.Atoi(reply[0])
		}
	}
	switch {
	case late.Load():
		s.end()
		return nil, nil, &Fault{Hang, fmt.Sprintf("no end within %v", s.limit)}
	case err != nil:
		s.end()
		return nil, nil, &Fault{Violation, fmt.Sprintf("the process has ended: %v\n%s", err, bytes.TrimSpace(s.stderr.Bytes()))}
	}
	got := &Outcome{reply[1], status, reply[2]}
	if !got.stopped() && !strings.Contains(got.Stderr, unorderedPut) { // those come when all PEs have ended
		s.end()
	}
	return got, []byte(reply[3]), nil
}

// start starts the process.
func (s *server) start() error {
	cmd := exec.Command(s.bundle)
	s.stderr = &bytes.Buffer{}
	cmd.Stderr = s.stderr
	cmd.WaitDelay = ioDelay
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	driver.OwnGroup(cmd)
	untie, err := driver.StartTied(cmd)
	if err != nil {
		return err
	}
	s.untie = untie
	s.cmd, s.in, s.out = cmd, in, bufio.NewReader(out)
	return nil
}

// end ends the process, if there is one.
func (s *server) end() {
	if s.cmd == nil {
		return
	}
	s.in.Close()
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.untie()
	s.cmd = nil
}

// ask sends a list of words and receives another.
func (s *server) ask(words []string) ([]string, error) {
	text := binary.AppendUvarint(nil, uint64(len(words)))
	for _, w := range words {
		text = append(binary.AppendUvarint(text, uint64(len(w))), w...)
	}
	if _, err := s.in.Write(text); err != nil {
		return nil, err
	}
	n, err := binary.ReadUvarint(s.out)
	if err != nil {
		return nil, err
	}
	var reply []string
	for range n {
		size, err := binary.ReadUvarint(s.out)
		if err != nil {
			return nil, err
		}
		if size > longest {
			return nil, errors.New("the reply is too long")
		}
		word := make([]byte, size)
		if _, err := io.ReadFull(s.out, word); err != nil {
			return nil, err
		}
		reply = append(reply, string(word))
	}
	return reply, nil
}

// longest is how many bytes a word of a reply may have.
const longest = 1 << 30
