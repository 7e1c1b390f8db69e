package traces

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/browser"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

func timeline(t *testing.T, trace *Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := trace.Timeline(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTimeline goes through the page by keys alone: along the events of a PE, to another PE,
// and from a wait to the put that it is for; and finds events by name.
func TestTimeline(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a browser")
	}
	dom := browser.Load(t, timeline(t, twoPEs(t, "two")), "", `
		const box = document.getElementById('timeline'), out = document.getElementById('chosen'), said = [];
		const key = (k, shift) => { box.dispatchEvent(new KeyboardEvent('keydown', {key: k, shiftKey: !!shift})); said.push(out.textContent.split('\n')[0]); };
		key('ArrowRight'); key('ArrowRight'); key('ArrowDown'); key('Enter'); key('End');
		document.body.dataset.said = said.join('|');
		key('+'); document.body.dataset.zoomed = box.dataset.from + '-' + box.dataset.to;
		key('0'); document.body.dataset.all = box.dataset.from + '-' + box.dataset.to;
		const find = document.getElementById('search'); find.value = 'sum s'; find.dispatchEvent(new Event('input'));
		document.body.dataset.found = document.getElementById('found').textContent;
		key('n'); document.body.dataset.next = out.textContent.split('\n')[0];
		find.value = ''; find.dispatchEvent(new Event('input')); key('0');
		const text = id => document.getElementById(id).textContent, set = (id, v, what) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event(what)); return e; };
		const rows = () => [...document.querySelectorAll('#matrix tr')].map(r => [...r.cells].map(c => c.textContent).join(' ')).join('/');
		const chords = () => [...document.querySelectorAll('#circle title')].map(t => t.textContent).join('/');
		const view = () => box.dataset.from + '-' + box.dataset.to, seen = [];
		set('iteration', 2, 'change'); seen.push(view(), text('phase')); key('I'); seen.push(view());
		key('i'); key('i'); key('i'); seen.push(document.getElementById('iteration').value); key('0'); seen.push(view(), text('phase'));
		document.body.dataset.phases = seen.join('|');
		setTimeout(() => {
			const said = [text('flows'), rows(), chords()];
			const bytes = document.querySelector('input[value=bytes]'); bytes.checked = true; bytes.dispatchEvent(new Event('change')); said.push(text('flows'));
			set('iteration', 1, 'change');
			setTimeout(() => {
				said.push(text('flows')); key('0');
				set('pes', '0', 'input'); said.push(rows()); said.push(set('pes', '5-', 'input').getAttribute('aria-invalid'), set('pes', '', 'input').getAttribute('aria-invalid'));
				document.body.dataset.messages = said.join('|');
				key('c'); document.body.dataset.path = document.getElementById('path').getAttribute('aria-pressed');
			}, 200);
		}, 200);`)
	for name, want := range map[string]string{
		"ready":  "7",
		"said":   "PE 0: program two|PE 0: loop i|PE 1: wait for arrival: shift u(i-1)two|PE 0: put: shift u(i-1)two|PE 0: reduction: sum s",
		"zoomed": "475-975", "all": "0-1000", "found": "2 events", "path": "true",
		"phases": "500-900|of 3, loop i, line 5-7, 400 ns|0-500|3|0-1000|of 3",
		"messages": "messages: 1, from 0 ns to 1.00 us| PE 0 PE 1/PE 0 \u00b7 1/PE 1 \u00b7 \u00b7|PE 0 to PE 1, messages: 1/PE 0 sends messages: 1/PE 1 sends messages: 0|" +
			"bytes: 80, from 0 ns to 1.00 us|bytes: 0, from 0 ns to 500 ns||true|false",
	} {
		m := regexp.MustCompile(` data-` + name + `="([^"]*)"`).FindStringSubmatch(dom)
		if m == nil || m[1] != want {
			t.Errorf("%s: %q, want %q", name, m, want)
		}
	}
	if !strings.Contains(dom, `role="application"`) || !strings.Contains(dom, `aria-live="polite"`) {
		t.Error("the timeline has no role, or says nothing")
	}
}

// TestFold: PEs that spend their time alike get one lane, with their number; a PE that is looked for has
// its own again.
func TestFold(t *testing.T) {
	trace := twoPEs(t, "two")
	trace.PEs = 4
	trace.PE = append(trace.PE, slices.Clone(trace.PE[1]), slices.Clone(trace.PE[1]))
	trace.PE[2][1].Took -= 40 // of 1000
	if got := trace.alike(); !slices.Equal(got, []int{0, 1, 1, 1}) {
		t.Errorf("%v are alike", got)
	}
	if testing.Short() {
		return
	}
	dom := browser.Load(t, timeline(t, trace), "", `
		const box = document.getElementById('timeline'), out = document.getElementById('chosen'), said = [], fold = document.getElementById('fold');
		const key = k => { box.dispatchEvent(new KeyboardEvent('keydown', {key: k})); said.push(out.textContent.split('\n')[0]); };
		said.push(fold.getAttribute('aria-pressed')); key('f'); said.push(fold.getAttribute('aria-pressed'));
		key('ArrowRight'); key('ArrowDown'); key('ArrowDown'); fold.click(); key('ArrowDown');
		document.body.dataset.said = said.join('|');`)
	const want = "false|No event is chosen.|true|PE 0: program two|PE 1 and 2 like it: program two|PE 1 and 2 like it: program two|PE 2: program two"
	if m := regexp.MustCompile(` data-said="([^"]*)"`).FindStringSubmatch(dom); m == nil || m[1] != want {
		t.Errorf("%q, want %q", m, want)
	}
}

// TestHostile: texts of a source do nothing in the page.
func TestHostile(t *testing.T) {
	page := timeline(t, twoPEs(t, hostile))
	if strings.Contains(page, "<img") || strings.Count(page, "</script>") != 2 || strings.ContainsAny(page, "\x00\x1b") {
		t.Error("a text of the source is markup of the page")
	}
	if regexp.MustCompile(`(src|href)=["']?[a-z]+:`).MatchString(page) {
		t.Error("the page needs something else")
	}
	if testing.Short() {
		return
	}
	dom := browser.Load(t, page, "", `document.body.dataset.images = document.images.length`)
	if !strings.Contains(dom, `data-images="0"`) || !strings.Contains(dom, `data-ready="7"`) {
		t.Error("the page has an image, or its script did not run")
	}
}

// TestMostDrawn: of many events the longest are drawn, and the page is bounded.
func TestMostDrawn(t *testing.T) {
	trace := twoPEs(t, "two")
	for i := range int64(3 * mostDrawn) {
		trace.PE[0] = append(trace.PE[0], tracefile.Event{Kind: tracefile.Region, ID: 1, Began: 1000 + 1000*i, Took: 1 + i%1000, Peer: -1})
	}
	d, shortest := trace.pageData()
	n := len(d.Lanes[0])/10 + len(d.Lanes[1])/10
	if n > mostDrawn || n < mostDrawn*9/10 {
		t.Errorf("%d events are drawn", n)
	}
	// Messages are counted that are not drawn.
	if want := []int64{0, 1, 1, 80}; len(d.Flows) != 6 || !slices.Equal(d.Flows[2:], want) || d.Flows[0] > 800 || d.Flows[1] < 800 {
		t.Errorf("messages %v, want some time, and %v", d.Flows, want)
	}
	for i := 3; i < len(d.Lanes[0]); i += 10 {
		if d.Lanes[0][i] < shortest {
			t.Fatalf("an event of %d ns is drawn, the shortest is to be %d", d.Lanes[0][i], shortest)
		}
	}
	if page := timeline(t, trace); len(page) > 3e6 || !strings.Contains(page, "Only the longest events are drawn") {
		t.Errorf("the page has %d bytes", len(page))
	}
}
