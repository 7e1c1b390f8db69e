package outfile

import (
	"encoding/json"
	"strings"
	"testing"
)

// Texts of any kind are JSON strings.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a", `"\`, "\n\x00\x1f", "ä 漢 \u2028", "\xff"} {
		var got string
		if err := json.Unmarshal([]byte(Quote(s)), &got); err != nil || got != strings.ToValidUTF8(s, "�") {
			t.Errorf("%q: %v, %q", s, err, got)
		}
	}
}
