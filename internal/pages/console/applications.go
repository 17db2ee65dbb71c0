package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// applicationStatuses are the statuses of a list, first those that wait for somebody.
func applicationStatuses() []string {
	return []string{
		credit.ApplicationInReview, credit.ApplicationSubmitted, credit.ApplicationRequested,
		credit.ApplicationApproved, credit.ApplicationDeclined, credit.ApplicationWithdrawn, credit.ApplicationExpired,
	}
}

// waitingStatuses is how many of them wait.
const waitingStatuses = 3

// applications lists what waits for a decision, the oldest first, then what has ended; or, with a
// status in the address, all with that status.
func (v *visit) applications() error {
	q := v.narrowed("status", "merchant", "sort")
	title := v.say("nav.applications")
	p := page{Shell: v.shell("applications", title), Title: design.Title{Text: title, Lead: v.say("applications.lead")}}
	p.Filter = v.filterOf("applications", q, []design.Field{v.oneOf(q, "status", "application", applicationStatuses()...), v.sorted(q)}, "merchant")
	err := v.desk().Store.View(v.r.Context(), func(w store.View) error {
		if q.Get("status") != "" {
			return v.applicationsIn(&p, w, q)
		}
		var waits, ended []*credit.Application
		for i, status := range applicationStatuses() {
			found, err := listApplications(w, q, status, store.Page{Limit: pageOf})
			if err != nil {
				return err
			}
			if i < waitingStatuses {
				waits = append(waits, found...)
			} else {
				ended = append(ended, found...)
			}
		}
		slices.SortStableFunc(waits, func(a, b *credit.Application) int { return a.CreatedAt.Compare(b.CreatedAt) })
		slices.SortStableFunc(ended, func(a, b *credit.Application) int { return b.CreatedAt.Compare(a.CreatedAt) })
		ended = ended[:min(len(ended), pageOf)]
		for _, x := range []struct {
			name string
			list []*credit.Application
		}{{"waiting", waits}, {"ended", ended}} {
			t, err := v.applicationTable(x.name, x.list)
			if err != nil {
				return err
			}
			p.Tables = append(p.Tables, titled{ID: x.name, Title: v.say("applications." + x.name), Table: t})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, p)
}

// applicationsIn lists those with the status of the filter, newest first.
func (v *visit) applicationsIn(p *page, w store.View, q url.Values) error {
	at := v.position()
	at.Limit = pageOf + 1
	list, err := listApplications(w, q, q.Get("status"), at)
	if err != nil {
		return err
	}
	if len(list) > pageOf {
		list = list[:pageOf]
		p.Acts = v.older("applications", q, list[pageOf-1].CreatedAt, list[pageOf-1].ID)
	}
	t, err := v.applicationTable("list", list)
	p.Tables = []titled{{ID: "list", Table: t}}
	return err
}

// listApplications lists applications for a line, and no estimates.
func listApplications(w store.View, q url.Values, status string, p store.Page) (out []*credit.Application, err error) {
	found, err := store.ListRecords(w, credit.NounApplication, store.RecordFilter{Status: status, Merchant: q.Get("merchant"), NotKind: string(underwriting.Estimate)}, p)
	for _, r := range found {
		out = append(out, r.(*credit.Application))
	}
	return out, err
}

func (v *visit) applicationTable(name string, list []*credit.Application) (design.Table, error) {
	t := design.Table{Caption: v.say("applications." + name), Columns: []design.Column{
		{Text: v.say("application.business")}, {Text: v.say("application.requested"), Number: true}, {Text: v.say("application.score"), Number: true, From: "md"},
		{Text: v.say("application.assigned"), From: "lg"}, {Text: v.say("application.since"), From: "sm"}, {Text: v.say("orders.status"), From: "sm"},
	}, Empty: &design.Empty{Text: v.say("applications." + name + ".none"), Command: "tenor applications list"}}
	for _, x := range list {
		assigned, err := v.who(cmp.Or(x.Assigned, "–"))
		if err != nil {
			return t, err
		}
		score := "–"
		if x.Outcome != nil && len(x.Outcome.Points) > 0 {
			score = strconv.Itoa(x.Outcome.Total)
		}
		state := v.applicationState(x)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: v.business(x), Detail: v.say("application.kind." + string(x.Kind)), Href: Prefix + "/applications/" + x.ID, Below: &state}, {Text: v.language().Money(x.Requested), Strong: true}, {Text: score},
			{Text: assigned}, {Text: v.moment(x.CreatedAt), Soft: true}, {Badge: &state},
		}})
	}
	return t, nil
}

// business is the name on an application; a developer sees its key.
func (v *visit) business(x *credit.Application) string {
	if permit.Masked(v.visitor.Staff.Roles) {
		return x.ID
	}
	return x.Business.LegalName
}

func (v *visit) applicationState(x *credit.Application) design.Badge {
	b := design.Badge{Text: v.say("application." + x.Status)}
	switch x.Status {
	case credit.ApplicationApproved:
		b.Tone = design.Good
	case credit.ApplicationDeclined:
		b.Tone = design.Bad
	case credit.ApplicationInReview, credit.ApplicationRequested:
		b.Tone = design.Warn
	}
	return b
}

// applicationBook is an application with all that its page shows.
type applicationBook struct {
	app      *credit.Application
	merchant string       // the name of the one it came through, "" if none
	cart     money.Amount // what waits in the checkout it was made in, 0 if none does
	past     past
}

// findApplication reads the application of the address, nil if there is none.
func (v *visit) findApplication() (x *applicationBook, err error) {
	id := v.r.PathValue("id")
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounApplication, ID: id}}}); err != nil {
			return err
		}
		a := s.Application(id)
		if a == nil || a.Kind == underwriting.Estimate {
			return nil
		}
		x = &applicationBook{app: a}
		if err := x.origin(w); err != nil {
			return err
		}
		var err error
		x.past, err = v.readPast(w, "application", id, store.RecordFilter{Of: id})
		return err
	})
	return x, err
}

// origin reads where an application came from.
func (x *applicationBook) origin(w store.View) error {
	a, s := x.app, credit.NewState()
	k := credit.Keys{Merchants: []string{a.Merchant}}
	if a.Checkout != "" {
		k.Records = []credit.RecordKey{{Noun: credit.NounCheckout, ID: a.Checkout}}
	}
	if a.Merchant == "" {
		k.Merchants = nil
	}
	if err := w.Load(s, k); err != nil {
		return err
	}
	if m := s.Merchants[a.Merchant]; m != nil {
		x.merchant = m.Name
	}
	if c := s.Checkout(a.Checkout); c != nil && !c.Ended() {
		x.cart = c.Amount
	}
	return nil
}

// application shows one application.
func (v *visit) application() error {
	x, err := v.findApplication()
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	return v.showApplication(x, nil)
}

// showApplication shows an application; owners are those that were just revealed.
func (v *visit) showApplication(x *applicationBook, owners []buyer.Owner) (err error) {
	a, state, subject := x.app, v.applicationState(x.app), v.applicationSubject(x.app)
	p := page{
		Shell: v.shell("applications", subject.name), Crumbs: []design.Link{{Text: v.say("nav.applications"), Href: Prefix + "/applications"}, {Text: subject.name}},
		Title: design.Title{Text: subject.name, Lead: v.asks(x)}, States: []design.Badge{state},
		Handle: &design.Key{ID: "application-id", Label: v.say("application.id"), Value: a.ID}, TopActs: v.topActs(subject), Impossible: v.impossible(subject),
		Notice: v.did(subject), Acts: append(v.noteLink(subject), v.auditOf("object", a.ID)...),
	}
	assigned, err := v.who(a.Assigned)
	if err != nil {
		return err
	}
	if assigned != "" {
		p.Title.Lead += " · " + v.say("review.assigned", assigned)
	}
	if !a.Decided() {
		by := onboarding.DecideBy(a, v.desk().Zone)
		due := design.Badge{Text: v.say("review.by.day", v.dayOr(by)), Tone: design.Warn}
		if by < v.today() {
			due = design.Badge{Text: v.say("review.late", v.dayOr(by)), Tone: design.Bad}
		}
		p.States = append(p.States, due)
	}
	if p.Review, err = v.reviewOf(x, owners); err != nil {
		return err
	}
	return v.show(http.StatusOK, p)
}

// asks says for what an application asks, and where from.
func (v *visit) asks(x *applicationBook) string {
	text := v.say("application.lead", v.language().Money(x.app.Requested), v.say("application.kind."+string(x.app.Kind)))
	switch {
	case x.merchant == "":
		return text
	case x.cart == 0:
		return text + " · " + v.say("review.through", x.merchant)
	}
	return text + " · " + v.say("review.waits", x.merchant, v.language().Money(x.cart))
}

// legalForm is a legal form in words; an abbreviation stays one.
func legalForm(code string) string {
	if len(code) <= 4 {
		return code
	}
	return worded(strings.ToLower(code))
}
