package elide

// Access is the summary of the memory accesses of a part of a run, usually what
// one PE, or all PEs, did between two barriers: the S of section 3 of the paper.
// The values descend in what others can observe: a lower one hides a higher one.
type Access uint8

const (
	// Remote, the paper's R: memory of another PE was read or written.
	Remote Access = iota
	// Local, the paper's L: the PE's own part of shared memory was read or
	// written, which other PEs may read and write too.
	Local
	// Private, the paper's N: only memory that no other PE can reach.
	Private
)

// Meet is the summary of two parts together (Definition 1): the minimum in the
// order R < L < N.
func (a Access) Meet(b Access) Access { return min(a, b) }

// String is the paper's letter.
func (a Access) String() string {
	switch a {
	case Remote:
		return "R"
	case Local:
		return "L"
	case Private:
		return "N"
	}
	return "?"
}

// describe is a word for messages.
func (a Access) describe() string {
	switch a {
	case Remote:
		return "remote access"
	case Local:
		return "access to its own shared memory"
	}
	return "no shared access"
}

// Table1 is the ideal rule for a barrier between two global summaries: whether
// it may be deleted, and the summary that holds after it. Deleting it joins what
// it parted; keeping it makes the past irrelevant.
func Table1(before, after Access) (redundant bool, summary Access) {
	switch {
	case before == Private, after == Private: // rules 1, 2, 3, 4, 7
		return true, before.Meet(after)
	case before == Local && after == Local: // rule 5: each PE in its own part
		return true, Local
	}
	return false, after // rules 6, 8, 9
}

// Table3 is the practical rule, which looks only at what was before: all
// summaries N (rule 1). It does not depend on the order of deletions, nor does a
// deletion by it change what may be deleted later (section 3.2).
func Table3(before Access) (redundant bool) { return before == Private }

// Redundant applies Table 1 to a whole trace: summaries[i] is the global summary
// before barrier i, and the last one is that after the last barrier. The result
// has an element for each barrier and as many true as any order of applications
// reaches: parts can be joined when no two of them conflict, every range of such
// parts is one too, so that joining as long as possible from the left leaves the
// fewest barriers.
func Redundant(summaries []Access) []bool {
	if len(summaries) == 0 {
		return nil
	}
	redundant := make([]bool, len(summaries)-1)
	before := summaries[0]
	for i := range redundant {
		redundant[i], before = Table1(before, summaries[i+1])
	}
	return redundant
}
