package calendar

import (
	"testing"
	"time"
)

// dateProperty describes what is wrong with a reader's result for a text: it must be written
// as it was read, and the standard library must read the same day.
func dateProperty(read func(string) (Date, error), text string) string {
	d, err := read(text)
	if err != nil {
		return ""
	}
	other, err := time.Parse("2006-01-02", text)
	switch {
	case err != nil:
		return text + " is taken, and the library says " + err.Error()
	case d.String() != text:
		return text + " is written as " + d.String()
	case !other.Equal(d.utc()):
		return text + " is another day for the library"
	}
	return ""
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2026-02-28", "2024-02-29", "2026-02-29", "0000-01-01", "1970-01-01", "2999-12-31", "2026-1-1", "２０２６-01-01", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if complaint := dateProperty(Parse, text); complaint != "" {
			t.Fatal(complaint)
		}
		var d Date
		if err := d.UnmarshalJSON([]byte(text)); err == nil {
			if again, err := d.MarshalJSON(); err != nil || string(again) != text {
				t.Fatalf("%s is written as %s, %v", text, again, err)
			}
		}
	})
}

// A reader that takes 30 February for 2 March is detected.
func TestFuzzCanFail(t *testing.T) {
	lax := func(text string) (Date, error) { return Of(2026, 2, 30), nil }
	if dateProperty(lax, "2026-02-30") == "" {
		t.Error("not seen: 30 February")
	}
}
