package credit_test

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"reflect"
	"testing"
	"time"

	"tenor/internal/domain/credit"
)

// digester adds up everything that a state holds, to the last unexported field: tests compare
// states before and after each command, and writing them down takes most of their time.
type digester struct{ seed maphash.Seed }

// digest is equal for equal states of one process.
func (w *world) digest(s *credit.State) uint64 {
	return w.digests.of(reflect.ValueOf(s))
}

func (d *digester) of(v reflect.Value) uint64 {
	var h maphash.Hash
	h.SetSeed(d.seed)
	d.add(&h, v)
	return h.Sum64()
}

func (d *digester) add(h *maphash.Hash, v reflect.Value) {
	number := func(n uint64) { _, _ = h.Write(binary.LittleEndian.AppendUint64(nil, n)) }
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			number(1)
		} else {
			number(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		number(v.Uint())
	case reflect.Float32, reflect.Float64:
		number(math.Float64bits(v.Float()))
	case reflect.String:
		number(uint64(v.Len()))
		_, _ = h.WriteString(v.String())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			number(0)
			return
		}
		number(1)
		d.add(h, v.Elem())
	case reflect.Struct:
		n := v.NumField()
		if v.Type() == reflect.TypeFor[time.Time]() {
			n-- // where it is shown; a location also remembers what it was asked last
		}
		for i := range n {
			d.add(h, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			number(math.MaxUint64)
		}
		number(uint64(v.Len()))
		for i := range v.Len() {
			d.add(h, v.Index(i))
		}
	case reflect.Map: // in no order
		sum := uint64(v.Len())
		for it := v.MapRange(); it.Next(); {
			var entry maphash.Hash
			entry.SetSeed(d.seed)
			d.add(&entry, it.Key())
			d.add(&entry, it.Value())
			sum += entry.Sum64()
		}
		number(sum)
	default:
		panic("a state holds a " + v.Type().String())
	}
}

// A digest knows a state with anything changed from the state before.
func TestDigest(t *testing.T) {
	w := newWorld(t)
	x := &credit.Order{Key: "o1", Version: 1}
	one := func(change func(*credit.State)) uint64 {
		s := credit.NewState()
		s.Orders["o1"], s.Credits[7], s.Claims[credit.Claim{Name: "b"}] = new(*x), []credit.Credit{{Company: 7}}, ""
		change(s)
		return w.digest(s)
	}
	same := one(func(*credit.State) {})
	if same != one(func(*credit.State) {}) {
		t.Error("equal states differ")
	}
	for name, change := range map[string]func(*credit.State){
		"a number": func(s *credit.State) { s.Orders["o1"].Version++ }, "a pointer": func(s *credit.State) { s.Orders["o1"] = nil },
		"a time": func(s *credit.State) { s.Orders["o1"].CreatedAt = time.Unix(1, 0) }, "a key": func(s *credit.State) { s.Orders["o2"] = nil },
		"an element": func(s *credit.State) { s.Credits[7][0].Company = 6 }, "a length": func(s *credit.State) { s.Credits[7] = nil },
		"a value": func(s *credit.State) { s.Claims[credit.Claim{Name: "b"}] = "x" },
	} {
		if one(change) == same {
			t.Errorf("%s has changed, and the digest has not", name)
		}
	}
}
