package dist_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestPosition compares with numbers of any size: what is accepted is right, and all
// that fits is accepted but where a product alone is too far.
func TestPosition(t *testing.T) {
	near := func() int {
		n := rand.Int64() >> rand.IntN(64)
		if rand.IntN(2) == 0 {
			n = -n - 1
		}
		if rand.IntN(4) == 0 {
			n = []int64{0, 1, -1, dist.MaxPosition, -dist.MaxPosition, dist.MaxPosition + 1, 1<<63 - 1, -1 << 63}[rand.IntN(8)]
		}
		return int(n)
	}
	most := big.NewInt(dist.MaxPosition)
	accepted := 0
	for range 200_000 {
		a, i, b := near(), near(), near()
		product := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(i)))
		sum := new(big.Int).Add(product, big.NewInt(int64(b)))
		fits := sum.CmpAbs(most) <= 0 && product.CmpAbs(new(big.Int).Lsh(most, 1)) <= 0 && big.NewInt(int64(b)).CmpAbs(most) <= 0
		got, ok := dist.Position(a, i, b)
		if ok != fits || ok && sum.Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("Position(%d, %d, %d) = %d, %v; it is %v", a, i, b, got, ok, sum)
		}
		if ok {
			accepted++
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d accepted", accepted)
	}
}
