package elide

import (
	"errors"
	"time"
)

// Transport is what the engine needs of the machine under it. Each PE has one,
// and only its own goroutine or process calls it.
type Transport interface {
	// PE is this PE's id, from 0; N the number of PEs.
	PE() int
	N() int

	// Agree returns when all PEs have called it, with *v, which is a Vote, replaced
	// by the word-wise minimum of their votes: a barrier and a reduction in one.
	// What a PE did before it is visible to all after it.
	//
	// With patience above 0 it may give up after that time, by ErrStalled; it
	// may also do so, however long it waited, when it knows that some PE will
	// not come (it waits for something else, or has ended). After an error the
	// run cannot go on. site is what the caller has said by At, for messages.
	Agree(site int, v *[Words]int64, patience time.Duration) error

	// Gather returns the data of all PEs, by PE. All PEs call it, right after
	// an agreement by which all of them must.
	Gather(site int, data []byte) ([][]byte, error)
}

// ErrStalled is the error of an agreement to which not all PEs came.
var ErrStalled = errors.New("not all PEs came to the barrier")
