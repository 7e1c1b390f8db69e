package transport

import (
	"errors"
	"fmt"
)

// ErrElsewhere is the error of a run that failed in another process, which has the reason.
var ErrElsewhere = errors.New("the run failed in another process")

// Lost is the error of a PE whose process has ended without having come to its end. Site is
// where it waited, -1 if it did not. Far: nothing comes from its host any more; Site is where a PE waited
// that found out.
type Lost struct {
	PE, Site int
	Far      bool
}

func (e *Lost) Error() string {
	if e.Far {
		return "its host cannot be reached any more: it, or the network, has failed"
	}
	return "its process has ended: somebody or something has killed it"
}

// Overrun is the error of a flag that is ahead of the epoch waited for: a
// message overtook its consumer, because a ready message is missing.
type Overrun struct {
	PE, Site  int    // the PE that waited, at which site
	What      string // "put" or "ready message"
	From      int    // who sent it
	Want, Got uint64
}

func (e *Overrun) Error() string {
	return fmt.Sprintf("overrun: expected the %s of epoch %d from PE %d, found epoch %d", e.What, e.Want, e.From, e.Got)
}

// Diverged is the error of PEs that met in one collective operation coming from
// different sites.
type Diverged struct {
	PE, Site         int
	Other, OtherSite int
}

func (e *Diverged) Error() string {
	return fmt.Sprintf("control diverged: PE %d is at site %d while PE %d is at site %d", e.PE, e.Site, e.Other, e.OtherSite)
}
