//go:build race

package spmd

// raceDetector reports whether the tests run under the race detector.
const raceDetector = true
