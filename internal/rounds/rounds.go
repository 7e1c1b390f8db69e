// Package rounds compares the run times of programs on a machine that is not quiet:
// all run once in each round, in an order that changes at random, so that what else the
// machine does weighs on all of them.
package rounds

import (
	"math/rand/v2"
	"slices"
)

// Run calls one with each of the numbers below n, once in each of so many rounds, and
// returns the seconds that it tells, by number and round. Round 0 is to warm up, and its
// times are left out.
func Run(n, rounds int, one func(i, round int) (seconds float64, err error)) ([][]float64, error) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(1, 2))
	times := make([][]float64, n)
	for round := range rounds + 1 {
		r.Shuffle(n, func(i, k int) { order[i], order[k] = order[k], order[i] })
		for _, i := range order {
			s, err := one(i, round)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], s)
			}
		}
	}
	return times, nil
}

// Ratio is the median of the ratios of times that were taken in the same rounds, and
// half the distance of the quartiles of these ratios.
func Ratio(times, others []float64) (median, spread float64) {
	ratios := make([]float64, len(times))
	for i := range ratios {
		ratios[i] = times[i] / others[i]
	}
	return Quantile(ratios, 0.5), Spread(ratios)
}

// Spread is half the distance of the quartiles.
func Spread(list []float64) float64 { return (Quantile(list, 0.75) - Quantile(list, 0.25)) / 2 }

// Quantile of a list, by interpolation: 0.5 is the median. The list is not empty.
func Quantile(list []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	at := q * float64(len(sorted)-1)
	lo := int(at)
	if lo+1 == len(sorted) {
		return sorted[lo]
	}
	return sorted[lo] + (at-float64(lo))*(sorted[lo+1]-sorted[lo])
}
