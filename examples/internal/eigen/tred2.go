package eigen

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxOrder bounds what ReadTred2 allocates before it has seen the rows.
const maxOrder = 1 << 20

// ReadTred2 reads the tridiagonal matrix from the output of the example
// program tred2: the order n, then one line "i d(i) e(i)" for each i from 1 to
// n. What follows is left alone. The slices have the layout that Tridiagonal
// wants.
func ReadTred2(r io.Reader) (d, e []float64, err error) {
	scanner := bufio.NewScanner(r)
	line := 0
	fields := func() []string {
		if !scanner.Scan() {
			return nil
		}
		line++
		return strings.Fields(scanner.Text())
	}

	head := fields()
	if len(head) != 1 {
		return nil, nil, fmt.Errorf("line 1: found %q, want the order of the matrix", head)
	}
	n, err := strconv.Atoi(head[0])
	if err != nil || n < 1 || n > maxOrder {
		return nil, nil, fmt.Errorf("line 1: found %q, want the order of the matrix", head[0])
	}
	for i := 1; i <= n; i++ {
		row := fields()
		if err := scanner.Err(); err != nil {
			return nil, nil, err
		}
		if len(row) != 3 || row[0] != strconv.Itoa(i) {
			return nil, nil, fmt.Errorf("line %d: found %q, want row %d of %d: its number and two reals", line, row, i, n)
		}
		di, errD := strconv.ParseFloat(row[1], 64)
		ei, errE := strconv.ParseFloat(row[2], 64)
		if errD != nil || errE != nil {
			return nil, nil, fmt.Errorf("line %d: found %q, want row %d of %d: its number and two reals", line, row, i, n)
		}
		d = append(d, di)
		e = append(e, ei)
	}
	return d, e, nil
}
