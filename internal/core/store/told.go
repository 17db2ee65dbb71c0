package store

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/s2"

	"tenor/internal/domain/credit"
)

// Told is what a command told others: its events with their payloads, and its answer. They
// repeat one another: an order stands in its answer and in each of its events. Databases keep
// them packed, in one column of the command's row in the audit log.
type Told struct {
	Events []EventRow
	Answer *Answer // nil: none was stored, or it is sealed and kept beside its key
}

// Forms of a packed column, by their first byte. They are read forever.
const (
	toldPlain = 0   // as appendTo writes it
	toldS2    = 1   // the same in S2 with the first dictionary
	toldJSON  = '[' // a JSON array of events, as migrations write it
)

// maxTold bounds what a packed column may expand to.
const maxTold = 64 << 20

// told1 is the first dictionary: events as they are usually written. It must never change,
// since stored columns refer to it.
//
//go:embed told1.txt
var told1 []byte

// dictionary returns the first dictionary, prepared once.
var dictionary = sync.OnceValue(func() *s2.Dict { return s2.MakeDict(told1, nil) })

// ErrTold means that a packed column cannot be read.
var ErrTold = errors.New("store: what a command told others cannot be read")

// errForm means that a column has a form that this program does not know. A later one may have
// written it, so nobody passes over it.
var errForm = errors.New("store: an unknown form of what a command told others")

// Pack returns the stored form; nil if there is nothing to store.
func (t Told) Pack() []byte { return new(packer).pack(t) }

// packer packs many columns. What it encodes is about ten times as long as the packed form, so it
// reuses its buffers.
type packer struct{ plain, packed []byte }

func (p *packer) pack(t Told) []byte {
	if len(t.Events) == 0 && t.Answer == nil {
		return nil
	}
	p.plain = t.appendTo(p.plain[:0])
	if most := s2.MaxEncodedLen(len(p.plain)); cap(p.packed) < most {
		p.packed = make([]byte, most)
	}
	p.packed = dictionary().Encode(p.packed[:0], p.plain[1:])
	if len(p.packed) >= len(p.plain) {
		return bytes.Clone(p.plain)
	}
	return append(append(make([]byte, 0, 1+len(p.packed)), toldS2), p.packed...)
}

// appendTo appends events and answer with the length of each member in front of it.
func (t Told) appendTo(b []byte) []byte {
	b = append(b, toldPlain)
	b = appendAnswer(b, t.Answer)
	b = binary.AppendUvarint(b, uint64(len(t.Events)))
	for i := range t.Events {
		e := &t.Events[i]
		for _, s := range []string{e.ID, string(e.Type), e.Object.Type, e.Object.ID, e.Merchant} {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
		b = binary.AppendVarint(binary.AppendVarint(b, e.Sequence), e.Company)
		b = binary.AppendUvarint(b, uint64(len(e.Readers)))
		for _, s := range e.Readers {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
		b = optionalBytes(b, e.Payload)
	}
	return b
}

// appendAnswer appends what Unpack cannot know otherwise; 0 for no answer.
func appendAnswer(b []byte, a *Answer) []byte {
	if a == nil {
		return append(b, 0)
	}
	b = append(binary.AppendUvarint(b, uint64(len(a.Body))+1), a.Body...)
	b = binary.AppendUvarint(append(b, a.Request[:]...), uint64(a.Status))
	for _, s := range []string{a.ContentType, a.Location, a.ETag} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// optionalBytes appends a length, 0 for nil and one more than it is otherwise, and the bytes.
func optionalBytes(b, x []byte) []byte {
	if x == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(x))+1), x...)
}

// Unpack reads what Pack wrote, or a migration, in the row of commit q.
func Unpack(b []byte, q int64, at time.Time) (t Told, err error) {
	if len(b) == 0 {
		return Told{}, nil
	}
	switch b[0] {
	case toldJSON:
		t.Events, err = eventsOfJSON(b)
	case toldS2:
		if n, size := binary.Uvarint(b[1:]); size <= 0 || n > maxTold {
			return Told{}, fmt.Errorf("%w: commit %d", ErrTold, q)
		}
		var plain []byte
		if plain, err = dictionary().Decode(nil, b[1:]); err == nil {
			t, err = decodeTold(plain)
		}
	case toldPlain:
		t, err = decodeTold(b[1:])
	default:
		return Told{}, fmt.Errorf("%w: %d in commit %d", errForm, b[0], q)
	}
	if err != nil {
		return Told{}, fmt.Errorf("%w: commit %d: %w", ErrTold, q, err)
	}
	if t.Answer != nil {
		t.Answer.Q, t.Answer.At = q, at
	}
	for i := range t.Events {
		t.Events[i].Q, t.Events[i].N, t.Events[i].At = q, i, at
	}
	return t, nil
}

// toldReader reads what appendTo wrote. After an error it returns nothing.
type toldReader struct {
	b   []byte
	bad bool
}

func (r *toldReader) number() uint64 { return taken(r, binary.Uvarint) }

func (r *toldReader) signed() int64 { return taken(r, binary.Varint) }

func taken[N uint64 | int64](r *toldReader, read func([]byte) (N, int)) N {
	n, size := read(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *toldReader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *toldReader) text() string { return string(r.bytes(r.number())) }

func (r *toldReader) optional() []byte {
	n := r.number()
	if n == 0 {
		return nil
	}
	return r.bytes(n - 1)
}

func (r *toldReader) answer() *Answer {
	n := r.number()
	if n == 0 {
		return nil
	}
	a := &Answer{Body: r.bytes(n - 1)}
	copy(a.Request[:], r.bytes(uint64(len(a.Request))))
	a.Status = int(r.number())
	a.ContentType, a.Location, a.ETag = r.text(), r.text(), r.text()
	return a
}

// decodeTold reads the plain form without its first byte.
func decodeTold(b []byte) (t Told, err error) {
	r := toldReader{b: b}
	t.Answer = r.answer()
	events := r.number()
	if events > uint64(len(r.b)) { // each takes some bytes
		r.bad = true
	}
	for range events {
		if r.bad {
			break
		}
		var e EventRow
		e.ID, e.Type, e.Object.Type, e.Object.ID, e.Merchant = r.text(), credit.EventType(r.text()), r.text(), r.text(), r.text()
		e.Sequence, e.Company = r.signed(), r.signed()
		for n := r.number(); n > 0 && !r.bad; n-- {
			e.Readers = append(e.Readers, r.text())
		}
		e.Payload = r.optional()
		t.Events = append(t.Events, e)
	}
	if r.bad || len(r.b) > 0 {
		return Told{}, errors.New("it is damaged")
	}
	return t, nil
}

// eventsOfJSON reads the form that migrations write: what was stored in rows before.
func eventsOfJSON(b []byte) ([]EventRow, error) {
	var list []struct {
		ID         string   `json:"id"`
		Type       string   `json:"type"`
		ObjectType string   `json:"object_type"`
		ObjectID   string   `json:"object_id"`
		Sequence   int64    `json:"sequence"`
		Company    int64    `json:"company_id"`
		Merchant   string   `json:"merchant_id"`
		Readers    []string `json:"readers"`
		Payload    *string  `json:"payload"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	out := make([]EventRow, len(list))
	for i, x := range list {
		out[i] = EventRow{
			ID: x.ID, Type: credit.EventType(x.Type), Object: credit.ObjectRef{Type: x.ObjectType, ID: x.ObjectID}, Sequence: x.Sequence,
			Company: x.Company, Merchant: x.Merchant,
		}
		if len(x.Readers) > 0 {
			out[i].Readers = x.Readers
		}
		if x.Payload != nil {
			out[i].Payload = []byte(*x.Payload)
		}
	}
	return out, nil
}
