package check

import "testing"

func TestHoldsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"1,2,3": "", "0,#1,1": "", "random,7": "", "random,0": "", "3": "",
		"":          `"" is no PE: want a number from 0`,
		"-2":        `"-2" is no PE: want a number from 0`,
		"1,2":       "want PE,COMM,EPOCH or PE or random,SEED",
		"1,2,3,4":   "want PE,COMM,EPOCH or PE or random,SEED",
		"random,-1": `"-1" is no seed: want a number from 0`,
		"random,x":  `"x" is no seed: want a number from 0`,
		"-1,1,1":    `"-1" is no PE: want a number from 0`,
		"0,0,1":     `"0" is no communication: want a number from 1`,
		"0,1,0":     `"0" is no epoch: want a number from 1`,
		"0,1,e":     `"e" is no epoch: want a number from 1`,
	} {
		var h Holds
		got := ""
		if err := h.Set(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if h.Empty() != (want != "") {
			t.Errorf("%q: empty is %v", text, h.Empty())
		}
	}
	var l Lates
	if err := l.Set("1,2"); err == nil || err.Error() != "want PE,COMM,EPOCH" {
		t.Errorf("late 1,2: %v", err)
	}
	if err := l.Set("1,2,3"); err != nil || l.String() != "1,2,3" || !l.Here(1, 1, 3) || l.Here(1, 1, 2) || (*Lates)(nil).Here(1, 1, 3) {
		t.Errorf("late 1,2,3: %v, %s", err, &l)
	}
}

func TestHoldsAreWhereTheyShouldBe(t *testing.T) {
	var h Holds
	for _, text := range []string{"1,2,3", "0,1,1", "random,5", "4"} {
		if err := h.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.String(); got != "1,2,3 0,1,1 4 random,5" {
		t.Error(got)
	}
	stops := 0
	if !h.Here(4, 0, 1, &stops) || !h.Here(4, 3, 1<<40, &stops) || !h.Here(1, 1, 3, &stops) || !h.Here(0, 0, 1, &stops) || stops != 0 {
		t.Error("a PE passes its place")
	}
	// The seed decides, evenly over PEs and places, and not without end.
	count := func(seed string) (list []uint64) {
		var h Holds
		if err := h.Set("random," + seed); err != nil {
			t.Fatal(err)
		}
		stops := 0
		for e := uint64(1); e < 10000; e++ {
			if h.Here(2, 3, e, &stops) {
				list = append(list, e)
			}
		}
		return list
	}
	a, again, b := count("1"), count("1"), count("2")
	if len(a) != mostRandom || len(b) != mostRandom {
		t.Errorf("%d and %d stops, want %d", len(a), len(b), mostRandom)
	}
	same := 0
	for i := range a {
		if a[i] != again[i] {
			t.Fatal("one seed, two lists of places")
		}
		if a[i] == b[i] {
			same++
		}
	}
	if same == len(a) {
		t.Error("two seeds, one list of places")
	}
	early := 0
	for seed := range uint64(3000) {
		if draw(seed, int(seed%5), int(seed%7), 1) < odds(1) {
			early++
		}
	}
	if early < 800 || early > 1050 { // 3000 / 3.25 = 923
		t.Errorf("%d of 3000 seeds stop a PE at epoch 1", early)
	}
}
