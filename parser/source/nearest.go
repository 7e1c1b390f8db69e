package source

// Nearest returns the word that differs from s in the least number of letters,
// of several the one that begins alike for longest, "" when none is near.
func Nearest(s string, words ...string) string {
	best, found := 1+len(s)/4, ""
	for _, w := range words {
		if len(s) > 2 {
			d := distance(s, w)
			if d < best || d == best && (found == "" || alike(s, w) > alike(s, found)) {
				best, found = d, w
			}
		}
	}
	return found
}

// alike is the number of letters with which both begin.
func alike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// distance is the number of letters to insert, remove, replace or swap with
// their neighbour to turn a into b.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 4
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	prev, cur := rows[1], rows[2]
	older := rows[0]
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, prev, cur = prev, cur, older
	}
	return prev[len(b)]
}
