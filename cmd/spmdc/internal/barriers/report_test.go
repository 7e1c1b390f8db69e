package barriers

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
)

// reported is a run with a library that synchronises for each client, one of which
// needs it, and in which all PEs have broken consensus once.
func reported() *Report {
	row := func(why elide.Why, executed, redundant, broken uint64, path ...string) elide.LogContext {
		return elide.LogContext{Path: path, Note: "x < y", Why: why, Counts: elide.Counts{
			Barriers: 20, Executed: executed, Redundant: redundant, Ideal: redundant, Broken: broken, Time: 1500 * time.Microsecond}}
	}
	log := &elide.Log{Program: `"p" <1>`, Mode: elide.Online, PEs: []int{2}, Calls: map[string]string{"b.f90:20": "scale"}, Contexts: []elide.LogContext{
		row(elide.Learned, 6, 19, 1, `<"c">:30`, "lib.f90:2"),
		row(elide.Necessary, 20, 0, 0, "a.f90:10", "lib.f90:2"),
		row(elide.Learned, 5, 20, 0, "b.f90:20", "lib.f90:2"),
	}}
	log.Sort()
	return NewReport(log)
}

func TestReport(t *testing.T) {
	r := reported()
	if got := r.Total; got.Barriers != 60 || got.Elided() != 29 || got.Redundant != 39 || got.Time != 4500*time.Microsecond {
		t.Errorf("%+v", got)
	}
	if len(r.Subcontexts) != 1 || r.Subcontexts[0].Suffix.String() != "b.f90:20 > lib.f90:2" || r.Subcontexts[0].Barriers != 20 || r.Subcontexts[0].Contexts != 1 {
		t.Errorf("%+v", r.Subcontexts)
	}
	dir := t.TempDir()
	for _, name := range []string{"r.txt", "r.json", "r.html"} {
		file := filepath.Join(dir, name)
		for range 2 { // a report may be replaced
			if err := r.WriteFile(file); err != nil {
				t.Error(err)
			}
		}
		if err := os.WriteFile(file, []byte("Dear all\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteFile(file); err == nil || !strings.Contains(err.Error(), "did not make it as a file of this kind") {
			t.Errorf("%s: another file is replaced: %v", name, err)
		}
	}
	if err := r.WriteFile(filepath.Join(dir, "r.pdf")); err == nil || !strings.Contains(err.Error(), ".txt, .json or .html") {
		t.Error(err)
	}
}

func TestReportFormats(t *testing.T) {
	r := reported()
	form := func(f Format) string {
		var b bytes.Buffer
		if err := r.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, want := range []string{
		`barriers of "p" <1> on 2 PEs, learned and elided`,
		"60 barriers in 3 contexts, of these executed 31, elided 29 (48.3 %)",
		"redundant by the summaries before them (Table 3) 39 (65.0 %), missed of these 10",
		"consensus was broken 1 times, by all PEs each time",
		"33.3 %        20         5  1.500         1  b.f90:20 scale > lib.f90:2",
		"33.3 %        20        20          0       0  1.500  necessary  a.f90:10 > lib.f90:2  (x < y)",
		"33.3 %        20         6         19       1  1.500    learned  \"<\\\"c\\\">:30\" > lib.f90:2  (x < y)",
	} {
		if text := form(Text); !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}

	var data struct {
		Program string
		PEs     []int
		Total   struct {
			Barriers, Executed uint64
			Broken             uint64 `json:"broken_consensus"`
			Seconds            float64
		}
		Contexts []struct {
			Path, Procedures []string
			State, Note      string
			Share            float64
		}
		Subcontexts []struct{ Path []string }
	}
	if err := json.Unmarshal([]byte(form(JSON)), &data); err != nil {
		t.Fatalf("%v in\n%s", err, form(JSON))
	}
	if data.Program != `"p" <1>` || data.PEs[0] != 2 || data.Total.Executed != 31 || data.Total.Broken != 1 || data.Total.Seconds != 0.0045 || len(data.Contexts) != 3 ||
		data.Contexts[0].Path[0] != `<"c">:30` || data.Contexts[0].State != "learned" || data.Contexts[0].Note != "x < y" ||
		data.Contexts[2].Procedures[0] != "scale" || len(data.Subcontexts) != 1 {
		t.Errorf("%+v", data)
	}

	page := form(HTML)
	for _, want := range []string{"b.f90:20 <i>calls scale</i>", "&lt;&#34;c&#34;&gt;:30", "learned  (x &lt; y)", "<i>consensus broken 1 times</i>", "Consensus was broken 1 times", "width:25.00%"} {
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
