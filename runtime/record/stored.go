package record

// Stored is an item of input of which files have so many bytes: an INTEGER(1) or (2), where Item is an *int32, or
// a LOGICAL(1), (2) or (8), where it is a *bool.
type Stored struct {
	Item  any
	Bytes int
}
