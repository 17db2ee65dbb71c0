package calendar

import (
	"testing"
	"time"
	_ "time/tzdata" // so that the test has every zone on any machine

	"pgregory.net/rapid"
)

func zone(t interface{ Fatal(...any) }, name string) Zone {
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return NewZone(location)
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestBusinessDate(t *testing.T) {
	tests := []struct{ zone, at, want string }{
		{NewYork, "2026-07-01T03:30:00Z", "2026-06-30"}, // 23:30 Eastern, F30
		{NewYork, "2026-07-01T04:00:00Z", "2026-07-01"},
		{NewYork, "2026-01-15T04:59:59Z", "2026-01-14"},
		{NewYork, "2026-01-15T05:00:00Z", "2026-01-15"},
		{NewYork, "2026-03-08T07:00:00Z", "2026-03-08"}, // the instant of the gap
		{NewYork, "2026-11-01T05:30:00Z", "2026-11-01"}, // 01:30, first time
		{NewYork, "2026-11-01T06:30:00Z", "2026-11-01"}, // 01:30, second time
		{"Pacific/Kiritimati", "2026-01-15T10:00:00Z", "2026-01-16"},
		{"Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"}, // the 30th never existed
		{"UTC", "2026-01-15T00:00:00Z", "2026-01-15"},
	}
	for _, test := range tests {
		if got := zone(t, test.zone).Date(instant(t, test.at)); got.String() != test.want {
			t.Errorf("%s is %s in %s, want %s", test.at, got, test.zone, test.want)
		}
	}
}

func TestStart(t *testing.T) {
	tests := []struct{ zone, date, want string }{
		{NewYork, "2026-01-15", "2026-01-15T05:00:00Z"},
		{NewYork, "2026-03-08", "2026-03-08T05:00:00Z"}, // a day of 23 hours
		{NewYork, "2026-03-09", "2026-03-09T04:00:00Z"},
		{NewYork, "2026-11-01", "2026-11-01T04:00:00Z"}, // a day of 25 hours
		{NewYork, "2026-11-02", "2026-11-02T05:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z"}, // set back by half an hour
		{"Australia/Lord_Howe", "2026-04-06", "2026-04-05T13:30:00Z"},
		{"Pacific/Kiritimati", "2026-01-16", "2026-01-15T10:00:00Z"},
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"}, // skipped: with the 31st
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"}, // 00:00 was skipped
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},    // 00:00 comes twice
		{"Asia/Beirut", "2022-03-27", "2022-03-26T22:00:00Z"},       // 00:00 was skipped
	}
	for _, test := range tests {
		z, d := zone(t, test.zone), MustParse(test.date)
		if got := z.Start(d); !got.Equal(instant(t, test.want)) || got.Location() != time.UTC {
			t.Errorf("%s starts at %s in %s, want %s", test.date, got, test.zone, test.want)
		}
		if got := z.End(d - 1); !got.Equal(instant(t, test.want).Add(-time.Microsecond)) {
			t.Errorf("the day before %s ends at %s in %s", test.date, got, test.zone)
		}
	}
}

func TestAt(t *testing.T) {
	tests := []struct {
		zone, date   string
		hour, minute int
		want         string
	}{
		{NewYork, "2026-01-15", 16, 0, "2026-01-15T21:00:00Z"},
		{NewYork, "2026-07-15", 16, 0, "2026-07-15T20:00:00Z"},
		{NewYork, "2026-03-08", 1, 59, "2026-03-08T06:59:00Z"},
		{NewYork, "2026-03-08", 2, 0, "2026-03-08T07:00:00Z"},
		{NewYork, "2026-03-08", 2, 30, "2026-03-08T07:00:00Z"}, // in the gap: its end
		{NewYork, "2026-03-08", 3, 0, "2026-03-08T07:00:00Z"},
		{NewYork, "2026-11-01", 0, 59, "2026-11-01T04:59:00Z"},
		{NewYork, "2026-11-01", 1, 30, "2026-11-01T05:30:00Z"}, // the first of two
		{NewYork, "2026-11-01", 2, 0, "2026-11-01T07:00:00Z"},
		{"Australia/Lord_Howe", "2026-10-04", 2, 15, "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", 1, 45, "2026-04-04T14:45:00Z"},
		{"Pacific/Apia", "2011-12-30", 16, 0, "2011-12-30T10:00:00Z"},
	}
	for _, test := range tests {
		got := zone(t, test.zone).At(MustParse(test.date), test.hour, test.minute)
		if !got.Equal(instant(t, test.want)) {
			t.Errorf("%02d:%02d on %s in %s is %s, want %s", test.hour, test.minute, test.date, test.zone, got.Format(time.RFC3339), test.want)
		}
	}
}

// Business dates tile time: each starts where the previous one ends, and an instant belongs to
// the date whose start and end enclose it.
func TestDatesTileTime(t *testing.T) {
	names := []string{
		NewYork, "UTC", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Apia",
		"America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Asia/Kathmandu", "Africa/Casablanca",
	}
	rapid.Check(t, func(t *rapid.T) {
		z := zone(t, rapid.SampledFrom(names).Draw(t, "zone"))
		at := time.UnixMicro(rapid.Int64Range(0, 2_500_000_000_000_000).Draw(t, "instant"))
		d := z.Date(at)
		if at.Before(z.Start(d)) || at.After(z.End(d)) {
			t.Fatalf("%s is on %s, from %s to %s", at.UTC(), d, z.Start(d), z.End(d))
		}
		if z.Date(z.Start(d)) != d || z.Date(z.End(d)) != d {
			t.Errorf("%s starts on %s and ends on %s", d, z.Date(z.Start(d)), z.Date(z.End(d)))
		}
		if z.Location().String() == "" {
			t.Error("zone without a name")
		}
	})
}
