package spmd

// CoBroadcastText is CO_BROADCAST of a CHARACTER scalar of a length. An undefined one has no characters.
func CoBroadcastText(pe *PE, site, image, length int, x string) string {
	broadcastTexts(pe, site, image, length, 1, func(int) *string { return &x })
	return x
}

// CoBroadcastTexts is CO_BROADCAST of a section of CHARACTER elements of a length.
func CoBroadcastTexts(pe *PE, site, image, length int, a *Array[string], part ...Span) {
	count, at := a.each(part)
	broadcastTexts(pe, site, image, length, count, at)
}

// broadcastTexts sends texts as words of eight characters.
func broadcastTexts(pe *PE, site, image, length, count int, at func(i int) *string) {
	const each = 8
	per := (length + each - 1) / each
	buffer := make([]byte, 0, per*each)
	pe.collect(site, image, coBroadcast, count*per, func(i int) uint64 {
		if image != pe.images.teams.current.index+1 {
			return 0
		}
		text, from := given(pe, image, coBroadcast, *at(i / per)), i%per*each
		var w uint64
		for k := from; k < min(from+each, len(text)); k++ {
			w |= uint64(text[k]) << (8 * (k - from))
		}
		return w
	}, func(i int, word func(int) uint64) {
		w := word(image - 1)
		if i%per == 0 {
			buffer = buffer[:0]
		}
		for k := range each {
			buffer = append(buffer, byte(w>>(8*k)))
		}
		if i%per == per-1 {
			*at(i / per) = string(buffer[:length])
		}
	})
}
