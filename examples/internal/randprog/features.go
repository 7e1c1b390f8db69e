package randprog

// fullRun is the number of consecutive seeds that cover every kernel and every
// feature of features; longRun covers those of rareFeatures too.
const (
	fullRun = 40
	longRun = 400
)

// Required returns the features that n programs of consecutive seeds must
// cover: none when n is too small to ask for that.
func Required(n int) []string {
	var out []string
	if n >= fullRun {
		for _, k := range kernels {
			out = append(out, "kernel:"+k.name)
		}
		out = append(out, features...)
	}
	if n >= longRun {
		out = append(out, rareFeatures...)
	}
	return out
}

var features, rareFeatures []string
