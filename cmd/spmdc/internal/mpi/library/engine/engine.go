//go:build mpi

// Package main is the engine of package elide as a library for C, which one process of an MPI
// program loads (shim.c). The library agrees with the other processes by a function of the program's.
package main

/*
#include <stdint.h>
#include <stdlib.h>

struct passed { // a barrier
	int32_t place;
	int32_t before; // the global summary, or -1 if it was elided
	int32_t rank;   // the greatest of what was remaining
	int32_t apart;  // processes met from different contexts
	double seconds; // in it
};

struct rules { // what is remaining of a context that is met first
	struct rule {
		uint64_t hash;     // of the calls at its inner end
		int32_t remaining;
	} *list; // by hash
	int n;
	int32_t otherwise;
};

typedef int (*vote_function)(int64_t *words, double patience);
typedef void *(*gather_function)(const void *data, int64_t length, int64_t *lengths);

static inline int call_vote(vote_function f, int64_t *words, double patience) { return f(words, patience); }
static inline void *call_gather(gather_function f, const void *data, int64_t length, int64_t *lengths) { return f(data, length, lengths); }
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/elide"
)

func main() {}

// config is what spmdc mpi says, as JSON.
type config struct {
	Mode      string
	Threshold int
	Relearn   int
	Plan      string // file, or ""
	Blacklist string // file, or ""
	Log       string // file that process 0 writes, or ""
	Modules   string // file that process 0 writes behind it: the files of load modules, by name
}

// libraryState is what this process has of the run.
type libraryState struct {
	config
	plan    *elide.Plan // nil if there is none, or nothing is elided
	engine  *elide.Engine
	vote    *[elide.Words]int64 // under way
	machine *machine
	labels  map[elide.Site]string
	calls   map[string]string // the procedures in which calls are, by label
	modules map[string]string
	spent   []time.Duration // in barriers, by place
	context []elide.Context // by place
}

var library libraryState

// machine is the transport of elide over functions of the library in C.
type machine struct {
	rank, size int
	vote       C.vote_function
	gather     C.gather_function
}

func (m *machine) PE() int { return m.rank }
func (m *machine) N() int  { return m.size }

func (m *machine) Agree(_ int, v *[elide.Words]int64, patience time.Duration) error {
	if C.call_vote(m.vote, (*C.int64_t)(unsafe.Pointer(v)), C.double(patience.Seconds())) != 0 {
		return elide.ErrStalled
	}
	return nil
}

func (m *machine) Gather(_ int, data []byte) ([][]byte, error) {
	lengths := make([]int64, m.size)
	all := C.call_gather(m.gather, unsafe.Pointer(unsafe.SliceData(append(data, 0))), C.int64_t(len(data)), (*C.int64_t)(unsafe.Pointer(&lengths[0])))
	defer C.free(all)
	parts := make([][]byte, m.size)
	at := all
	for i, n := range lengths {
		parts[i] = C.GoBytes(at, C.int(n))
		at = unsafe.Add(at, n)
	}
	return parts, nil
}

// engine_start begins the run; its result is an error's text, or NULL.
//
//export engine_start
func engine_start(text, program *C.char, rank, size C.int, vote C.vote_function, gather C.gather_function, rules *C.struct_rules) *C.char {
	if err := start(C.GoString(text), C.GoString(program), &machine{int(rank), int(size), vote, gather}); err != nil {
		return C.CString(err.Error())
	}
	library.rule(rules)
	return nil
}

// rule gives the library the entries of the plan: there the outer end of a whole context is site 0.
func (l *libraryState) rule(r *C.struct_rules) {
	r.otherwise = C.int32_t(l.engine.Unmet())
	if l.plan == nil {
		return
	}
	verdicts := map[uint64]elide.Verdict{} // the last one of a suffix counts
	for _, e := range l.plan.Entries {
		verdicts[hashOf(e.Suffix)] = e.Verdict
	}
	var hashes []uint64 // not by maps.Keys, at which Go 1.26 fails with -dwarflocationlists=false
	for h, v := range verdicts {
		if v == elide.Elide || v == elide.Never {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	r.n = C.int(len(hashes))
	r.list = (*C.struct_rule)(C.calloc(C.size_t(r.n)+1, C.sizeof_struct_rule))
	list := unsafe.Slice(r.list, r.n)
	for i, h := range hashes {
		list[i].hash = C.uint64_t(h)
		if verdicts[h] == elide.Never {
			list[i].remaining = math.MaxInt32
		}
	}
}

// hashOf is the hash of a suffix, from the inner end on, as the library has it.
func hashOf(suffix elide.Path) (h uint64) {
	for i, label := range slices.Backward(suffix) {
		s := siteOf(label)
		if i == 0 && label == elide.Start {
			s = 0
		}
		h = (h ^ uint64(s)) * 0xd6e8feb86659fd93
		h ^= h >> 32
	}
	return h
}

func start(text, program string, m *machine) error {
	debug.SetGCPercent(400)
	runtime.GOMAXPROCS(1)
	l := &library
	l.machine = m
	l.labels, l.calls, l.modules = map[elide.Site]string{}, map[string]string{}, map[string]string{}
	if err := json.Unmarshal([]byte(text), &l.config); err != nil {
		return fmt.Errorf("SPMDC_MPI_CONFIG: %w", err)
	}
	mode, ok := elide.ParseMode(l.Mode)
	if !ok {
		return fmt.Errorf("%q is no mode", l.Mode)
	}
	o := elide.Options{Mode: mode, Threshold: l.Threshold, Relearn: l.Relearn, Program: program, Label: func(s elide.Site) string { return l.labels[s] }}
	if l.Plan != "" {
		p, err := elide.ReadPlanFile(l.Plan)
		if err != nil {
			return err
		}
		o.Plan = p
	}
	if l.Blacklist != "" {
		black, err := elide.ReadPlanFile(l.Blacklist)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return err
		case black.For(program) != nil:
			return fmt.Errorf("%s: %w", l.Blacklist, black.For(program))
		default:
			if o.Plan == nil {
				o.Plan = &elide.Plan{Program: program}
			}
			for _, e := range black.Entries {
				if e.Verdict == elide.Never {
					o.Plan.Entries = append(o.Plan.Entries, e)
				}
			}
		}
	}
	var err error
	if mode != elide.Audit {
		l.plan = o.Plan
	}
	if l.engine, err = elide.New(m, o); err != nil {
		return err
	}
	return l.engine.Start()
}

// engine_call says what the label of a call is, the procedure in which it is, and the file of the load module.
//
//export engine_call
func engine_call(site C.uint64_t, label, procedure, file *C.char) {
	l := &library
	name := C.GoString(label)
	l.labels[elide.Site(site)] = name
	if procedure := C.GoString(procedure); procedure != "" {
		l.calls[name] = procedure
	}
	module, _, _ := strings.Cut(name, "+")
	l.modules[module] = C.GoString(file)
}

// engine_places takes new contexts, each as the number of its calls, and their sites, the outermost first: n numbers. It gives
// the number of all contexts, which is the place of the last one.
//
//export engine_places
func engine_places(contexts *C.uint64_t, n C.int) C.int {
	l := &library
	all := unsafe.Slice((*elide.Site)(contexts), int(n))
	var k elide.Place
	for len(all) > 0 {
		calls := int(all[0])
		c := l.engine.Tree().Path(all[1 : 1+calls])
		k = l.engine.Place(c)
		for int(k) >= len(l.context) {
			l.context, l.spent = append(l.context, 0), append(l.spent, 0)
		}
		l.context[k] = c
		all = all[1+calls:]
	}
	return C.int(k)
}

// siteOf is the site of the call with a label, as the library has it.
func siteOf(label string) elide.Site {
	h := fnv.New64a()
	h.Write([]byte(label))
	return elide.Site(h.Sum64())
}

// engine_arrive begins a barrier that the library cannot decide by itself, and has its vote, but for the context.
//
//export engine_arrive
func engine_arrive(place, summary C.int, words *C.int64_t) {
	l := &library
	l.engine.Mark(elide.Access(summary))
	v, _, elided := l.engine.Arrive(elide.Place(place))
	if elided {
		panic("a barrier that is elided was not elided")
	}
	l.vote = v
	copy(unsafe.Slice((*int64)(words), elide.Words), v[:])
}

// engine_conclude ends it; words are what came out of the vote. It gives what is remaining of the place from now on,
// or -1 if the run cannot go on, which has been reported.
//
//export engine_conclude
func engine_conclude(place C.int, words *C.int64_t, stalled C.int, seconds C.double) C.int32_t {
	l := &library
	var err error
	if stalled != 0 {
		err = elide.ErrStalled
	} else {
		copy(l.vote[:], unsafe.Slice((*int64)(words), elide.Words))
	}
	if err := l.engine.Conclude(err); err != nil {
		l.report(err)
		return -1
	}
	l.spent[elide.Place(place)] += time.Duration(float64(seconds) * 1e9)
	return C.int32_t(l.engine.Remaining(elide.Place(place)))
}

// engine_passed notes barriers that the library has decided.
//
//export engine_passed
func engine_passed(list *C.struct_passed, n C.int) {
	l := &library
	for _, p := range unsafe.Slice(list, int(n)) {
		k := elide.Place(p.place)
		if p.before >= 0 {
			l.engine.Met(k, elide.Access(p.before), int32(p.rank), p.apart == 0)
			l.spent[k] += time.Duration(float64(p.seconds) * 1e9)
		} else if _, _, elided := l.engine.Arrive(k); !elided {
			panic("a barrier that was elided is not elided")
		}
	}
}

// engine_finish ends the run and writes its log.
//
//export engine_finish
func engine_finish(summary C.int) C.int {
	l := &library
	l.engine.Mark(elide.Access(summary))
	if err := l.engine.Finish(); err != nil {
		l.report(err)
		return -1
	}
	if err := l.log(); err != nil {
		fmt.Fprintf(os.Stderr, "spmdc: the log of barriers cannot be written: %v\n", err)
		return -1
	}
	return 0
}

// forwarding is how long what a process writes may be on its way to mpirun, which MPI_Abort could overtake.
const forwarding = 200 * time.Millisecond

// report says why the run ends: once, if all processes know.
func (l *libraryState) report(err error) {
	var m *elide.Misspeculation
	if !errors.As(err, &m) {
		fmt.Fprintf(os.Stderr, "spmdc: %v\n", err)
		return
	}
	if len(m.PEs) > 1 && l.machine.rank != 0 {
		time.Sleep(time.Second) // until process 0 has reported
		return
	}
	defer time.Sleep(forwarding)
	fmt.Fprintf(os.Stderr, "spmdc: %v\n", m)
	if l.Blacklist == "" {
		fmt.Fprintln(os.Stderr, "  with --blacklist=FILE such contexts are remembered, and not elided again")
		return
	}
	p, err := elide.ReadPlanFile(l.Blacklist)
	if err != nil {
		p = &elide.Plan{}
	}
	p.Program = l.engine.Program()
	p.Forbid(m.Blacklist(), m.Kind.String())
	if err := p.WriteFile(l.Blacklist); err != nil {
		fmt.Fprintf(os.Stderr, "spmdc: %s: %v\n", l.Blacklist, err)
	}
}

// log lets process 0 write what became of the barriers of all, and the modules in which they are.
func (l *libraryState) log() error {
	if l.Log != "" {
		if err := l.writeLog(); err != nil {
			return err
		}
	}
	if l.machine.rank != 0 {
		return nil
	}
	modules, err := json.Marshal(l.modules)
	if err != nil {
		return err
	}
	return os.WriteFile(l.Modules, modules, 0o644)
}

func (l *libraryState) writeLog() error {
	times := map[elide.Context]time.Duration{}
	for k, t := range l.spent {
		times[l.context[k]] = t
	}
	own := elide.NewPart(l.engine, func(c elide.Context) elide.Remark { return elide.Remark{Time: times[c]} })
	var data []byte
	if l.machine.rank != 0 {
		var err error
		if data, err = json.Marshal(own); err != nil {
			return err
		}
	}
	all, err := l.machine.Gather(0, data)
	if err != nil || l.machine.rank != 0 {
		return err
	}
	parts := make([]elide.Part, len(all))
	parts[0] = own
	for i, text := range all[1:] {
		if err := json.Unmarshal(text, &parts[i+1]); err != nil {
			return err
		}
	}
	log := l.engine.Log(parts)
	log.Run = fmt.Sprintf("%s-%d", time.Now().UTC().Format("20060102-150405.000"), os.Getpid())
	log.Calls = l.calls
	return log.WriteFile(l.Log)
}
