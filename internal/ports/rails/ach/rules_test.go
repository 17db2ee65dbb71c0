package ach

import (
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
)

func TestCheckDigits(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID     string
			First8 string
			Check  int
		}
	}
	decode(t, "routing_check_digit.json", &file)
	if len(file.Vectors) != 5 {
		t.Fatalf("%d vectors", len(file.Vectors))
	}
	for _, v := range file.Vectors {
		if got := CheckDigit(v.First8); got != v.Check {
			t.Errorf("%s: %d, want %d", v.ID, got, v.Check)
		}
	}
	for routing, want := range map[string]bool{
		"990000000": true, "073000228": true, "073000229": false, "000000000": false, "07300022": false, "0730002288": false, "07300022x": false, "": false,
	} {
		if ValidRouting(routing) != want {
			t.Errorf("%q: %v", routing, !want)
		}
	}
}

func TestDeadlines(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID      string
			Settled calendar.Date `json:"settlement_date"`
			Two     calendar.Date `json:"two_banking_day_return_reaches_odfi_by_open_of"`
			Sixty   calendar.Date `json:"sixty_day_return_reaches_odfi_by_open_of"`
		}
	}
	decode(t, "ach_return_deadlines.json", &file)
	if len(file.Vectors) != 4 {
		t.Fatalf("%d vectors", len(file.Vectors))
	}
	for _, v := range file.Vectors {
		if two, sixty := Deadline("R01", v.Settled), Deadline("R10", v.Settled); two != v.Two || sixty != v.Sixty {
			t.Errorf("%s: %s and %s, want %s and %s", v.ID, two, sixty, v.Two, v.Sixty)
		}
		if Late("R01", v.Settled, v.Two) || !Late("R01", v.Settled, v.Two+1) || Late("R10", v.Settled, v.Sixty) || !Late("R10", v.Settled, v.Sixty+1) {
			t.Errorf("%s: late too soon or too late", v.ID)
		}
	}
	if Deadline("R06", file.Vectors[0].Settled) != calendar.None || Late("R06", 0, 20_000) {
		t.Error("R06 comes by agreement: it has no deadline")
	}
	thursday := calendar.MustParse("2026-01-15") // Monday is a holiday
	if d := DisputeBy(thursday); d != calendar.MustParse("2026-01-23") {
		t.Errorf("disputed by %s", d)
	}
	if d := ApplyBy(thursday); d != calendar.MustParse("2026-01-26") {
		t.Errorf("applied by %s", d)
	}
}

// The frames are those described in the table of codes.
func TestFrames(t *testing.T) {
	for _, row := range table(t, "ach_return_codes.csv") {
		want := NoFrame
		switch text := row["time_frame"]; {
		case strings.HasPrefix(text, "must reach ODFI by opening of business on 2nd banking day"):
			want = TwoDays
		case strings.Contains(text, "60th calendar day"):
			want = SixtyDays
		case strings.HasPrefix(text, "ACH operator reject"):
			want = NextFile
		}
		if got := FrameOf(row["code"]); got != want {
			t.Errorf("%s: %d, want %d (%s)", row["code"], got, want, row["time_frame"])
		}
	}
}

// Messages between banks about a return are not returns.
func TestBetweenBanks(t *testing.T) {
	for _, row := range table(t, "ach_return_codes.csv") {
		frame := row["time_frame"]
		if want := strings.HasPrefix(frame, "dishonored") || strings.HasPrefix(frame, "contested"); BetweenBanks(row["code"]) != want {
			t.Errorf("%s: %t (%s)", row["code"], !want, frame)
		}
	}
}

// A bank's note never shows an account number.
func TestMasked(t *testing.T) {
	for note, want := range map[string]string{
		"ACCT 000123456789 CLOSED": "ACCT *6789 CLOSED", "123456": "*3456", "see 12345, page 7": "see 12345, page 7", "": "", "744-5678-99": "744-5678-99", "A1234567B7654321": "A*4567B*4321",
	} {
		if got := message("R02", note); got != strings.TrimSuffix("Account Closed: "+want, ": ") {
			t.Errorf("%q: %q", note, got)
		}
	}
}

func TestRates(t *testing.T) {
	for _, x := range []struct {
		name     string
		returned map[string]int
		debits   int
		alarms   string
	}{
		{"nothing sent", nil, 0, ""},
		{"at the limits", map[string]int{"R10": 5, "R02": 30, "R01": 115}, 1000, ""},
		{"unauthorized", map[string]int{"R29": 3, "R07": 3}, 1000, "unauthorized"},
		{"administrative", map[string]int{"R03": 16, "R04": 15}, 1000, "administrative"},
		{"all", map[string]int{"R01": 151}, 1000, "all"},
		{"every one", map[string]int{"R05": 1}, 1, "unauthorized all"},
		{"no returns of entries", map[string]int{"C01": 900, "R61": 900, "R74": 900, "": 900}, 1000, ""},
	} {
		var alarms []string
		for _, r := range Rates(x.returned, x.debits) {
			if r.Alarm() {
				alarms = append(alarms, r.Name)
			}
		}
		if got := strings.Join(alarms, " "); got != x.alarms {
			t.Errorf("%s: alarms %q, want %q", x.name, got, x.alarms)
		}
	}
	// The buckets are those of the table.
	for _, row := range table(t, "ach_return_codes.csv") {
		r := Rates(map[string]int{row["code"]: 1}, 1)
		if bucket := row["return_rate_bucket"]; r[0].Returned == 1 != (bucket == "unauthorized") || r[1].Returned == 1 != (bucket == "administrative") {
			t.Errorf("%s is counted as %+v, want %q", row["code"], r, bucket)
		}
	}
}
