package console

import (
	"net/http"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/permit"
	"tenor/internal/office/alarm"
	"tenor/internal/ui/design"
)

// shownOf is how many items of one kind the home page lists.
const shownOf = 3

// home lists what waits for a person, the most urgent first.
func (v *visit) home() error {
	var list []alarm.Alarm
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		list, err = alarm.List(w, v.config.Alarms, v.desk().Now())
		return err
	})
	if err != nil {
		return err
	}
	p := page{Shell: v.shell("home", v.say("home.title")), Title: design.Title{Text: v.say("home.title"), Lead: v.say("home.lead."+few(len(list)), v.language().LongDay(v.today()), len(list))}}
	p.Work = v.work(list)
	if len(list) == 0 {
		p.Empty = &design.Empty{Text: v.say("home.empty"), Command: "tenor alarms"}
	}
	return v.show(http.StatusOK, p)
}

// few is which form of a text a number takes.
func few(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "one"
	}
	return "many"
}

// work groups what waits by kind, the first few of each.
func (v *visit) work(list []alarm.Alarm) (out []work) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Kind == list[0].Kind {
			n++
		}
		kind := string(list[0].Kind)
		w := work{ID: kind, Title: v.say("work." + kind), Count: n, Tone: tone(list[0], v.today()), Command: "tenor alarms --kind " + kind}
		shown := min(n, shownOf)
		if permit.Masked(v.visitor.Staff.Roles) {
			shown = 0
		}
		for _, a := range list[:shown] {
			x := todo{Text: a.Detail, Detail: a.Next}
			switch {
			case a.Due != calendar.None:
				x.When = v.say("home.due", v.language().Day(a.Due))
			case a.Since != calendar.None:
				x.When = v.say("home.since", v.language().Day(a.Since))
			}
			w.Items = append(w.Items, x)
		}
		switch {
		case shown == 0:
			w.More = v.say("home.masked")
		case n > shown:
			w.More = v.say("home.more", n-shown)
		}
		out, list = append(out, w), list[n:]
	}
	return out
}

// tone is bad for what is late, warn for what has a deadline or is urgent by its kind.
func tone(a alarm.Alarm, today calendar.Date) design.Tone {
	switch {
	case a.Due != calendar.None && a.Due < today, a.Kind == alarm.NoticeOverdue:
		return design.Bad
	case a.Due != calendar.None:
		return design.Warn
	}
	return design.Calm
}
