package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/office/alarm"
	"tenor/internal/office/report"
	"tenor/internal/ui/design"
)

// shownOf is how many items of one kind the home page lists.
const shownOf = 3

// home lists what waits for a person, the most urgent first.
func (v *visit) home() error {
	var list []alarm.Alarm
	var waits []credit.Record
	var figures []design.Figure
	var bars *design.Bars
	var bands *design.Bands
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if list, err = alarm.List(w, v.config.Alarms, v.desk().Now()); err != nil {
			return err
		}
		if waits, err = store.ListRecords(w, credit.NounApproval, store.RecordFilter{Status: credit.ApprovalWaiting}, store.Page{Limit: pageOf}); err != nil || v.visitor.May(permit.ReadReports) == permit.None {
			return err
		}
		now, err := report.Aging(w, v.today())
		if err != nil {
			return err
		}
		if figures, err = v.figures(w, now); err != nil {
			return err
		}
		bands = v.delinquency(now)
		bars, err = v.originations(w)
		return err
	})
	if err != nil {
		return err
	}
	count := len(list) + len(waits)
	p := page{Shell: v.shell("home", v.say("home.title")), Title: design.Title{Text: v.say("home.title"), Lead: v.say("home.lead."+few(count), v.language().LongDay(v.today()), count)}}
	asked, err := v.askedOf(waits)
	if err != nil {
		return err
	}
	live, err := v.untilLive()
	if err != nil {
		return err
	}
	p.Work, p.Figures, p.Below, p.Bars, p.Bands = slices.Concat(asked, v.work(list), live), figures, len(figures) > 0, bars, bands
	if count == 0 && len(live) == 0 {
		p.Empty = &design.Empty{Text: v.say("home.empty"), Command: "tenor alarms"}
	}
	return v.show(http.StatusOK, p)
}

// askedOf is what waits for a second person, the oldest first: what a member has asked for herself
// waits for others.
func (v *visit) askedOf(waits []credit.Record) ([]work, error) {
	if len(waits) == 0 {
		return nil, nil
	}
	slices.Reverse(waits)
	w := work{ID: "approvals", Title: v.say("work.approvals"), Count: len(waits), Tone: design.Warn, Command: "tenor approvals list"}
	for _, r := range waits[:min(len(waits), shownOf)] {
		x := r.(*credit.Approval)
		maker, err := v.who(x.Maker)
		if err != nil {
			return nil, err
		}
		w.Items = append(w.Items, todo{Text: worded(x.Act), Detail: v.say("home.asked", maker), When: v.say("home.until", v.moment(x.NextAt)), Href: Prefix + "/approvals/" + x.ID})
	}
	if n := len(waits) - shownOf; n > 0 {
		w.More = v.say("home.more", n)
	}
	return []work{w}, nil
}

// leads is the page of what an alarm is about, "" if there is none.
func leads(subject string) string {
	for prefix, at := range map[string]string{credit.PrefixApplication: "/applications/", credit.PrefixOrder: "/orders/", credit.PrefixPayment: "/payments/", credit.PrefixMerchant: "/merchants/"} {
		if strings.HasPrefix(subject, prefix) {
			return Prefix + at + subject
		}
	}
	if id, err := strconv.ParseInt(subject, 10, 64); err == nil && store.CompanyKey(id) == subject {
		return companyPath(id)
	}
	return ""
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
			x := todo{Text: a.Detail, Detail: a.Next, Href: leads(a.Subject)}
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
