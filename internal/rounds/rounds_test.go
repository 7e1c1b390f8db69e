package rounds

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestRun(t *testing.T) {
	var calls [][2]int
	times, err := Run(3, 4, func(i, round int) (float64, error) {
		calls = append(calls, [2]int{i, round})
		return float64(10*i + round), nil
	})
	if err != nil || len(calls) != 15 {
		t.Fatalf("%v, %d calls", err, len(calls))
	}
	for i, list := range times {
		for k, s := range list {
			if s != float64(10*i+k+1) || len(list) != 4 {
				t.Errorf("%d: %v", i, list)
			}
		}
	}
	same := true
	for k, c := range calls {
		same = same && c[0] == calls[k%3][0]
		if c[1] != k/3 {
			t.Errorf("call %d is of round %d", k, c[1])
		}
	}
	if same {
		t.Error("the order is that of the first round in all")
	}
	wrong := errors.New("wrong")
	if _, err := Run(2, 2, func(i, round int) (float64, error) {
		if round == 1 {
			return 0, wrong
		}
		return 1, nil
	}); err != wrong {
		t.Error(err)
	}
}

func TestStatistics(t *testing.T) {
	for _, c := range []struct {
		list []float64
		q    float64
		want float64
	}{
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 2, 3}, 0.5, 2.5},
		{[]float64{4, 1, 2, 3, 5}, 0.25, 2},
		{[]float64{7}, 0.75, 7},
		{[]float64{1, 2}, 0, 1},
		{[]float64{1, 2}, 1, 2},
	} {
		before := slices.Clone(c.list)
		if got := Quantile(c.list, c.q); math.Abs(got-c.want) > 1e-15 || !slices.Equal(before, c.list) {
			t.Errorf("quantile %g of %v is %g, want %g", c.q, before, got, c.want)
		}
	}
	if s := Spread([]float64{1, 2, 3, 4, 5}); s != 1 {
		t.Errorf("spread %g", s)
	}
	// The ratio is that of rounds: a machine that becomes slower slows both.
	if m, s := Ratio([]float64{1, 2, 40}, []float64{2, 4, 80}); m != 0.5 || s != 0 {
		t.Errorf("ratio %g, spread %g", m, s)
	}
}
