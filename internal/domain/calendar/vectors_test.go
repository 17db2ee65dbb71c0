package calendar

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// load decodes a file of testdata into v.
func load(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestPublishedHolidays(t *testing.T) {
	var file struct {
		Vectors []struct {
			Source            string
			Year              int
			Closed, Saturdays []Date
		}
	}
	load(t, "fed_holidays.json", &file)
	for _, v := range file.Vectors {
		if diff := cmp.Diff(v.Closed, Holidays(v.Year)); diff != "" {
			t.Errorf("%d (%s) (-want +got):\n%s", v.Year, v.Source, diff)
		}
		for _, d := range v.Saturdays {
			if d.Weekday() != time.Saturday || d.IsBankingDay() || !(d - 1).IsBankingDay() {
				t.Errorf("%s: banks closed on the Friday before, or open on the day", d)
			}
		}
	}
	if len(file.Vectors) != 7 {
		t.Errorf("ran %d years, want 7", len(file.Vectors))
	}
}

func TestPublishedBankingDays(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Source   string
			Date, Result Date
			Open         *bool
			Add          int
		}
	}
	load(t, "banking_days.json", &file)
	for _, v := range file.Vectors {
		if v.Open != nil {
			if got := v.Date.IsBankingDay(); got != *v.Open {
				t.Errorf("%s: banking day %v, published %v (%s)", v.ID, got, *v.Open, v.Source)
			}
			continue
		}
		if got := v.Date.AddBankingDays(v.Add); got != v.Result {
			t.Errorf("%s: %s, published %s (%s)", v.ID, got, v.Result, v.Source)
		}
	}
	if len(file.Vectors) != 23 {
		t.Errorf("ran %d vectors, want 23", len(file.Vectors))
	}
}

func TestPublishedDueDates(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Source string
			Anchor     Date
			Dates      map[string]Date
		}
	}
	load(t, "due_dates.json", &file)
	for _, v := range file.Vectors {
		for months, want := range v.Dates {
			n, err := strconv.Atoi(months)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Anchor.AddMonths(n); got != want {
				t.Errorf("%s: %s + %d months = %s, published %s (%s)", v.ID, v.Anchor, n, got, want, v.Source)
			}
		}
	}
	if len(file.Vectors) != 6 {
		t.Errorf("ran %d vectors, want 6", len(file.Vectors))
	}
}

func TestDerivedSchedules(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID              string
			CaptureDate     Date `json:"capture_date"`
			Days            int
			Due, Collection []Date
		}
	}
	load(t, "schedules.json", &file)
	for _, v := range file.Vectors {
		for i := range v.Due {
			due := v.CaptureDate.AddMonths(i + 1)
			if v.Days != 0 {
				due = v.CaptureDate.AddDays(v.Days)
			}
			if due != v.Due[i] || due.NextBankingDay() != v.Collection[i] {
				t.Errorf("%s row %d: due %s, collected %s; want %s, %s", v.ID, i+1, due, due.NextBankingDay(), v.Due[i], v.Collection[i])
			}
		}
	}
	if len(file.Vectors) != 10 {
		t.Errorf("ran %d vectors, want 10", len(file.Vectors))
	}
}

func TestPublishedDayCounts(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Basis        string
			From, To         Date
			Days             int64
			Years, Tolerance string
		}
	}
	load(t, "daycount.json", &file)
	for _, v := range file.Vectors {
		num, den, ok := YearFraction(v.Basis, v.From, v.To)
		if !ok {
			t.Fatalf("%s: unknown day count %q", v.ID, v.Basis)
		}
		if v.Years == "" {
			if num*360 != v.Days*den {
				t.Errorf("%s: %s to %s is %d/%d years, published %d days", v.ID, v.From, v.To, num, den, v.Days)
			}
			continue
		}
		if off := rat(t, v.Years).Sub(rat(t, v.Years), ratio(num, den)); off.Abs(off).Cmp(rat(t, v.Tolerance)) > 0 {
			t.Errorf("%s: %s to %s is %d/%d years, published %s", v.ID, v.From, v.To, num, den, v.Years)
		}
	}
	if len(file.Vectors) != 33 {
		t.Errorf("ran %d vectors, want 33", len(file.Vectors))
	}
}
