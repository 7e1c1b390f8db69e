package dist

// How far apart elements lie in memory is decided here. A column, or a plane of columns,
// begins on a cache line of its own, and its length is none at which the same elements of the
// next ones fall on the same places of the caches.
const (
	line = 64 // bytes of a cache line
	// crowded is the distance in bytes whose multiples are too near to 4096, after which places
	// of the first cache come again.
	crowded = 1024
	// worthwhile is how many bytes a column has at least for which it pays to fill its last
	// cache line.
	worthwhile = 8 * line
)

// NextStride is the distance, in elements of size bytes, of elements that are neighbours along
// the axis behind one of n elements, which lie stride apart. It depends on these alone, so that
// compiled programs may count on it.
func NextStride(stride, n, size int) int {
	stride *= n
	if bytes := stride * size; n > 1 && bytes >= worthwhile && line%size == 0 {
		bytes = (bytes + line - 1) / line * line
		if bytes%crowded == 0 {
			bytes += line
		}
		return bytes / size
	}
	return stride
}
