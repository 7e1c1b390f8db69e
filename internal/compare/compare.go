// Package compare decides whether two program outputs say the same.
//
// Outputs are compared token by token, blanks and line breaks aside, for
// list-directed output may break a record where it likes. With the default
// tolerance the outputs
//
//	n           3              n 3
//	sum   0.30000000000000004   sum 0.29999999999999999
//
// are the same, and "n 4" in the place of "n 3" is the difference
//
//	token 2: want integer 3, got 4 (want line 1, got line 1)
//
// Integers and words must be equal as text. Reals a and b are equal when
// |a-b| <= tol*max(|a|,|b|), COMPLEX numbers (a,b) when both parts are. There is no absolute floor: zero equals zero only,
// so that a program whose output is rounding noise is found out.
package compare

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Tolerance is the relative difference allowed between reals. Which one
// applies is told by the number of digits that the wanted token shows:
// list-directed output prints 17 of a double and 9 of a single.
type Tolerance struct {
	Double float64
	Single float64
}

// Default is the tolerance for outputs of the same program whose reductions
// may add in another order.
var Default = Tolerance{Double: 1e-10, Single: 1e-5}

// singleDigits is the largest number of mantissa digits printed for a single,
// the zero before the point included.
const singleDigits = 10

// Difference is the first token in which two outputs differ.
type Difference struct {
	Token    int    // counted from 1
	Want     string // the token, "" behind the end of the output
	Got      string
	WantLine int // counted from 1; the last line when the output has ended
	GotLine  int
	WantText string // the whole lines, without line breaks
	GotText  string
	Why      string // what was wanted and found, in one line
}

func (d *Difference) Error() string {
	return fmt.Sprintf("token %d: %s (want line %d, got line %d)\nwant: %s\ngot:  %s",
		d.Token, d.Why, d.WantLine, d.GotLine, d.WantText, d.GotText)
}

// Outputs returns nil when got says the same as want, else a *Difference.
func Outputs(want, got string, tol Tolerance) error {
	w, g := newTokens(want), newTokens(got)
	for n := 1; ; n++ {
		wantMore, gotMore := w.next(), g.next()
		if !wantMore && !gotMore {
			return nil
		}
		var why string
		switch {
		case !gotMore:
			why = fmt.Sprintf("want %s, got the end of the output", describe(w.token))
		case !wantMore:
			why = fmt.Sprintf("want the end of the output, got %s", describe(g.token))
		default:
			why = mismatch(w.token, g.token, tol)
		}
		if why != "" {
			return &Difference{
				Token: n, Want: w.token, Got: g.token,
				WantLine: w.line, GotLine: g.line, WantText: w.text, GotText: g.text,
				Why: why,
			}
		}
	}
}

// mismatch says why got does not stand for want, or "" when it does.
func mismatch(want, got string, tol Tolerance) string {
	if want == got {
		return ""
	}
	if w, g := complexForm.FindStringSubmatch(want), complexForm.FindStringSubmatch(got); w != nil && g != nil {
		if why := mismatch(w[1], g[1], tol); why != "" {
			return "real part: " + why
		}
		if why := mismatch(w[2], g[2], tol); why != "" {
			return "imaginary part: " + why
		}
		return ""
	}
	wantKind, gotKind := kindOf(want), kindOf(got)
	if wantKind != gotKind {
		return fmt.Sprintf("want %s, got %s", describe(want), describe(got))
	}
	if wantKind != realToken {
		return fmt.Sprintf("want %s, got %s", describe(want), got)
	}
	a, b := parseReal(want), parseReal(got)
	allowed := tol.Double
	if mantissaDigits(want) <= singleDigits {
		allowed = tol.Single
	}
	// A quotient of scaled operands, so that neither overflow nor underflow of
	// the product allowed*scale changes the verdict. Values beyond the range of
	// a double are infinite here, and are equal only as text.
	scale := math.Max(math.Abs(a), math.Abs(b))
	if scale == 0 {
		return "" // 0 and -0
	}
	if rel := math.Abs(a/scale - b/scale); rel > allowed || math.IsNaN(rel) {
		return fmt.Sprintf("want real %s, got %s: relative difference %.3g exceeds %g", want, got, rel, allowed)
	}
	return ""
}

// kind is what a token looks like.
type kind uint8

const (
	wordToken kind = iota
	integerToken
	realToken
)

func (k kind) String() string {
	return [...]string{"word", "integer", "real"}[k]
}

func describe(token string) string {
	return kindOf(token).String() + " " + token
}

// realForm is a real as Fortran prints it: a mantissa with a decimal point, and
// an exponent after E or D, or after its sign alone when it has three digits
// ("0.5-101"). NaN and Infinity are words: they have no digits to compare.
var realForm = regexp.MustCompile(`^([+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+))(?:[eEdD]([+-]?[0-9]+)|([+-][0-9]+))?$`)

// complexForm is a COMPLEX number as list-directed output has it, of which the parts are compared.
var complexForm = regexp.MustCompile(`^\(([^,;()]+)[,;]([^,;()]+)\)$`)

// integerForm is an integer as Fortran prints it.
var integerForm = regexp.MustCompile(`^[+-]?[0-9]+$`)

func kindOf(token string) kind {
	switch {
	case integerForm.MatchString(token):
		return integerToken
	case realForm.MatchString(token):
		return realToken
	}
	return wordToken
}

// parseReal returns the value of a token of kind realToken. A value out of
// range becomes infinite or zero.
func parseReal(token string) float64 {
	m := realForm.FindStringSubmatch(token)
	text := m[1]
	if exponent := m[2] + m[3]; exponent != "" {
		text += "e" + exponent
	}
	// The form is checked, so that an error can only be one of range, for
	// which the value is what the comment above promises.
	value, _ := strconv.ParseFloat(text, 64)
	return value
}

// mantissaDigits is the number of digits that a real shows before its exponent.
func mantissaDigits(token string) int {
	n := 0
	for _, c := range realForm.FindStringSubmatch(token)[1] {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// tokens walks through the words of a text and keeps track of lines.
type tokens struct {
	lines []string
	line  int      // number of the current line, from 1
	text  string   // the current line
	words []string // what is left of it
	token string   // the current token
}

func newTokens(s string) *tokens {
	return &tokens{lines: strings.Split(strings.TrimRight(s, " \t\r\n"), "\n")}
}

// next moves to the next token; at the end it returns false, and token is "".
func (t *tokens) next() bool {
	for len(t.words) == 0 {
		if t.line == len(t.lines) {
			t.token = ""
			return false
		}
		t.text = strings.TrimRight(t.lines[t.line], "\r")
		t.words = strings.Fields(t.text)
		t.line++
	}
	t.token, t.words = t.words[0], t.words[1:]
	return true
}
