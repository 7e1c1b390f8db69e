//go:build race

package inproc

import "runtime"

// Parking and waking make happens-before edges between PEs that the program
// has not asked for, and that would hide its missing synchronisation from the
// race detector. They are hidden from the detector: only flags, barriers,
// reductions and broadcasts order PEs.
func hideSync() { runtime.RaceDisable() }
func showSync() { runtime.RaceEnable() }

// spinLoads is lower than in other builds: each load takes so much longer.
const spinLoads = 1 << 14
