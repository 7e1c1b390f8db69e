package spmd

import (
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/snapshot"
	"github.com/spmdc/spmdc/runtime/transport"
)

// A checkpoint is the state of all PEs at a call of spmd_checkpoint, which all of
// them have come to. The program hands over its scalars, and the indices and ends
// of the loops around the call, one by one:
//
//	if pe.Checkpoints() { // call spmd_checkpoint()
//		iAt, errAt := i, err
//		pe.Checkpoint(7, 1, &iAt, &errAt)
//		i, err = iAt, errAt
//		resume = 0
//	}
//
// All else that a PE has is known to the library, since it is made by it: arrays
// with their overlaps, temporaries, stages, and how far each communication has come.
//
// A run that goes on from a checkpoint makes the same objects, and gives them their
// state in Resume. Then it goes straight to the call, past everything that lies ahead
// of it and into the loops around it, where Checkpoint sets the variables.
//
// Between the two barriers of a checkpoint no message is under way: a put is over
// when Put returns, or Complete does, and each PE has executed all puts ahead of the call. So what
// has been put lies in somebody's memory, or counts as arrived.

// saved is something whose state is part of a checkpoint.
type saved interface {
	save(w *snapshot.Writer)
	restore(r *snapshot.Reader)
}

// under is implemented by what has messages that have arrived and are waited for
// behind the checkpoint.
type under interface {
	// again puts nothing where something was put, so that the message counts as
	// arrived.
	again(t transport.Transport)
}

// keep adds an object to the state of this PE. All PEs keep the same objects, in the
// same order.
func (pe *PE) keep(s saved) { pe.state = append(pe.state, s) }

// Checkpoints reports whether the calls of spmd_checkpoint have anything to do.
func (pe *PE) Checkpoints() bool { return pe.prog.keeper != nil }

// Resume gives all objects of this PE the state that they had at the checkpoint from
// which the run is to go on, and returns the number of the call, counted from 1 as
// Checkpoint counts it; 0 in a run from the beginning. Collective, when all objects
// are there.
func (pe *PE) Resume() int {
	if pe.prog.keeper == nil {
		return 0
	}
	part, call := pe.checkpointed()
	if call == 0 {
		return 0
	}
	r := snapshot.NewReader(part)
	pe.restore(r)
	if r.Failed() {
		pe.internal(-1, "the checkpoint does not fit the program: %v", r.Err())
	}
	pe.resuming = r
	t := pe.wire()
	t.Barrier(-1)
	for _, s := range pe.state {
		if u, ok := s.(under); ok {
			u.again(t)
		}
	}
	return call
}

// checkpointed is the state of this PE in the checkpoint from which the run is to go on, and the
// number of its call; 0: there is none. Where there are several processes, that of PE 0 has read it.
func (pe *PE) checkpointed() (part []byte, call int) {
	k := pe.prog.keeper
	if k.from != nil {
		part, call = k.from.parts[pe.id], k.from.call
	}
	if pe.prog.process.machine == nil {
		return part, call
	}
	t := pe.wire()
	call = int(t.Broadcast(-1, 0, uint64(call)))
	for q := 0; call > 0 && q < pe.n; q++ {
		var theirs []byte
		if pe.id == 0 {
			theirs = k.from.parts[q]
		}
		if theirs = t.Share(-1, 0, theirs); q == pe.id {
			part = theirs
		}
	}
	return part, call
}

// wire is the transport without the monitor of check builds. What only checkpoints
// send is not seen by the checks: a plan must be right without it.
func (pe *PE) wire() transport.Transport {
	if pe.orders != nil {
		return pe.orders.Monitor.Transport
	}
	return pe.t
}

// Checkpoint is the call of spmd_checkpoint with the given number, at a site. vars
// point to copies of all variables of the program: *int32, *int, *float64, *float32, *bool,
// *string. In a run that goes on from here they are set, else the checkpoint is
// written. Collective.
func (pe *PE) Checkpoint(site, call int, vars ...any) {
	if r := pe.resuming; r != nil {
		pe.resuming = nil
		loadVars(r, vars)
		if err := r.Err(); err != nil {
			pe.internal(site, "the checkpoint does not fit the program: %v", err)
		}
		return
	}
	c := pe.count(site)
	c.Calls++
	if pe.elided != nil {
		pe.Settle(site) // behind it all that has happened is known to be right
	}
	pe.noFiles(site)
	t := pe.wire()
	t.Complete(site, -1)
	pe.meet(t, site, call)
	if pe.orders != nil {
		if v := pe.orders.Monitor.Stray(); v != nil {
			pe.t.Abort(v)
		}
	}
	w := &snapshot.Writer{}
	pe.save(w)
	packValue(w, load(vars))
	parts := make([][]byte, pe.n)
	for q := range pe.n {
		parts[q] = t.Share(site, q, w.Bytes())
	}
	var report []byte
	if pe.id == 0 {
		done := pe.prog.keeper.commit(pe, site, call, parts)
		failed := ""
		if done.err != nil {
			failed = done.err.Error()
		}
		report = packed(failed, done.stop)
	}
	// Sharing it is the second barrier: nobody goes on before PE 0 has written.
	done := unpacked(t.Share(site, 0, report))
	if failed := done[0].(string); failed != "" {
		e := pe.errorAt(site, "the checkpoint cannot be written: "+failed)
		e.Hint = "the checkpoint before, if there is one, is as it was"
		pe.t.Abort(e)
	}
	if done[1].(bool) {
		pe.stop(&StopError{})
	}
}

// noFiles reports that a file is open: a checkpoint has no positions in files.
func (pe *PE) noFiles(site int) {
	if pe.files == nil {
		return
	}
	if name := pe.files.Connected(); name != "" {
		e := pe.errorAt(site, "a checkpoint while a file is open: "+name)
		e.Hint = "close it before call spmd_checkpoint, and open it again behind that, with position='append' to go on writing"
		pe.t.Abort(e)
	}
}

// meet waits for all PEs at a call. Images have control flow of their own, so that
// some may have come to another call.
func (pe *PE) meet(t transport.Transport, site, call int) {
	const apart = ^uint64(0)
	at := site
	if pe.prog.Coarray {
		at = -1
		pe.meeting.Store(int64(site) + 1)
		defer pe.meeting.Store(0)
	}
	if t.Reduce(at, uint64(call), func(a, b uint64) uint64 {
		if a != b {
			return apart
		}
		return a
	}) == apart {
		e := pe.errorAt(site, "images have come to different calls of spmd_checkpoint")
		e.Hint = "all images must execute the same calls, in the same order"
		pe.t.Abort(e)
	}
}

// atCheckpoints gives the waits of PEs in meet, which have no site, that of the call.
func atCheckpoints(waits []transport.Wait, calls []atomic.Int64) []transport.Wait {
	for i := range waits {
		w := &waits[i]
		if call := calls[w.PE].Load(); call > 0 && !w.Returned && w.Site < 0 {
			w.Site = int(call) - 1
		}
	}
	return waits
}

// commit is what PE 0 tells the others of a checkpoint.
type commit struct {
	err  error
	stop bool // the run ends here
}

// save writes the state of this PE but for the variables of the program.
func (pe *PE) save(w *snapshot.Writer) {
	pe.countBarriers()
	snapshot.Put(w, pe.counts)
	w.Int(len(pe.state))
	for _, s := range pe.state {
		s.save(w)
	}
	if pe.orders != nil {
		pe.orders.Monitor.Save(w)
	}
}

func (pe *PE) restore(r *snapshot.Reader) {
	snapshot.Fill(r, pe.counts)
	if n := r.Int(); n != len(pe.state) {
		r.Fail("the state of %d objects is there, the program has %d", n, len(pe.state))
	}
	for _, s := range pe.state {
		s.restore(r)
	}
	if pe.orders != nil {
		pe.orders.Monitor.Restore(r)
	}
}

// loadVars sets variables to what packValue has written of their values.
func loadVars(r *snapshot.Reader, vars []any) {
	values := unpackValue(r).([]any)
	if n := len(values); n != len(vars) {
		r.Fail("%d variables are there, the program has %d", n, len(vars))
		return
	}
	store(vars, values)
}
