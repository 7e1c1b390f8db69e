package traces

import "encoding/binary"

// proto is a message of protocol buffers under construction.
type proto []byte

// Wire types.
const (
	varint  = 0
	fixed64 = 1
	lengthy = 2
)

func (p *proto) tag(field, wire int) { *p = binary.AppendUvarint(*p, uint64(field)<<3|uint64(wire)) }

func (p *proto) uint(field int, v uint64) {
	p.tag(field, varint)
	*p = binary.AppendUvarint(*p, v)
}

func (p *proto) fixed(field int, v uint64) {
	p.tag(field, fixed64)
	*p = binary.LittleEndian.AppendUint64(*p, v)
}

func (p *proto) text(field int, s string) { p.message(field, proto(s)) }

func (p *proto) message(field int, m proto) {
	p.tag(field, lengthy)
	*p = binary.AppendUvarint(*p, uint64(len(m)))
	*p = append(*p, m...)
}
