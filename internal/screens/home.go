package screens

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"tenor/internal/design"
	"tenor/internal/money"
)

// homeView is the first page of a sandbox.
type homeView struct {
	Clock     clockView
	Story     *story // nil: the token may not read it
	Orders    *design.Table
	Companies *design.Table
	Places    []place
	Stories   []scenarioRow
	Scenarios int // how many there are
	Commands  string
}

// clockView is the clock as it is moved.
type clockView struct {
	barView
	Day   string // Tuesday, February 17, 2026
	Date  string // for machines
	Time  string // 09:00 New York
	Steps []step
	To    string // proposed date
	State design.Badge
}

// step is a button that moves the clock.
type step struct{ Act, Text, To string }

// place is where one goes from here.
type place struct{ Icon, Text, Detail, Href, Tag string }

// orderRow is an order of a list.
type orderRow struct {
	thing
	CompanyID json.Number `json:"company_id"`
}

// companyRow is a company of a list.
type companyRow struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	CreditLine struct {
		Limit     json.Number `json:"limit"`
		Available json.Number `json:"available"`
	} `json:"credit_line"`
}

// fewRows is how many rows the lists of the home page have.
const fewRows = 10

func (s *Screens) homePage(v *visit) {
	m := homeView{Clock: s.clockView(v), Commands: s.say("home.commands")}
	var companies list[companyRow]
	var orders list[orderRow]
	var receivers list[receiver]
	var all list[scenarioRow]
	asked := []error{
		v.get("/v1/sandbox/receivers", &receivers), v.get("/v1/companies?limit=100", &companies), v.get("/v1/orders?limit=10", &orders), v.get("/v1/sandbox/scenarios", &all),
	}
	told, err := s.story(v)
	for _, err := range append(asked, err) {
		if x, refused := err.(*refusal); err != nil && !(refused && x.Status == 403) { // a part that the token may not see is left out
			v.refused(err)
			return
		}
	}
	m.Story = told
	names := map[string]string{}
	for _, c := range companies.Data {
		names[c.ID] = c.Name
	}
	if asked[1] == nil {
		m.Companies = s.companyTable(companies.Data)
	}
	if asked[2] == nil {
		m.Orders = s.orderTable(orders.Data, names)
	}
	m.Stories, m.Scenarios = s.plays.of(v.session, first(all.Data)), len(all.Data)
	m.Places = s.places(len(receivers.Data))
	v.page("home", frame{Title: s.say("home.title"), Path: "/sandbox", Home: true, Main: m})
}

// first are the scenarios that somebody should see first, else any.
func first(all []scenarioRow) []scenarioRow {
	var out []scenarioRow
	for _, name := range []string{"happy-path", "nsf-then-cure", "refund-after-payout-clawback", "line-used-twice", "webhook-outage"} {
		if i := slices.IndexFunc(all, func(r scenarioRow) bool { return r.Name == name }); i >= 0 {
			out = append(out, all[i])
		}
	}
	if len(out) == 0 {
		out = all[:min(len(all), 5)]
	}
	return out
}

func (s *Screens) clockView(v *visit) clockView {
	bar, now := s.bar(v.r.Context()), v.now.In(s.config.Zone)
	c := clockView{barView: bar, Day: now.Format("Monday, January 2, 2006"), Date: now.Format(time.DateOnly), Time: s.say("time.business", now.Format("15:04")), To: now.Add(30 * 24 * time.Hour).Format(time.DateOnly)}
	for _, x := range []struct {
		act  string
		days int
	}{{"day", 1}, {"week", 7}, {"month", 30}} {
		c.Steps = append(c.Steps, step{x.act, s.say("bar.act." + x.act), s.say("home.to", now.Add(time.Duration(x.days)*24*time.Hour).Format("Jan 2"))})
	}
	switch {
	case bar.Advancing:
		c.State = design.Badge{Tone: design.Warn, Text: s.say("clock.state.moving")}
	case bar.Frozen:
		c.State = design.Badge{Text: s.say("clock.state.frozen")}
	default:
		c.State = design.Badge{Tone: design.Good, Text: s.say("clock.state.running")}
	}
	return c
}

func (s *Screens) places(receivers int) []place {
	return []place{
		{"store", s.say("place.shop"), s.say("place.shop.about"), "/shop", ""},
		{"mail", s.say("mail.title"), s.say("place.mail.about"), "/sandbox/mail", ""},
		{"user", s.say("place.account"), s.say("place.account.about"), "/account", ""},
		{"webhook", s.say("hooks.title"), s.many("place.hooks", receivers), "/sandbox/webhooks", ""},
		{"book-open-text", s.say("place.reference"), s.say("place.reference.about"), "/docs/api", ""},
	}
}

func (s *Screens) orderTable(rows []orderRow, names map[string]string) *design.Table {
	t := &design.Table{
		Caption: s.say("home.orders"),
		Columns: []design.Column{{Text: s.say("column.order")}, {Text: s.say("column.amount"), Number: true}, {Text: s.say("column.status"), From: "sm"}},
		Empty:   &design.Empty{Text: s.say("home.orders.none"), Act: &design.Button{Text: s.say("home.orders.act"), Href: "/shop"}, Command: "tenor orders create --company 1000000001 --amount 1200 --authorize"},
	}
	for _, o := range rows {
		status := o.Status
		if o.Financing != "" && o.Financing != "NONE" {
			status = o.Financing
		}
		badge := statusOf(status)
		who := names[o.CompanyID.String()]
		if who == "" {
			who = o.CompanyID.String()
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: o.called(nil), Href: objectPath("order", o.Key), Detail: who}, {Text: o.amount(), Strong: true}, {Badge: &badge},
		}})
	}
	return t
}

func (s *Screens) companyTable(rows []companyRow) *design.Table {
	t := &design.Table{
		Caption: s.say("home.companies"),
		Columns: []design.Column{{Text: s.say("column.company")}, {Text: s.say("column.available"), Number: true}, {Text: s.say("column.status"), From: "sm"}},
		Empty:   &design.Empty{Text: s.say("home.companies.none"), Command: "tenor sandbox seed"},
	}
	slices.SortFunc(rows, func(a, b companyRow) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range rows[:min(len(rows), fewRows)] {
		badge := statusOf(c.Status)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: c.Name, Href: objectPath("company", c.ID), Detail: c.ID}, {Text: dollars(c.CreditLine.Available), Strong: true, Detail: s.say("home.limit", dollars(c.CreditLine.Limit))}, {Badge: &badge},
		}})
	}
	return t
}

// dollars writes an amount of the API for people; what is none is a dash.
func dollars(n json.Number) string {
	a, err := money.Parse(n.String())
	if err != nil {
		return "–"
	}
	return design.English.Money(a)
}
