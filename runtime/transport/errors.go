package transport

import "fmt"

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
