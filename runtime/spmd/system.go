package spmd

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spmdc/spmdc/runtime/record"
)

// Exit ends the program with a status, without a message. All PEs come to it, but in
// a program with coarrays: there it ends this image.
func (pe *PE) Exit(code any) {
	e := stopOf("", []any{code})
	e.Line = ""
	pe.stop(e)
}

// Ask is the call of an intrinsic subroutine that asks the system, such as
// `call system_clock(count)`. What is its name and those of its arguments; given are the
// values of those that it takes, items the variables that it sets, as for Read. PE 0
// asks, and all get the answer; of a program with coarrays each image asks. Collective.
func (pe *PE) Ask(site int, what string, given []any, items ...any) {
	c := pe.count(site)
	c.Calls++
	unnoted(items)
	if pe.prog.Coarray {
		if what == "failed" {
			pe.failed(site)
		}
		pe.answer(what, given, items)
		return
	}
	if strings.HasPrefix(what, "execute_command_line ") {
		pe.prompt(site) // what is written so far comes first
	}
	pe.collective(c, 0, int64(8*len(items)))
	var got []byte
	if pe.id == 0 {
		if what == "failed" {
			pe.failed(site)
		}
		pe.answer(what, given, items)
		got = packed(load(items)...)
	}
	if got = pe.t.Share(site, 0, got); pe.id != 0 {
		store(items, unpacked(got))
	}
}

// failed ends the program with the error that the last statement has kept.
func (pe *PE) failed(site int) {
	e := pe.errorAt(site, pe.outcome.msg)
	e.Hint = "use IOSTAT= to find this out and go on"
	pe.t.Abort(e)
}

// OfFirst is the value that x has on PE 0. Collective.
func OfFirst[T int32 | int | float64](pe *PE, site int, x T) T {
	c := pe.count(site)
	c.Calls++
	pe.collective(c, 0, 8)
	var got []byte
	if pe.id == 0 {
		got = packed(x)
	}
	if got = pe.t.Share(site, 0, got); pe.id != 0 {
		x, _ = unpacked(got)[0].(T)
	}
	return x
}

// question is a call that is being answered: values of arguments by their names.
type question struct {
	given  map[string][]any
	keys   []string // of items
	items  []any
	finest bool // all INTEGER arguments are of kind 8
}

func (pe *PE) answer(what string, given, items []any) {
	words := strings.Fields(what)
	q := &question{given: map[string][]any{}, finest: true, items: items}
	for _, key := range words[1:] {
		if name, isGiven := strings.CutSuffix(key, "="); isGiven || givenKeys[words[0]+" "+key] {
			q.given[name] = append(q.given[name], given[0])
			given = given[1:]
			continue
		}
		q.keys = append(q.keys, key)
	}
	for _, item := range unmarked(items) {
		if _, small := item.(*int32); small {
			q.finest = false
		}
	}
	now := time.Now()
	switch words[0] {
	case "open", "close", "inquire", "rewind", "backspace", "endfile", "flush":
		with := map[string]any{}
		for key, list := range q.given {
			with[key] = list[0]
		}
		pe.fileStatement(words[0], with, q)
		return
	case "outcome":
		q.set("iostat", int64(pe.outcome.status))
		q.set("size", int64(pe.outcome.size))
		if pe.outcome.status != 0 {
			q.set("iomsg", pe.outcome.msg)
		}
		return
	case "cpu_time":
		q.set("time", time.Since(started).Seconds())
	case "system_clock":
		rate, most := int64(1000), int64(math.MaxInt32)
		if q.finest {
			rate, most = int64(time.Second), math.MaxInt64
		}
		ticks := now.UnixNano() / (int64(time.Second) / rate)
		if !q.finest {
			ticks %= most
		}
		q.set("count", ticks)
		q.set("count_rate", rate)
		q.set("count_max", most)
	case "date_and_time":
		_, offset := now.Zone()
		q.set("date", now.Format("20060102"))
		q.set("time", now.Format("150405.000"))
		q.set("zone", now.Format("-0700"))
		q.set("values", int64(now.Year()), int64(now.Month()), int64(now.Day()), int64(offset/60),
			int64(now.Hour()), int64(now.Minute()), int64(now.Second()), int64(now.Nanosecond()/1e6))
	case "sync_status":
		q.set("stat", int64(pe.images.status))
		pe.images.keeps = false
	case "formed_team":
		q.set("team", int64(pe.images.teams.formed))
	case "current_team":
		t := pe.images.teams.current
		q.set("team", int64(t.handle))
		q.set("image", int64(t.index+1))
		q.set("images", int64(len(t.members)))
	case "image_status":
		q.set("stat", pe.imageStatus(int(q.number("image"))))
	case "command_argument_count":
		q.set("count", int64(len(pe.prog.args)))
	case "get_command_argument", "getarg":
		n := q.number("number")
		text, status := "", int64(0)
		switch {
		case n == 0:
			text = pe.prog.Name
		case n > 0 && n <= int64(len(pe.prog.args)):
			text = pe.prog.args[n-1]
		default:
			const noArgument = 42 // gfortran's
			status = noArgument
		}
		q.text("value", text, status)
	case "get_environment_variable":
		name, _ := q.given["name"][0].(string)
		if list := q.given["trim_name"]; list == nil || list[0].(bool) {
			name = Trim(name)
		}
		text, is := os.LookupEnv(name)
		status := int64(0)
		if !is {
			status = 1
		}
		q.text("value", text, status)
	case "execute_command_line":
		pe.command(q)
	case "get_command":
		q.text("command", strings.Join(append([]string{pe.prog.Name}, pe.prog.args...), " "), 0)
	case "random_number":
		for _, item := range unmarked(items) {
			x := pe.random.next()
			if _, small := item.(*float32); small {
				q.set("harvest", float64(x>>40)*0x1p-24)
			} else {
				q.set("harvest", float64(x>>11)*0x1p-53)
			}
		}
	case "random_seed":
		q.set("size", int64(seedWords))
		switch put := q.given["put"]; {
		case put != nil:
			pe.random.put(put)
		case len(q.keys) == 0:
			pe.random.seed(0)
		}
		q.set("get", pe.random.get()...)
	case "random_init":
		repeatable, distinct := q.given["repeatable"][0].(bool), q.given["image_distinct"][0].(bool)
		pe.random.restart(repeatable, distinct, pe.ID())
	case "sleep":
		time.Sleep(time.Duration(q.number("seconds")) * time.Second)
	default:
		panic("no answer to " + what)
	}
	for _, item := range items {
		note(item)
	}
}

// command executes a command by the shell, which writes behind what the program has written.
func (pe *PE) command(q *question) {
	pe.out.flush()
	command, _ := q.given["command"][0].(string)
	list := q.given["wait"]
	wait := list == nil || list[0].(bool)
	code, err := pe.prog.Shell(Trim(command), wait, pe.out.w, pe.out.errors)
	stat, msg := int64(1), ""
	if err != nil {
		msg = err.Error()
	} else {
		if wait {
			q.set("exitstat", int64(code))
		}
		if code != 126 && code != 127 {
			q.set("cmdstat", int64(0))
			return
		}
		stat, msg = 3, "Invalid command line" // the shell could not execute it; as gfortran has it
	}
	if !q.wants("cmdstat") {
		panic(&Fault{Msg: "execute_command_line: " + msg, Hint: "give it CMDSTAT to handle it"})
	}
	q.set("cmdstat", stat)
	q.set("cmdmsg", msg)
}

var started = time.Now()

// givenKeys are the arguments that intrinsic subroutines take and do not set.
var givenKeys = map[string]bool{
	"get_command_argument number": true, "getarg number": true, "random_seed put": true,
	"get_environment_variable name": true, "get_environment_variable trim_name": true, "execute_command_line command": true, "execute_command_line wait": true,
	"random_init repeatable": true, "random_init image_distinct": true, "sleep seconds": true,
}

// unmarked are items without their notes.
func unmarked(items []any) []any {
	bare := make([]any, len(items))
	for i, item := range items {
		if n, ok := item.(*Noted); ok {
			item = n.item
		}
		bare[i] = item
	}
	return bare
}

// wants reports whether the statement sets a variable to key.
func (q *question) wants(key string) bool { return slices.Contains(q.keys, key) }

// number is the INTEGER that argument key is.
func (q *question) number(key string) int64 {
	return wholeOf(q.given[key][0])
}

func wholeOf(x any) int64 {
	if n, ok := x.(int32); ok {
		return int64(n)
	}
	return int64(x.(int))
}

// text answers with a text, its length and a status, which is -1 where the variable is
// too short.
func (q *question) text(key, s string, status int64) {
	for i, item := range unmarked(q.items) {
		if v, ok := item.(*String); ok && q.keys[i] == key && v.length < len(s) {
			status = -1
		}
	}
	q.set(key, s)
	q.set("length", int64(len(s)))
	q.set("status", status)
}

// set gives the items of key values: int64, float64 or string.
func (q *question) set(key string, values ...any) {
	for i, item := range unmarked(q.items) {
		if q.keys[i] != key || len(values) == 0 {
			continue
		}
		v := values[0]
		values = values[1:]
		note(q.items[i])
		unused := 0
		if s, is := item.(*record.Stored); is {
			item, unused = s.Item, 32-min(32, 8*s.Bytes)
		}
		switch item := item.(type) {
		case *int32:
			*item = int32(v.(int64)) << unused >> unused
		case *int:
			*item = int(v.(int64))
		case *float32:
			*item = float32(realOf(v))
		case *float64:
			*item = realOf(v)
		case *String:
			item.Set(v.(string))
		case *bool:
			*item = v.(bool)
		default:
			panic(fmt.Sprintf("answer into a %T", item))
		}
	}
}

func realOf(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

// random makes the numbers of RANDOM_NUMBER: xoshiro256**. The zero value is the
// state that a program begins with.
type random struct {
	state    [4]uint64
	seeded   bool
	restarts uint64 // by RANDOM_INIT
}

const seedWords = 8 // INTEGER(4) words of the state

func (r *random) begin() {
	if !r.seeded || r.state == [4]uint64{} {
		r.seed(0)
	}
}

// restart is RANDOM_INIT on an image. The numbers of images are distinct if that is
// asked for, and else depend on nothing that an image has for itself; those that need not
// be repeatable are others after each RANDOM_INIT.
func (r *random) restart(repeatable, distinct bool, image int) {
	r.restarts++
	x := uint64(0)
	if !repeatable {
		x = r.restarts * 0xd1342543de82ef95
	}
	if distinct {
		x ^= uint64(image) << 32
	}
	r.seed(x)
}

func (r *random) seed(x uint64) {
	for i := range r.state { // splitmix64
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		r.state[i] = z ^ z>>31
	}
	r.seeded = true
}

func (r *random) next() uint64 {
	r.begin()
	s := &r.state
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return out
}

// put sets the state to words.
func (r *random) put(words []any) {
	r.state, r.seeded = [4]uint64{}, true
	for i, w := range words {
		r.state[i/2] |= uint64(uint32(wholeOf(w))) << (32 * (i % 2))
	}
}

// get is the state as words.
func (r *random) get() []any {
	r.begin()
	var words []any
	for i := range seedWords {
		words = append(words, int64(int32(r.state[i/2]>>(32*(i%2)))))
	}
	return words
}
