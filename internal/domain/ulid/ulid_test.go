package ulid

import (
	"slices"
	"testing"
	"time"
)

// The first three are examples of the ULID specification's layout, worked out by hand: the
// first ten digits are 48 bits of time, the other sixteen 80 bits.
func TestNew(t *testing.T) {
	last := [10]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255}
	for _, c := range []struct {
		ms    int64
		apart [10]byte
		want  string
	}{
		{0, [10]byte{}, "evt_00000000000000000000000000"},
		{1, [10]byte{9: 1}, "evt_00000000010000000000000001"},
		{1<<48 - 1, last, "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		{1469918176385, [10]byte{}, "evt_01ARYZ6S410000000000000000"}, // 2016-07-30T22:36:16.385Z
	} {
		if got := New("evt_", time.UnixMilli(c.ms), c.apart); got != c.want {
			t.Errorf("%d: %s, want %s", c.ms, got, c.want)
		}
	}
}

func TestInOrderOfTime(t *testing.T) {
	var ids []string
	for ms := range int64(5000) {
		ids = append(ids, At("", 1767225600000+ms, [10]byte{byte(ms * 77)}))
	}
	if !slices.IsSorted(ids) {
		t.Error("identifiers are not in order of their times")
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"01ARYZ6S410000000000000000": true, "01ARYZ6S41000000000000000": false, "01aryz6s410000000000000000": false,
		"01ARYZ6S41000000000000000U": false, "01ARYZ6S410000000000000é00": false, "": false,
	} {
		if Is(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

// The instant of an identifier is read back from it, whatever its prefix.
func TestMillisecond(t *testing.T) {
	for _, ms := range []int64{0, 1, 1767225600123, 1<<48 - 1} {
		if got, ok := Millisecond(At("evt_", ms, [10]byte{255, 1})); !ok || got != ms {
			t.Errorf("%d became %d, %t", ms, got, ok)
		}
	}
	for _, text := range []string{"", "evt_1", "evt_01aryz6s410000000000000000", "evt_80000000000000000000000000"} {
		if got, ok := Millisecond(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}
