package record

import "strconv"

// AppendFloat appends x, which is not negative, as strconv.AppendFloat does by the formats
// e and f, with prec digits behind the point, rounded as round says: U up, Z or D down,
// C to the nearest and up in the middle, any other to the nearest, in the middle to an
// even digit. The decimal number that is rounded is exact.
//
//	AppendFloat(nil, 1.21, 'f', 1, 'U')      // 1.3
func AppendFloat(dst []byte, x float64, form byte, prec int, round byte) []byte {
	if round != 'U' && round != 'Z' && round != 'D' && round != 'C' {
		return strconv.AppendFloat(dst, x, form, prec, 64)
	}
	digits, exp := exactly(x)
	n := prec + 1 // digits that stay
	if form == 'f' {
		n += exp
	}
	up := false
	switch {
	case round == 'U':
		up = x != 0 && !onlyZeros(digits[min(max(n, 0), len(digits)):])
	case round == 'C':
		up = n >= 0 && n < len(digits) && digits[n] >= '5'
	}
	digits = digits[:min(max(n, 0), len(digits))]
	if form == 'f' {
		return appendPlain(dst, digits, exp, prec, up)
	}
	for len(digits) < n {
		digits = append(digits, '0')
	}
	if up && increment(digits) {
		digits[0] = '1'
		exp++
	}
	if dst = append(dst, digits[0]); prec > 0 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, int64(exp), 10)
}

// OfMagnitude is the mode that rounds the magnitude of a number as round rounds the number.
func OfMagnitude(round byte, negative bool) byte {
	switch {
	case round == 'U' && negative:
		return 'D'
	case round == 'D' && negative:
		return 'U'
	}
	return round
}

// exactly is x as digits with the point behind the first, times 10**exp.
func exactly(x float64) (digits []byte, exp int) {
	const longest = 767 // significant digits of a number of 64 bits
	s := strconv.AppendFloat(nil, x, 'e', longest, 64)
	mark := 2 + longest // of the e
	exp, _ = strconv.Atoi(string(s[mark+1:]))
	s[1] = s[0]
	return s[1:mark:mark], exp
}

// appendPlain appends the digits of which the first counts 10**exp, with prec digits
// behind the point; up adds one to the last.
func appendPlain(dst []byte, digits []byte, exp, prec int, up bool) []byte {
	whole := max(exp+1, 1) // digits in front of the point
	all := make([]byte, whole+prec)
	for i := range all {
		all[i] = '0'
	}
	copy(all[min(whole-1-exp, len(all)):], digits)
	if up && increment(all) {
		dst = append(dst, '1')
	}
	if dst = append(dst, all[:whole]...); prec > 0 {
		dst = append(append(dst, '.'), all[whole:]...)
	}
	return dst
}

// increment adds one to the last digit. carried reports that all were nines, which are
// zeros now.
func increment(digits []byte) (carried bool) {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return false
		}
		digits[i] = '0'
	}
	return true
}

func onlyZeros(digits []byte) bool {
	for _, c := range digits {
		if c != '0' {
			return false
		}
	}
	return true
}
