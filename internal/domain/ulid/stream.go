package ulid

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Stream generates a command's identifiers from its seed: deciding the same command again
// generates the same ones.
type Stream struct {
	seed [16]byte
	ms   int64
	n    uint32
}

// StreamOf generates identifiers without an instant, such as a company's, from a seed.
func StreamOf(seed [16]byte) Stream { return Stream{seed: seed} }

// StreamAt generates identifiers of an instant from a seed.
func StreamAt(seed [16]byte, at time.Time) Stream { return Stream{seed: seed, ms: at.UnixMilli()} }

// Skip continues after the first n blocks, which are already used.
func (g *Stream) Skip(n uint32) { g.n = n }

// Next returns a new identifier in the ULID layout: 48 bits of milliseconds,
// then 80 bits of the seed's stream.
func (g *Stream) Next(prefix string) string {
	h := g.Block()
	return At(prefix, g.ms, [10]byte(h[:10]))
}

// Company identifiers have ten digits and exceed 32 bits, so that a program storing them in
// too small an integer fails on the first one, in a sandbox as in production.
const (
	lowestCompany  = 1 << 31
	highestCompany = 9_999_999_999
)

// CompanyID returns a random identifier of a company.
func (g *Stream) CompanyID() int64 {
	h := g.Block()
	return lowestCompany + int64(binary.BigEndian.Uint64(h[:8])%(highestCompany-lowestCompany+1))
}

// Block returns the next bytes of the seed's stream.
func (g *Stream) Block() [32]byte {
	var b [20]byte
	copy(b[:], g.seed[:])
	binary.BigEndian.PutUint32(b[16:], g.n)
	g.n++
	return sha256.Sum256(b[:])
}
