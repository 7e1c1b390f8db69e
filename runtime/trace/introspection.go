package trace

import (
	"slices"
	"strings"
)

// A running program asks for what has been measured of the PE so far: executions of regions
// that have ended, and activities. A look-up is an access to an array. Where nothing is
// measured everything is zero. All PEs have the same numbers for regions and activities.

// group is the regions of one name, but for those inside of each other.
type group []int

// groupOf finds the regions of a name, or that begin in a line.
func groupOf(name string, regions []Region) (g group) {
	in, err := inside(name, regions)
	if err != nil {
		return nil
	}
	for i, r := range regions {
		if in[i] && (r.Parent < 0 || !in[r.Parent]) {
			g = append(g, i)
		}
	}
	return g
}

// RegionID is the number of the regions of a name, or of the line that it is the number of;
// 0: there is none.
func (r *Recorder) RegionID(name string) int32 {
	if r == nil {
		return 0
	}
	name = strings.ToLower(strings.TrimSpace(name))
	id, known := r.ids[name]
	if !known {
		if g := groupOf(name, r.table); g != nil {
			r.groups = append(r.groups, g)
			id = int32(len(r.groups))
		}
		if r.ids == nil {
			r.ids = map[string]int32{}
		}
		r.ids[name] = id
	}
	return id
}

// group is the regions of a number that RegionID has given.
func (r *Recorder) group(id int32) group {
	if r == nil || id < 1 || int(id) > len(r.groups) {
		return nil
	}
	return r.groups[id-1]
}

// RegionCount is how often regions have been executed.
func (r *Recorder) RegionCount(id int32) (n int64) {
	for _, i := range r.group(id) {
		n += r.regions[i].Count
	}
	return n
}

// RegionSeconds is how long that took, with all that is inside.
func (r *Recorder) RegionSeconds(id int32) float64 {
	var ticks int64
	for _, i := range r.group(id) {
		ticks += r.regions[i].Total
	}
	return r.seconds(ticks)
}

// RegionBlocked is how long the PE has waited for others in regions, in others inside of them
// aside.
func (r *Recorder) RegionBlocked(id int32) float64 {
	var ticks int64
	for _, i := range r.group(id) {
		ticks += r.regions[i].Blocked
	}
	return r.seconds(ticks)
}

// transfers are the activities that are regions, of these kinds.
var transfers = [...]string{"input", "output"}

// ActivityID is the number of an activity by its name: put, get, ready, wait for ready, wait for
// arrival, reduction, broadcast, barrier, elided barrier, lock, input, output; 0: there is none.
func (r *Recorder) ActivityID(name string) int32 {
	if r == nil {
		return 0
	}
	name = strings.ToLower(strings.TrimSpace(name))
	for a := range activities {
		if a.String() == name {
			return int32(a) + 1
		}
	}
	i := slices.Index(transfers[:], name)
	if i < 0 {
		return 0
	}
	if r.transfers[i] == nil {
		r.transfers[i] = group{}
		for region, x := range r.table {
			if x.Kind == name {
				r.transfers[i] = append(r.transfers[i], region)
			}
		}
	}
	return int32(activities) + int32(i) + 1
}

// activity is the sum of an activity by its number, that of no activity for all other numbers.
func (r *Recorder) activity(id int32) Sum {
	if r == nil || id < 1 || int(id) > int(activities)+len(transfers) {
		return Sum{}
	}
	if id <= int32(activities) {
		return r.sums[id-1]
	}
	var all Sum
	for _, i := range r.transfers[id-1-int32(activities)] {
		if s := r.regions[i]; s.Count > 0 {
			if all.Count == 0 || s.Least < all.Least {
				all.Least = s.Least
			}
			all.Most = max(all.Most, s.Most)
			all.Count += s.Count
			all.Total += s.Total
		}
	}
	return all
}

// ActivityCalls is how often the PE has put, or waited, and so on.
func (r *Recorder) ActivityCalls(id int32) int64 { return r.activity(id).Count }

// ActivitySeconds is how long that took.
func (r *Recorder) ActivitySeconds(id int32) float64 { return r.seconds(r.activity(id).Total) }

// ActivityLeast is how long the shortest took.
func (r *Recorder) ActivityLeast(id int32) float64 { return r.seconds(r.activity(id).Least) }

// ActivityMost is how long the longest took.
func (r *Recorder) ActivityMost(id int32) float64 { return r.seconds(r.activity(id).Most) }

// ActivityBytes is how many bytes of data were moved by puts or gets.
func (r *Recorder) ActivityBytes(id int32) int64 {
	if r == nil || id < 1 || id > int32(activities) {
		return 0
	}
	return r.moved[id-1]
}

// seconds is a number of ticks in seconds, by the rate since the beginning of the run. That is
// measured again when twice the time has gone by.
func (r *Recorder) seconds(n int64) float64 {
	if n == 0 {
		return 0
	}
	if now := ticks() - r.clock.ticks; now >= 2*r.rated {
		r.rate, r.rated = r.clock.rate()/1e9, now
	}
	return float64(n) * r.rate
}
