package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// listen makes c get the signals that end spmdc, which then does not end by itself.
// Under nohup a hangup ends nothing.
func listen(c chan<- os.Signal) {
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
}

// Interruptible returns a context that a signal to this process ends, instead of the
// process itself. InterruptedBy says which one. stop makes the signals what they were.
func Interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := make(chan os.Signal, 1)
	listen(c)
	go func() {
		select {
		case s := <-c:
			cancel(interrupted(s))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		cancel(nil)
	}
}

// interrupted is the Failure of a command that a signal has ended. Its status is 128 and
// the number of the signal, as shells count it.
func interrupted(s os.Signal) *Failure {
	text := "interrupted"
	if s != os.Interrupt {
		text = fmt.Sprintf("ended by a signal (%v)", s)
	}
	n, _ := s.(syscall.Signal)
	return &Failure{Status: 128 + int(n), Text: text}
}

// InterruptedBy returns the Failure of the signal that has ended a context of
// Interruptible, nil if none has.
func InterruptedBy(ctx context.Context) *Failure {
	var f *Failure
	if ctx != nil && ctx.Err() != nil && errors.As(context.Cause(ctx), &f) {
		return f
	}
	return nil
}
