package synch

import (
	"strings"
	"testing"
)

// TestTables holds the printed Table 1 against the paper's, row by row, and what is sound
// against where it differs.
func TestTables(t *testing.T) {
	printed, sound, _ := strings.Cut(Tables(), "Table 1, sound")
	for _, row := range []string{
		"SynchMeet U CS NoSync NoSyncP Cons Sync",
		"U U CS NoSync NoSyncP Cons Sync",
		"CS CS CS NoSync NoSyncP Cons Sync",
		"NoSync NoSync NoSync NoSync NoSyncP Cons Sync",
		"NoSyncP NoSyncP NoSyncP NoSyncP NoSyncP Cons Sync",
		"Cons Cons Cons Cons Cons Cons Sync",
		"Sync Sync Sync Sync Sync Sync Sync",
	} {
		if !hasRow(printed, row) {
			t.Errorf("Table 1 has no row %q:\n%s", row, printed)
		}
	}
	for _, row := range []string{"CS CS CS CS CS CS Sync", "NoSync NoSync CS NoSync NoSyncP Cons Sync"} {
		if hasRow(printed, row) || !hasRow(sound, row) {
			t.Errorf("the sound table is to have the row %q, and the printed one not:\n%s", row, Tables())
		}
	}
	literal, repaired, _ := strings.Cut(sound, "Figures 7 and 8, sound")
	for _, row := range []struct{ figure, row string }{
		{literal, "C_x CS Sync · Sync Sync ·"}, {repaired, "C_x CS Sync CS Sync Sync ·"},
		{literal, "UO_x · Cons · · · ·"}, {repaired, "UO_x · Cons Cons Cons · ·"},
		{literal, "C_y, which kills · · · · NoSyncP ·"}, {repaired, "CO_y, a tag · · · NoSync · ·"},
	} {
		if !hasRow(row.figure, row.row) {
			t.Errorf("Figure 7 has no row %q:\n%s", row.row, row.figure)
		}
	}
}

func hasRow(text, row string) bool {
	for line := range strings.Lines(text) {
		if strings.Join(strings.Fields(line), " ") == row {
			return true
		}
	}
	return false
}
