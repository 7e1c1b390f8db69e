package report_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/internal/browser"
	"github.com/spmdc/spmdc/internal/effort"
)

// load is the document of a page once its scripts have run, and after behind them.
func load(t *testing.T, page, fragment, after string) string {
	t.Helper()
	return browser.Load(t, page, fragment, after)
}

func pageOf(t *testing.T, name, source string) (*report.Report, string) {
	t.Helper()
	r := analyze(t, source).Build(name, true)
	page, err := r.HTML(source)
	if err != nil {
		t.Fatal(err)
	}
	return r, page
}

// opening finds the start tags that have an attribute.
func opening(dom, attribute string) []string {
	return regexp.MustCompile(`<[a-z]+[^<>]*`+regexp.QuoteMeta(attribute)+`[^<>]*>`).FindAllString(dom, -1)
}

// TestPageShowsTheChain selects a communication of tred2 by the address and by
// clicks, and looks for its killer chain in panel, graph and source.
func TestPageShowsTheChain(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a browser")
	}
	r, page := pageOf(t, "tred2.hpf", example(t, "tred2"))
	c := r.Communications[2]
	chain := c.Obligations[0].Chains[0]
	if c.Verdict != "NoSync" || len(chain.Hops) != 3 {
		t.Fatalf("communication 3 of tred2 is not what this test is about: %+v", chain)
	}
	killer := chain.Hops[1]
	sample := effort.Sample(4)
	for _, test := range []struct{ name, fragment, script string }{
		{"by address", "#c3", ""},
		{"by a click in the source", "", `document.querySelector('#source .gutter a[data-c="3"]').click()`},
		{"by a click in the graph", "", `document.querySelector('#graph a[data-c="3"]').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))`},
		{"by the keyboard", "#c2", `setTimeout(() => document.dispatchEvent(new KeyboardEvent('keydown', {key: 'j'})), 100)`},
	} {
		if !sample() {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			// The script at the end says which panel is visible.
			dom := load(t, page, test.fragment, test.script+`;
				setTimeout(() => { for (const p of document.querySelectorAll('.panel')) if (getComputedStyle(p).display !== 'none') {
					document.body.dataset.visible = (document.body.dataset.visible || '') + '[' + p.id + ']';
					document.body.dataset.text = p.innerText; } }, 1000)`)
			if !strings.Contains(dom, `data-visible="[c3]"`) {
				t.Fatalf("the panel of communication 3 is not the one that is visible: %q", opening(dom, "data-visible"))
			}
			text := html.UnescapeString(opening(dom, "data-text")[0])
			for _, h := range chain.Hops {
				if !strings.Contains(text, fmt.Sprintf("line %d %s %s", h.Line, strings.TrimPrefix(h.Name, "the "), h.Text)) {
					t.Errorf("the panel lacks the hop %s: %s\n%s", h.Name, h.Text, text)
				}
			}
			marked := opening(dom, fmt.Sprintf(`data-n="%d"`, killer.Node))
			if len(marked) == 0 || !strings.Contains(strings.Join(marked, ""), `killer"`) {
				t.Errorf("the graph does not mark the killer: %q", marked)
			}
			for i := 1; i < len(chain.Path); i++ {
				edges := opening(dom, fmt.Sprintf(`data-e="%d-%d"`, chain.Path[i-1], chain.Path[i]))
				if len(edges) > 0 && !strings.Contains(edges[0], ` on"`) {
					t.Errorf("the graph does not mark the edge %s", edges[0])
				}
			}
			line := regexp.MustCompile(fmt.Sprintf(`(?s)<tr id="L%d".*?</tr>`, killer.Line)).FindString(dom)
			if !strings.Contains(line, `<span class="role killer">`+strings.TrimPrefix(killer.Name, "the ")+`</span>`) {
				t.Errorf("the source does not mark the killer: %s", line)
			}
			values := regexp.MustCompile(`<text class="value[^>]*data-v="(\d+)"[^>]*>([^<]*)<`).FindAllStringSubmatch(dom, -1)
			known := 0
			for _, v := range values {
				if v[2] == "NoSync" {
					known++
				}
			}
			if known < 5 || !strings.Contains(dom, "SC_OUT of communication 3 after sweep 3 of 3") {
				t.Errorf("the graph shows %d values NoSync", known)
			}
		})
	}
}

// TestPageIsSelfContained looks for anything that a browser would fetch, and for
// text of the source that got out of its place.
func TestPageIsSelfContained(t *testing.T) {
	nasty := `program p
  integer, parameter :: n = 10
  double precision :: a(n), b(n)
  integer :: i
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
! <img src="https://example.org/x.png" onerror="alert(1)"> </table> &amp; "quotes" 'and' ` + "`more`" + `
  do i = 1, n
    a(i) = i
  end do
  do i = 2, n
    b(i) = a(i-1)
  end do
  print *, '</script><script>document.body.dataset.hacked = 1</script> <b>', b(2), "]]>"
end program p
`
	for name, source := range map[string]string{"nasty.hpf": nasty, "tred2.hpf": example(t, "tred2"), "</title><script>x": example(t, "life")} {
		_, page := pageOf(t, name, source)
		inTags := regexp.MustCompile(`(?i)\s(src|srcset|action|formaction|data|poster|background|xlink:href)\s*=|\shref="[^#]|^<(link|iframe|object|embed|img|base|form|audio|video|image|use)\b`)
		for _, tag := range regexp.MustCompile(`<[^<>]*>`).FindAllString(page, -1) {
			if m := inTags.FindString(tag); m != "" {
				t.Errorf("%s: the page refers to something outside: %s", name, tag)
			}
		}
		parts := map[string]*regexp.Regexp{
			"style":  regexp.MustCompile(`(?i)url\(|@import|https?:`),
			"script": regexp.MustCompile(`\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|import|Worker)\b|https?:|innerHTML|document\.write|eval`),
		}
		for part, outside := range parts {
			texts := regexp.MustCompile(`(?s)<`+part+`>(.*?)</`+part+`>`).FindAllStringSubmatch(page, -1)
			if len(texts) != 1 || outside.MatchString(texts[0][1]) {
				t.Errorf("%s: the %s of the page refers to something outside, or may run text as code: %q", name, part, outside.FindString(texts[0][1]))
			}
		}
		if !strings.Contains(page, `content="default-src &#39;none&#39;; style-src`) && !strings.Contains(page, `content="default-src 'none'; style-src`) {
			t.Errorf("%s: nothing forbids the page to use the network", name)
		}
		if strings.Count(page, "<script") != 2 || strings.Contains(page, "<img") || strings.Contains(page, "</table> &amp; ") {
			t.Errorf("%s: text of the source is not escaped", name)
		}
	}
	_, page := pageOf(t, "nasty.hpf", nasty)
	dom := load(t, page, "#c1", `document.body.dataset.ran = document.getElementById("L7").innerText + document.querySelectorAll("#source tr").length`)
	if strings.Contains(dom, "data-hacked") {
		t.Error("text of the source ran as a script")
	}
	ran := strings.Join(opening(dom, "data-ran"), "")
	if !strings.Contains(html.UnescapeString(ran), `onerror="alert(1)"`) {
		// Attribute values hold < and > as they are, so the tag may be cut short.
		if at := strings.Index(dom, "data-ran="); at < 0 || !strings.Contains(html.UnescapeString(dom[at:min(len(dom), at+400)]), `onerror="alert(1)"`) {
			t.Errorf("the source is not shown as it is: %q", ran)
		}
	}
	if !strings.Contains(dom, `class="chip once selected"`) {
		t.Error("the script of the page did not run")
	}
}

// TestPagesOfExamples makes the page of every example and looks at its structure:
// each communication has a panel and pills, each edge of the graph is drawn once
// or lies in a box, and no two boxes overlap.
func TestPagesOfExamples(t *testing.T) {
	rect := regexp.MustCompile(`<g class="box[^"]*"><rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)"`)
	for _, name := range examples(t) {
		r := built(t, name)
		page, err := r.HTML(example(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Communications {
			if n := strings.Count(page, fmt.Sprintf(`<article class="panel" id="c%d"`, c.ID)); n != 1 {
				t.Errorf("%s: %d panels for communication %d", name, n, c.ID)
			}
			for _, p := range append(append(append([]report.Point{}, c.C...), c.CO...), c.UO...) {
				if !strings.Contains(page, fmt.Sprintf(`data-n="%d" data-c="%d"`, p.Node, c.ID)) {
					t.Errorf("%s: %s is not drawn", name, p.Name)
				}
			}
		}
		drawn := 0
		for _, n := range r.Graph.Nodes {
			for _, s := range n.Succs {
				switch strings.Count(page, fmt.Sprintf(`data-e="%d-%d"`, n.ID, s)) {
				case 0:
					if len(n.Succs) > 1 {
						t.Errorf("%s: the edge from %d to %d is not drawn", name, n.ID, s)
					}
				case 1:
					drawn++
				default:
					if n.Succs[0] != s || len(n.Succs) < 2 || n.Succs[1] != s {
						t.Errorf("%s: the edge from %d to %d is drawn twice", name, n.ID, s)
					}
				}
			}
		}
		if drawn < 5 {
			t.Errorf("%s: only %d edges", name, drawn)
		}
		type box struct{ x, y, w, h float64 }
		var boxes []box
		for _, m := range rect.FindAllStringSubmatch(page, -1) {
			var b box
			if _, err := fmt.Sscan(strings.Join(m[1:], " "), &b.x, &b.y, &b.w, &b.h); err != nil {
				t.Fatal(err)
			}
			boxes = append(boxes, b)
		}
		for i, a := range boxes {
			if a.x < 0 || a.y < 0 || a.w <= 0 || a.h <= 0 {
				t.Errorf("%s: a box lies outside: %+v", name, a)
			}
			for _, b := range boxes[:i] {
				if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
					t.Errorf("%s: boxes overlap: %+v %+v", name, a, b)
				}
			}
		}
	}
}
