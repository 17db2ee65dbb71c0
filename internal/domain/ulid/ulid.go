// Package ulid writes identifiers: a prefix for the kind, and 26 digits of Crockford's base 32
// in the layout of a ULID. The first 48 bits are milliseconds, so that identifiers sort by
// time; the other 80 bits distinguish them. The caller decides where those come from: a
// command's seed, a hash or randomness.
package ulid

import (
	"encoding/binary"
	"strings"
	"time"
)

// Digits are the digits of Crockford's base 32, without I, L, O and U, in byte order.
const Digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Length is the number of digits after the prefix.
const Length = 26

// New returns the identifier of an instant, to the millisecond. apart distinguishes it from
// others of the same millisecond.
func New(prefix string, at time.Time, apart [10]byte) string {
	return At(prefix, at.UnixMilli(), apart)
}

// At is New for an instant in milliseconds since 1970 UTC.
func At(prefix string, ms int64, apart [10]byte) string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(ms)<<16)
	copy(raw[6:], apart[:])
	hi, lo := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	out := make([]byte, len(prefix)+Length)
	copy(out, prefix)
	for i := len(out) - 1; i >= len(prefix); i-- {
		out[i] = Digits[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out)
}

// Is reports whether a text could be the digits of an identifier, without its prefix.
func Is(text string) bool {
	return len(text) == Length && strings.Trim(text, Digits) == ""
}

// Millisecond returns the milliseconds since 1970 UTC of an identifier, with its prefix; false
// if it is none.
func Millisecond(id string) (ms int64, ok bool) {
	const timeDigits = 10
	if len(id) < Length || !Is(id[len(id)-Length:]) {
		return 0, false
	}
	for _, digit := range []byte(id[len(id)-Length : len(id)-Length+timeDigits]) {
		ms = ms<<5 | int64(strings.IndexByte(Digits, digit))
	}
	return ms, ms < 1<<48
}
