package sandboxui

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ui/design"
)

// homeView is the first page of a sandbox.
type homeView struct {
	Clock     clockView
	Story     *story // nil: the token may not read it
	Orders    *homeList
	Companies *homeList
	Places    []place
	Stories   []scenarioRow
	Scenarios int // number of scenarios
	Commands  string
	Token     *design.Key // nil: not requested
}

// clockView is the clock with its controls.
type clockView struct {
	barView
	Day   string // Tuesday, February 17, 2026
	Date  string // for machines
	Time  string // 09:00 Eastern
	Since string // time since the beginning; "": on its day
	Steps []step
	To    string // proposed date
	State design.Badge
}

// step is a button that moves the clock.
type step struct{ Act, Text, To string }

// orderRow is an order in a list.
type orderRow struct {
	thing
	CompanyID json.Number `json:"company_id"`
}

// companyRow is a company in a list.
type companyRow struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	CreditLine struct {
		Limit     json.Number `json:"limit"`
		Available json.Number `json:"available"`
	} `json:"credit_line"`
}

// fewRows is the number of rows in the lists of the home page.
const fewRows = 10

func (s *Screens) homePage(v *visit) {
	m := homeView{Clock: s.clockView(v), Commands: s.say("home.commands"), Token: v.token()}
	var companies list[companyRow]
	var orders list[orderRow]
	var all list[scenarioRow]
	asked := []error{v.get("/v1/companies?limit=100", &companies), v.get("/v1/orders?limit=10", &orders), v.get("/v1/sandbox/scenarios", &all)}
	told, err := s.story(v)
	places, unplaced := s.places(v)
	for _, err := range append(asked, err, unplaced) {
		if err != nil && !hidden(err) {
			v.refused(err)
			return
		}
	}
	m.Story, m.Places = told, places
	names := map[string]string{}
	for _, c := range companies.Data {
		names[c.ID] = c.Name
	}
	if asked[0] == nil {
		m.Companies = s.companyList(companies.Data)
	}
	if asked[1] == nil {
		m.Orders = s.orderList(orders.Data, names)
	}
	typeset(all.Data)
	m.Stories, m.Scenarios = s.plays.of(v.session, first(all.Data)), len(all.Data)
	v.page("home", frame{Title: s.say("home.title"), Path: "/sandbox", Home: true, Main: m})
}

// hidden reports whether a token may not see a part, which is then left out.
func hidden(err error) bool {
	x, refused := err.(*refusal)
	return refused && x.Status == http.StatusForbidden
}

// token returns the session's token if it was just requested.
func (v *visit) token() *design.Key {
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	if !v.session.shown {
		return nil
	}
	v.session.shown = false
	return &design.Key{ID: "token-text", Label: v.screens.say("home.token"), Value: v.session.token}
}

// showToken makes the next page show the token.
func (s *Screens) showToken(v *visit) {
	v.session.shown = true
	v.goTo("/sandbox#token", nil)
}

// first returns the scenarios to see first, or any others.
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
	bar, now := s.bar(v.r), v.now.In(s.config.Zone)
	c := clockView{barView: bar, Day: now.Format("Monday, January 2, 2006"), Date: now.Format(time.DateOnly), Time: s.say("time.business", now.Format("15:04")), To: now.Add(30 * 24 * time.Hour).Format(time.DateOnly)}
	for _, x := range []struct {
		act  string
		days int
	}{{"day", 1}, {"week", 7}, {"month", 30}} {
		c.Steps = append(c.Steps, step{x.act, s.say("bar.act." + x.act), s.say("home.to", now.Add(time.Duration(x.days)*24*time.Hour).Format("Jan 2"))})
	}
	if days := s.daysSince(v.began, v.now); days > 0 {
		c.Since = s.many("home.since", days)
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

// daysSince returns the business days between two instants; 0 if the first is unknown.
func (s *Screens) daysSince(from, to time.Time) int {
	if from.IsZero() {
		return 0
	}
	date := func(t time.Time) time.Time {
		y, m, d := t.In(s.config.Zone).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(date(to).Sub(date(from)) / (24 * time.Hour))
}

// homeRow is an order or a company in a list on the first page.
type homeRow struct {
	Name, Href   string
	Detail       string // a key, or its owner
	Key          bool   // the detail is a key
	Amount, Note string
	Badge        design.Badge
}

// homeList is such a list, or a placeholder if it is empty.
type homeList struct {
	Rows  []homeRow
	Empty *design.Empty
}

func (s *Screens) orderList(rows []orderRow, names map[string]string) *homeList {
	l := &homeList{Empty: &design.Empty{Text: s.say("home.orders.none"), Act: &design.Button{Text: s.say("home.orders.act"), Href: "/shop"}, Command: "tenor orders create --company 1000000001 --amount 1200 --authorize"}}
	for _, o := range rows {
		status := o.Status
		if o.Financing != "" && o.Financing != "NONE" {
			status = o.Financing
		}
		l.Rows = append(l.Rows, homeRow{Name: o.called(nil), Href: objectPath("order", o.Key), Detail: cmp.Or(names[o.CompanyID.String()], o.CompanyID.String()), Amount: o.amount(), Badge: statusOf(status)})
	}
	return l
}

func (s *Screens) companyList(rows []companyRow) *homeList {
	l := &homeList{Empty: &design.Empty{Text: s.say("home.companies.none"), Command: "tenor sandbox seed"}}
	slices.SortFunc(rows, func(a, b companyRow) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range rows[:min(len(rows), fewRows)] {
		row := homeRow{Name: c.Name, Href: objectPath("company", c.ID), Detail: c.ID, Key: true, Amount: "–", Badge: statusOf(c.Status)}
		if limit, err := money.Parse(c.CreditLine.Limit.String()); err == nil && limit > 0 { // otherwise it has no line
			row.Amount, row.Note = dollars(c.CreditLine.Available), s.say("home.limit", design.English.Money(limit))
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// dollars formats an amount of the API for people; anything else is a dash.
func dollars(n json.Number) string {
	a, err := money.Parse(n.String())
	if err != nil {
		return "–"
	}
	return design.English.Money(a)
}
