package compare

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOutputs(t *testing.T) {
	tests := []struct {
		name      string
		want, got string
		why       string // "" for the same
	}{
		{"nothing", "", "", ""},
		{"blank lines only", "\n \n", "", ""},
		{"white space", " a   1\n  2 T\n", "a 1 2\r\nT", ""},
		{"last bits", " 0.30000000000000004 ", " 0.29999999999999999 ", ""},
		{"forms of a real", "0.12500000000000000", "1.2500000000000000D-001", ""},
		{"exponent without letter", "0.5000000000000000-101", "5.0000000000000000E-102", ""},
		{"zero and negative zero", "0.0000000000000000E+000", "-0.0000000000000000", ""},
		{"close to overflow", "1.7976931348623157E+308", "1.7976931348623155E+308", ""},
		{"close to underflow", "1.0000000000000000E-300", "1.0000000000000001E-300", ""},
		{"single", "0.333333343", "0.333333403", ""},
		{"single that starts with a digit", "1.00000000", "1.00000060", ""},
		{"complex", "(0.30000000000000004,-1.500000000E+09)", "(0.29999999999999999,-1.500000001E+09)", ""},
		{"other real part", "(1.0000000000000000,2.0000000000000000)", "(1.0000000002000000,2.0000000000000000)", "real part: want real 1.0000000000000000, got 1.0000000002000000"},
		{"other imaginary part", "(1.0000000000000000,2.0000000000000000)", "(1.0000000000000000,NaN)", "imaginary part: want real 2.0000000000000000, got word NaN"},
		{"part and whole", "(1.0,2.0)", "1.0", "want word (1.0,2.0), got real 1.0"},
		{"not a number", "NaN -Infinity", "NaN -Infinity", ""},

		{"integer", "n 3", "n 4", "want integer 3, got 4"},
		{"integers are text", "3", "+3", "want integer 3, got +3"},
		{"word", "T", "F", "want word T, got F"},
		{"case of a word", "sum", "Sum", "want word sum, got Sum"},
		{"tenth digit", "1.0000000000000000", "1.0000000002000000", "relative difference 2e-10 exceeds 1e-10"},
		{"sign", "1.5000000000000000", "-1.5000000000000000", "relative difference 2 exceeds"},
		{"noise is not zero", "0.0000000000000000E+000", "1.0000000000000000E-300", "relative difference 1 exceeds"},
		{"both tiny", "4.0000000000000000E-310", "2.0000000000000000E-310", "relative difference 0.5 exceeds"},
		{"opposite giants", "1.7976931348623157E+308", "-1.7976931348623157E+308", "relative difference 2 exceeds"},
		{"out of range", "1.0000000000000000E+400", "1.0000000000000000E+500", "relative difference NaN exceeds"},
		{"single too far", "0.333333343", "0.333343343", "exceeds 1e-05"},
		{"a double with few digits left", "1.2500000000000000", "1.25000006", "exceeds 1e-10"},
		{"integer for real", "3.0000000000000000", "3", "want real 3.0000000000000000, got integer 3"},
		{"real for integer", "3", "3.0", "want integer 3, got real 3.0"},
		{"number for word", "NaN", "0.0", "want word NaN, got real 0.0"},
		{"word that begins like a real", "1.0E", "1.0", "want word 1.0E, got real 1.0"},
		{"word that ends like a real", "v1.0", "1.0", "want word v1.0, got real 1.0"},
		{"point alone", ".", "0.0", "want word ., got real 0.0"},
		{"two signs", "--1", "-1", "want word --1, got integer -1"},
		{"output too short", "a 1", "a", "want integer 1, got the end of the output"},
		{"output too long", "a", "a b", "want the end of the output, got word b"},
		{"output empty", "a", "", "want word a, got the end of the output"},
		{"words run together", "a b", "ab", "want word a, got ab"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Outputs(test.want, test.got, Default)
			switch {
			case test.why == "" && err != nil:
				t.Errorf("reported a difference:\n%v", err)
			case test.why != "" && err == nil:
				t.Errorf("reported no difference, want one that says %q", test.why)
			case test.why != "" && !strings.Contains(err.Error(), test.why):
				t.Errorf("error %q does not say %q", err, test.why)
			}
		})
	}
}

func TestDifferenceNamesThePlace(t *testing.T) {
	want := " n 3\n\n sum   1.0000000000000000 ok\n"
	got := "n\n3\nsum 1.5000000000000000\nok\n"
	err := Outputs(want, got, Default)
	var d *Difference
	if !errors.As(err, &d) {
		t.Fatalf("Outputs returned %v, want a *Difference", err)
	}
	if d.Token != 4 || d.WantLine != 3 || d.GotLine != 3 {
		t.Errorf("token %d, lines %d and %d; want token 4, lines 3 and 3", d.Token, d.WantLine, d.GotLine)
	}
	const text = "token 4: want real 1.0000000000000000, got 1.5000000000000000: relative difference 0.333 exceeds 1e-10" +
		" (want line 3, got line 3)\nwant:  sum   1.0000000000000000 ok\ngot:  sum 1.5000000000000000"
	if err.Error() != text {
		t.Errorf("error text:\n%s\nwant:\n%s", err, text)
	}
}

func TestDifferenceAtTheEndNamesTheLastLine(t *testing.T) {
	var d *Difference
	if err := Outputs("a\nb\nc", "a\nb\n\n", Default); !errors.As(err, &d) {
		t.Fatalf("Outputs returned %v, want a *Difference", err)
	}
	if d.WantLine != 3 || d.GotLine != 2 || d.Got != "" {
		t.Errorf("lines %d and %d, token %q; want lines 3 and 2 and no token", d.WantLine, d.GotLine, d.Got)
	}
}

// The verdict on two reals is that of the definition, evaluated where it can
// be evaluated without overflow, and does not depend on which of the two is
// the wanted one.
func TestRealsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-1e100, 1e100).Draw(t, "a")
		step := rapid.SampledFrom([]float64{0, 1e-16, 9e-11, 1.1e-10, 1e-3, 2}).Draw(t, "step")
		b := a * (1 + step)
		same := math.Abs(a-b) <= 1e-10*math.Max(math.Abs(a), math.Abs(b))
		for _, pair := range [][2]float64{{a, b}, {b, a}} {
			err := Outputs(double(pair[0]), double(pair[1]), Default)
			if (err == nil) != same {
				t.Fatalf("%v and %v: want equal %t, got %v", pair[0], pair[1], same, err)
			}
		}
	})
}

// double prints v with 17 digits and a decimal point, as a Fortran program does.
func double(v float64) string {
	return strconv.FormatFloat(v, 'E', 16, 64)
}
