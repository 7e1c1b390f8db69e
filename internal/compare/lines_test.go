package compare

import "testing"

func TestLines(t *testing.T) {
	const want = " image           1   1.0000000000000000     \n image           2   2.0000000000000000     \n done\n"
	for _, c := range []struct {
		got  string
		same bool
	}{
		{want, true},
		{" done\n image           2   1.9999999999999998     \n image           1   1.0000000000000000\n", true},
		{" done\n image           2   1.0000000000000000     \n image           1   2.0000000000000000\n", false},
		{" done\n image           1   1.0000000000000000\n", false},
		{want + " done\n", false},
		{"", false},
	} {
		if err := Lines(want, c.got, Default); (err == nil) != c.same {
			t.Errorf("%q: %v", c.got, err)
		}
	}
	if err := Lines("", "", Default); err != nil {
		t.Error(err)
	}
}
