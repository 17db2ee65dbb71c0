package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

func auditRow() store.Audit {
	return store.Audit{
		At:      time.Date(2026, time.March, 6, 17, 0, 0, 123456000, time.UTC),
		Actor:   credit.Actor{Client: "cli_1", Merchant: "mch_1", RequestID: "req_1", Key: "k"},
		Address: "192.0.2.1", Company: 4821073356, Object: "ord_1", Command: "order.create",
		Payload: []byte(`{"a":1}`), Seed: [16]byte{1, 2, 3}, Result: "ok", BodyHash: [32]byte{4, 5, 6},
	}
}

// The form of the digest is fixed: it is written out here a second time, following its
// documentation.
func TestAuditDigestForm(t *testing.T) {
	var b []byte
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	text := func(s string) { number(int64(len(s))); b = append(b, s...) }
	b = append(b, "tenor audit 1\n"...)
	number(3)
	text("2026-11-20")
	number(2)
	for i := range int64(2) {
		number(i)
		number(1772816400123456)
		for _, s := range []string{"cli_1", "mch_1", "\x00", "req_1", "k", "192.0.2.1"} {
			text(s)
		}
		number(4821073356)
		for _, s := range []string{
			"ord_1", "order.create", `{"a":1}`, "\x01\x02\x03" + string(make([]byte, 13)), "ok", "\x04\x05\x06" + string(make([]byte, 29)),
		} {
			text(s)
		}
	}
	if got, want := AuditDigest(3, "2026-11-20", []store.Audit{auditRow(), auditRow()}), sha256.Sum256(b); got != want {
		t.Errorf("digest %x, want %x", got, want)
	}
}

// Every field of a row, and the order of rows, changes the digest (AU4).
func TestAuditDigestCoversEverything(t *testing.T) {
	rows := []store.Audit{auditRow(), {}}
	seen := map[[32]byte]string{
		AuditDigest(1, "v1", rows): "nothing", AuditDigest(1, "v1", []store.Audit{{}, auditRow()}): "order",
		AuditDigest(2, "v1", rows): "rules", AuditDigest(1, "v2", rows): "wire",
	}
	if len(seen) != 4 {
		t.Errorf("some change does not matter: %v", seen)
	}
	var walk func(name string, at func(*store.Audit) reflect.Value)
	walk = func(name string, at func(*store.Audit) reflect.Value) {
		a := auditRow()
		v := at(&a)
		if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				walk(name+"."+v.Type().Field(i).Name, func(a *store.Audit) reflect.Value { return at(a).Field(i) })
			}
			return
		}
		change(t, name, v)
		sum := AuditDigest(1, "v1", []store.Audit{a, {}})
		if other, ok := seen[sum]; ok {
			t.Errorf("a change of %s gives the digest of a change of %s", name, other)
		}
		seen[sum] = name
	}
	walk("row", func(a *store.Audit) reflect.Value { return reflect.ValueOf(a).Elem() })
	if len(seen) < 17 {
		t.Errorf("only %d fields were changed", len(seen)-4)
	}
}

func change(t *testing.T, name string, v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = x.Add(time.Microsecond)
	case *string:
		*x += "x"
	case *bool:
		*x = !*x
	case *int64:
		*x++
	case *[]byte:
		*x = append(*x, ' ')
	case *[16]byte:
		x[15]++
	case *[32]byte:
		x[31]++
	default:
		t.Fatalf("%s has a type that the digest does not know: %T", name, x)
	}
}
