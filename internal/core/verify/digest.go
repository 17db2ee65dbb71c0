package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"tenor/internal/core/store"
	"tenor/internal/domain/ledger"
)

// digester sums up what a commit posted or told. Texts are preceded by their
// length.
type digester struct {
	h    hash.Hash
	buf  []byte
	fed  bool
	sums [sha256.Size]byte
}

func newDigester() *digester { return &digester{h: sha256.New()} }

func (d *digester) numbers(list ...int64) {
	for _, n := range list {
		d.buf = binary.BigEndian.AppendUint64(d.buf, uint64(n))
	}
}

func (d *digester) texts(list ...string) {
	for _, s := range list {
		d.numbers(int64(len(s)))
		d.buf = append(d.buf, s...)
	}
}

// flush feeds the hash, which never fails.
func (d *digester) flush() {
	_, _ = d.h.Write(d.buf)
	d.buf, d.fed = d.buf[:0], true
}

func (d *digester) entry(e ledger.Entry) {
	d.texts(e.ID, string(e.Event), e.Cause, string(e.Currency), e.Reverses)
	d.numbers(int64(e.BookDate), int64(e.ValueDate), int64(len(e.Postings)))
	for _, p := range e.Postings {
		d.numbers(int64(p.Account), int64(p.Amount), p.Company, int64(p.Installment))
		d.texts(p.Merchant, p.Order, p.Payment)
	}
	d.flush()
}

func (d *digester) event(e store.EventRow) {
	d.texts(e.ID, string(e.Type), e.Object.Type, e.Object.ID, e.Merchant)
	d.numbers(e.Sequence, int64(e.N), e.Company, e.At.UnixMicro(), int64(len(e.Payload)))
	d.flush()
	_, _ = d.h.Write(e.Payload)
}

// keep files the digest under a commit and begins anew. Nothing is filed for a
// commit that posted nothing.
func (d *digester) keep(under map[int64][32]byte, q int64) {
	if d.fed {
		d.h.Sum(d.sums[:0])
		under[q] = d.sums
	}
	d.h.Reset()
	d.fed = false
}
