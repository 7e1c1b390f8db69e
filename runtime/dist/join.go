package dist

// Join makes box the union with another one, if that is a box.
func Join(box, other []Triplet) bool {
	axis := -1
	for d := range box {
		if box[d] == other[d] {
			continue
		}
		if axis >= 0 {
			return partOf(other, box) || partOf(box, other) && copy(box, other) > 0
		}
		axis = d
	}
	if axis < 0 {
		return true
	}
	a, b := box[axis], other[axis]
	if a.Step != 1 && a.N > 1 || b.Step != 1 && b.N > 1 || max(a.Lo, b.Lo) > min(a.Hi(), b.Hi())+1 {
		return false
	}
	box[axis] = Range(min(a.Lo, b.Lo), max(a.Hi(), b.Hi()), 1)
	return true
}

// partOf reports whether a is a part of b, both without gaps.
func partOf(a, b []Triplet) bool {
	for d := range a {
		if a[d] != b[d] && (a[d].Step != 1 && a[d].N > 1 || b[d].Step != 1 && b[d].N > 1 || a[d].Lo < b[d].Lo || a[d].Hi() > b[d].Hi()) {
			return false
		}
	}
	return true
}
