package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"io"

	"tenor/internal/core/store"
)

// AuditDigest is the digest of a batch: SHA-256 over its rules version, its wire format
// version (store.Batch) and its audit rows in order. The chain's next hash is
// SHA-256(previous hash ‖ digest) (AU5). Verify recomputes it from the stored rows, so its
// form is fixed forever:
//
//	"tenor audit 1\n", the rules version, the wire format version, the
//	number of rows, and for each row: its index from 0, the instant in
//	microseconds since 1970, then client, merchant, operator (one byte, 0 or 1),
//	request id, idempotency key, address, company, object, command, payload,
//	seed, result and hash of the body.
//
// Numbers are 8 bytes, big-endian. Every text and byte string is preceded by its length as
// such a number. The commit sequence is not part of it: it is assigned while the batch is
// written, and the index represents it.
func AuditDigest(rules int, wire string, rows []store.Audit) [32]byte {
	h := sha256.New()
	w := digestWriter{h: h}
	w.raw("tenor audit 1\n")
	w.number(int64(rules))
	w.text(wire)
	w.number(int64(len(rows)))
	for i := range rows {
		w.row(i, &rows[i])
	}
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}

// digestWriter feeds a hash, or another writer whose Write never fails.
type digestWriter struct {
	h   io.Writer
	buf []byte // reused, so that a row costs no allocation
}

func (w *digestWriter) row(index int, a *store.Audit) {
	w.number(int64(index))
	w.number(a.At.UnixMicro())
	w.text(a.Actor.Client)
	w.text(a.Actor.Merchant)
	operator := "\x00"
	if a.Actor.Operator {
		operator = "\x01"
	}
	w.text(operator)
	w.text(a.Actor.RequestID)
	w.text(a.Actor.Key)
	w.text(a.Address)
	w.number(a.Company)
	w.text(a.Object)
	w.text(a.Command)
	w.bytes(a.Payload)
	w.bytes(a.Seed[:])
	w.text(a.Result)
	w.bytes(a.BodyHash[:])
}

func (w *digestWriter) raw(s string) {
	w.buf = append(w.buf[:0], s...)
	_, _ = w.h.Write(w.buf)
}

func (w *digestWriter) number(n int64) {
	w.buf = binary.BigEndian.AppendUint64(w.buf[:0], uint64(n))
	_, _ = w.h.Write(w.buf)
}

func (w *digestWriter) text(s string) {
	w.number(int64(len(s)))
	w.raw(s)
}

func (w *digestWriter) bytes(b []byte) {
	w.number(int64(len(b)))
	_, _ = w.h.Write(b)
}
