package fio

import (
	"math"
	"strconv"

	"github.com/spmdc/spmdc/runtime/record"
)

// style is what a format has said before, for all numbers that follow.
type style struct {
	scale int  // of P
	plus  bool // of SP
	comma bool // of DC
	round byte // of RU, RD, RZ, RN, RC and RP: the second letter, 0: none
}

// real appends x, of which bits are stored, by a descriptor for numbers.
func (st style) real(dst []byte, x float64, bits int, f *edit) []byte {
	st.round = record.OfMagnitude(st.round, math.Signbit(x))
	g := *f
	if g.room = 23; bits == 32 { // as gfortran
		g.room = 14
	}
	tight := false // G0: no blanks around the number
	if f.kind == editG {
		if f.w == 0 {
			tight = true
			if g.d < 0 {
				if g.d = 17; bits == 32 {
					g.d = 9
				}
			}
		}
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return st.general(dst, x, bits, &g, tight, f.d < 0)
		}
	}
	return st.fixed(dst, x, &g, tight, 0)
}

// general appends x by G: by F where its magnitude is suited to that, with blanks in
// place of an exponent, else by E. deduced tells that the format has not said how many
// digits.
func (st style) general(dst []byte, x float64, bits int, g *edit, tight, deduced bool) []byte {
	pad := 4
	if g.e >= 0 {
		pad = g.e + 2
	}
	d := g.d
	exp := 1 // x is below 10**exp
	if x != 0 {
		exp = st.magnitude(math.Abs(x), bits, d)
	}
	if d == 0 && x != 0 || exp < 0 || exp > d {
		if g.kind = editE; deduced && st.scale > 0 {
			g.d--
		}
		return st.fixed(dst, x, g, tight, 0)
	}
	f := *g
	f.kind, f.e = editF, -1
	f.d = max(d-exp, 0)
	st.scale = 0
	if tight {
		return st.fixed(dst, x, &f, true, 0)
	}
	f.w = g.w - pad
	if f.w <= 0 {
		return stars(dst, g.w)
	}
	return st.fixed(dst, x, &f, false, pad)
}

// magnitude is the least i from 0 to d for which x, rounded to d digits, is below 10**i: -1
// if x is below 0.1, d+1 if it is not below 10**d. It compares x with 10**i - r*10**(i-d)
// (Fortran 2018, 13.7.5.2.2) in the precision of x, as gfortran does.
func (st style) magnitude(x float64, bits, d int) int {
	narrow := func(x float64) float64 {
		if bits == 32 {
			return float64(float32(x))
		}
		return x
	}
	r := 0.5
	switch st.round {
	case 'U':
		r = 1
	case 'D', 'Z':
		r = 0
	}
	most := narrow(math.Pow10(d))
	below := narrow(1 - narrow(r/most))
	switch {
	case x < narrow(0.1*below):
		return -1
	case r < 1 && r >= narrow(most-x), r == 1 && r > narrow(most-x):
		return d + 1
	}
	i := 0
	for i < d && x >= narrow(narrow(math.Pow10(i))*below) {
		i++
	}
	return i
}

// split takes the text of %e apart into its digits and its exponent. It moves digits.
func split(s []byte) (digits []byte, exp int) {
	mark := len(s) - 1
	for s[mark] != 'e' {
		mark--
	}
	exp, _ = strconv.Atoi(string(s[mark+1:]))
	if mark > 1 { // d.ddd
		s[1] = s[0]
		return s[1:mark:mark], exp
	}
	return s[:1], exp
}

// significant is x, which is not negative, rounded to n digits.
func (st style) significant(scratch []byte, x float64, n int) (digits []byte, exp int) {
	return split(record.AppendFloat(scratch, x, 'e', n-1, st.round))
}

// number is a number in digits: point of them stand in front of the decimal point.
type number struct {
	digits []byte
	before int
	zeros  int // between the point and the first digit behind it
	after  int // digits behind these zeros
	exp    int // the exponent shown
	letter byte
	zero   bool
}

// fixed appends x by F, E, D, EN or ES, and pad blanks behind it.
func (st style) fixed(dst []byte, x float64, f *edit, tight bool, pad int) []byte {
	negative := math.Signbit(x)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return st.special(dst, x, f.w)
	}
	var scratch [400]byte
	var v number
	x = math.Abs(x)
	switch f.kind {
	case editF:
		v = st.point(scratch[:0], x, f.d)
	case editEN:
		v = st.engineering(scratch[:0], x, f.d)
	case editES:
		v.letter, v.before, v.after = 'E', 1, f.d
		v.digits, v.exp = st.significant(scratch[:0], x, f.d+1)
	default:
		v = st.scientific(scratch[:0], x, f)
	}
	v.zero = allZero(v.digits)
	sign := byte(0)
	switch {
	case negative:
		sign = '-'
	case st.plus:
		sign = '+'
	}
	edigits := 0
	var exp []byte
	if v.letter != 0 && !(f.w == 0 && v.exp == 0) {
		var ok bool
		if exp, ok = exponentText(v.exp, v.letter, f); !ok {
			w := f.w
			if w <= 0 { // as wide as the number without its exponent
				w = v.before + v.zeros + v.after + 1
				if sign != 0 {
					w++
				}
			}
			return stars(dst, w+pad)
		}
		edigits = len(exp)
	}
	width := v.before + v.zeros + v.after + edigits + 1
	if sign != 0 {
		width++
	}
	w := f.w
	if w <= 0 {
		w = width
		room := f.room
		if edigits > 0 {
			room -= 4
		}
		if v.before == 0 && v.after+v.zeros <= room && (f.kind != editF || tight || v.after+v.zeros == 0) {
			w++
		}
	}
	blanks := w - width
	lead := v.before == 0 && blanks > 0
	if lead {
		blanks--
	}
	if blanks < 0 || w == 1 || w == 2 && sign != 0 {
		return stars(dst, w+pad)
	}
	dst = appendBlanks(dst, blanks)
	if sign != 0 {
		dst = append(dst, sign)
	}
	if lead {
		dst = append(dst, '0')
	}
	dst = append(dst, v.digits[:v.before]...)
	if st.comma {
		dst = append(dst, ',')
	} else {
		dst = append(dst, '.')
	}
	for range v.zeros {
		dst = append(dst, '0')
	}
	dst = append(dst, v.digits[v.before:v.before+v.after]...)
	dst = append(dst, exp...)
	return appendBlanks(dst, pad)
}

// point is x times 10**scale with d digits behind the point.
func (st style) point(scratch []byte, x float64, d int) number {
	places := d + st.scale
	var s []byte
	if places >= 0 {
		s = record.AppendFloat(scratch, x, 'f', places, st.round)
		if places > 0 { // take the point out
			at := len(s) - places - 1
			copy(s[1:at+1], s[:at])
			s = s[1:]
		}
	} else {
		s = st.units(scratch, x, -places)
	}
	// s is the number of units of 10**-places; d of its digits stand behind the point.
	for len(s) < d {
		s = append([]byte{'0'}, s...)
	}
	before := len(s) - d
	for before > 0 && s[0] == '0' {
		s, before = s[1:], before-1
	}
	return number{digits: s, before: before, after: d}
}

// units is how many times 10**power x is, in digits.
func (st style) units(scratch []byte, x float64, power int) []byte {
	exp := firstExponent(x)
	if n := exp + 1 - power; n > 0 {
		digits, rounded := st.significant(scratch, x, n)
		if rounded > exp { // 9.9 has become 10
			digits = append(digits, '0')
		}
		return digits
	}
	half := 5 * math.Pow10(power-1)
	if x > 0 && st.round == 'U' || exp+1 == power && (x > half && st.round != 'D' && st.round != 'Z' || x == half && st.round == 'C') {
		return append(scratch, '1')
	}
	return append(scratch, '0')
}

// scientific is x for E and D.
func (st style) scientific(scratch []byte, x float64, f *edit) number {
	scale := st.scale
	if f.d <= 0 && scale == 0 {
		panic(&Error{Offset: f.at, Msg: kindName[f.kind] + " without digits", Status: statusFormat, Help: "write " + kindName[f.kind] + "w.d with a d that is not 0, or ES"})
	}
	if scale <= -f.d || scale >= f.d+2 {
		panic(&Error{Offset: f.at, Msg: "the scale factor of P is out of range", Status: statusFormat, Help: "it must be greater than -d and less than d+2"})
	}
	v := number{letter: 'E', after: f.d}
	if f.kind == editD {
		v.letter = 'D'
	}
	n := f.d
	switch {
	case scale < 0:
		v.zeros, v.after = -scale, f.d+scale
		n = v.after
	case scale > 0:
		v.before, v.after = scale, f.d-scale+1
		n = f.d + 1
	}
	v.digits, v.exp = st.significant(scratch, x, n)
	if v.exp++; x == 0 {
		v.exp = 0
	} else {
		v.exp -= scale
	}
	return v
}

// engineering is x for EN: the exponent is a multiple of three.
func (st style) engineering(scratch []byte, x float64, d int) number {
	v := number{letter: 'E', before: 1, after: d}
	if x == 0 {
		v.digits, _ = st.significant(scratch, 0, d+1)
		return v
	}
	exp := firstExponent(x)
	up := ((exp % 3) + 3) % 3
	digits, e := st.significant(scratch, x, d+1+up)
	if e != exp { // rounding has made one more digit: 9.99 is 10.0
		up = ((e % 3) + 3) % 3
		digits = append(digits[:0], '1')
		for len(digits) < d+1+up {
			digits = append(digits, '0')
		}
	}
	v.digits, v.before, v.exp = digits, up+1, e-up
	return v
}

// firstExponent is the decimal exponent of x, not rounded.
func firstExponent(x float64) int {
	var scratch [40]byte
	_, exp := split(strconv.AppendFloat(scratch[:0], x, 'e', -1, 64))
	return exp
}

// exponentText is the exponent e with its letter and sign; ok is false when it has
// more digits than the descriptor lets it have.
func exponentText(e int, letter byte, f *edit) (text []byte, ok bool) {
	abs := e
	if e < 0 {
		abs = -e
	}
	s := strconv.Itoa(abs)
	width := f.e
	switch {
	case width > 0 && len(s) > width:
		return nil, false
	case width == 0 || width < 0 && f.w == 0:
		width = len(s)
	case width < 0:
		if width = 2; abs > 99 {
			letter, width = 0, 3
		}
	}
	if letter != 0 {
		text = append(text, letter)
	}
	if e < 0 {
		text = append(text, '-')
	} else {
		text = append(text, '+')
	}
	for range width - len(s) {
		text = append(text, '0')
	}
	return append(text, s...), true
}

// special appends an infinity or NaN.
func (st style) special(dst []byte, x float64, w int) []byte {
	sign := byte(0)
	switch {
	case math.IsNaN(x):
	case math.Signbit(x):
		sign = '-'
	case st.plus:
		sign = '+'
	}
	if w <= 0 {
		if w = 3; sign != 0 {
			w = 4
		}
	}
	word := "NaN"
	if !math.IsNaN(x) {
		if word = "Inf"; w > 8 || w == 8 && sign == 0 {
			word = "Infinity"
		}
	}
	if w < 3 || w == 3 && sign == '-' {
		return stars(dst, w)
	}
	if w > len(word) && sign != 0 {
		word = string(sign) + word
	}
	dst = appendBlanks(dst, w-len(word))
	return append(dst, word...)
}

// integer appends n by I.
func (st style) integer(dst []byte, n int64, w, m int) []byte {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	switch {
	case n < 0:
		sign, digits = "-", digits[1:]
	case st.plus:
		sign = "+"
	}
	return appendInteger(dst, sign, digits, n == 0, w, m)
}

// appendInteger appends a number with at least m digits in w columns.
func appendInteger(dst []byte, sign, digits string, zero bool, w, m int) []byte {
	if zero && m == 0 {
		return appendBlanks(dst, max(w, 1))
	}
	zeros := max(m-len(digits), 0)
	n := len(sign) + zeros + len(digits)
	if w == 0 {
		w = n
	}
	if n > w {
		return stars(dst, w)
	}
	dst = appendBlanks(dst, w-n)
	dst = append(dst, sign...)
	for range zeros {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

func stars(dst []byte, w int) []byte {
	for range w {
		dst = append(dst, '*')
	}
	return dst
}

func appendBlanks(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, ' ')
	}
	return dst
}

func allZero(digits []byte) bool {
	for _, c := range digits {
		if c != '0' {
			return false
		}
	}
	return true
}
