package elide

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// reported runs a program with a library that synchronises for each client, one of
// which needs it, and makes its report.
func reported(t *testing.T, o Options) *Report {
	t.Helper()
	names := []string{"main", "a.f90:10", "b.f90:20", `<"c">:30`, "lib.f90:2"}
	o.Label = func(s Site) string { return names[s] }
	o.Program = `"p" <1>`
	errs, engines := runEngines(t, 2, o, func(pe int, e *Engine) error {
		for range 20 {
			for client := Site(1); client <= 3; client++ {
				if client == 1 && pe == 1 {
					e.Mark(Remote)
				}
				e.Enter(client)
				if err := e.Barrier(4); err != nil {
					return err
				}
				e.Leave()
			}
		}
		return nil
	})
	noError(t, errs)
	r := NewReport(engines, func(pe int, c Context) Told {
		return Told{Note: "x < y", Time: time.Duration(pe+1) * time.Millisecond}
	})
	r.Calls["b.f90:20"] = "scale"
	return r
}

func TestReport(t *testing.T) {
	for mode, elided := range map[Mode]uint64{Audit: 0, Online: 2 * 15} {
		r := reported(t, Options{Mode: mode, Threshold: 5})
		if got := r.Total; got.Before != 60 || got.Elided() != elided || got.Redundant != 40 || got.Time != 4500*time.Microsecond {
			t.Errorf("mode %d: %+v", mode, got)
		}
		if len(r.Contexts) != 3 || r.PEs != 2 || r.Agreements != 1 {
			t.Fatalf("mode %d: %+v", mode, r)
		}
		if len(r.Subcontexts) != 2 || r.Subcontexts[1].Suffix.String() != "b.f90:20 > lib.f90:2" || r.Subcontexts[1].Before != 20 || r.Subcontexts[1].Contexts != 1 {
			t.Errorf("mode %d: %+v", mode, r.Subcontexts)
		}
		log := r.Log("run")
		if plan := Classify(log); len(plan.Entries) != 2 || plan.Entries[0].Barriers != 20 {
			t.Errorf("mode %d: %+v", mode, plan)
		}
	}
}

func TestReportFormats(t *testing.T) {
	r := reported(t, Options{Mode: Online, Threshold: 5})
	form := func(f Format) string {
		var b bytes.Buffer
		if err := r.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, want := range []string{
		"60 barriers in 3 contexts, of these executed 30, elided 30 (50.0 %)",
		"redundant by the summaries before them (Table 3) 40 (66.7 %), missed of these 10",
		"33.3 %      20      5  1.500         1  b.f90:20 > lib.f90:2",
		"33.3 %      20     20          0  1.500  necessary  a.f90:10 > lib.f90:2  (x < y)",
	} {
		if text := form(Text); !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}

	var data struct {
		Program string
		PEs     int
		Total   struct {
			Before, After uint64
			Seconds       float64
		}
		Contexts []struct {
			Path        []string
			State, Note string
			Share       float64
		}
		Subcontexts []struct{ Path []string }
	}
	if err := json.Unmarshal([]byte(form(JSON)), &data); err != nil {
		t.Fatalf("%v in\n%s", err, form(JSON))
	}
	if data.Program != `"p" <1>` || data.Total.After != 30 || data.Total.Seconds != 0.0045 || len(data.Contexts) != 3 ||
		data.Contexts[0].Path[0] != `<"c">:30` || data.Contexts[0].State != "learned" || data.Contexts[0].Note != "x < y" || len(data.Subcontexts) != 2 {
		t.Errorf("%+v", data)
	}

	page := form(HTML)
	for _, want := range []string{"b.f90:20 <i>calls scale</i>", "&lt;&#34;c&#34;&gt;:30", "learned  (x &lt; y)", "width:25.00%"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if strings.Contains(page, "://") {
		t.Error("the page needs the network")
	}
	// Every element that must be closed is.
	d := xml.NewDecoder(strings.NewReader(page[strings.Index(page, "<h2>Calling"):strings.Index(page, "</body>")]))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are open", depth)
	}
	if err := r.Write(io.Discard, "pdf"); err == nil {
		t.Error("a report in no form")
	}
}
