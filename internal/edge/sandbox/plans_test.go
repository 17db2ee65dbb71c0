package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/office/clockwork"
)

// walker moves a clock in one step, and records it.
type walker struct {
	Clockwork
	zone  calendar.Zone
	story *[]string
}

func (w walker) Advance(_ context.Context, c clockwork.Movable, to time.Time, tell func(clockwork.Progress)) error {
	*w.story = append(*w.story, "to "+w.zone.Date(to).String())
	at, err := c.AdvanceTo(to)
	tell(clockwork.Progress{Now: at, Target: to, DaysDone: 99, DaysTotal: 99})
	return err
}

// A move carries out what is planned on its way, in chronological order and once; what it
// passes is remembered across a restart, and a plan that fails is retried by the next move.
func TestPlans(t *testing.T) {
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	zone, db, ctx := calendar.NewZone(location), memory.New(), context.Background()
	at := func(day string) time.Time { return zone.At(calendar.MustParse(day), 9, 0) }
	c := clock.NewSettable(at("2026-01-05"))
	var story []string
	failing := int64(8)
	open := func() *Plans {
		return WithPlans(walker{zone: zone, story: &story}, db, zone, func(_ context.Context, p Plan) error {
			if p.Company == failing {
				return errors.New("no")
			}
			story = append(story, fmt.Sprintf("%d on %s", p.Company, zone.Date(c.Now())))
			return nil
		})
	}
	x := open()
	for company, day := range map[int64]string{7: "2026-02-04", 8: "2026-03-01", 9: "2026-01-20", 6: "2027-01-01"} {
		if err := x.Add(ctx, Plan{At: at(day), Company: company}); err != nil {
			t.Fatal(err)
		}
	}
	var last clockwork.Progress
	move := func(day string) error {
		return open().Advance(ctx, c, at(day), func(p clockwork.Progress) { last = p })
	}
	if err := move("2026-02-10"); err != nil || last.DaysDone != 36 || last.DaysTotal != 36 || !last.Target.Equal(at("2026-02-10")) {
		t.Errorf("%v, %+v", err, last)
	}
	if err := move("2026-03-10"); err == nil {
		t.Error("a plan that fails is not told of")
	}
	failing = 0
	if err := move("2026-03-10"); err != nil {
		t.Error(err)
	}
	want := "to 2026-01-20, 9 on 2026-01-20, to 2026-02-04, 7 on 2026-02-04, to 2026-02-10, to 2026-03-01, 8 on 2026-03-01, to 2026-03-10"
	if got := strings.Join(story, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
