package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
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
	q := v.narrowed("status", "merchant")
	title := v.say("nav.applications")
	p := page{Shell: v.shell("applications", title), Title: design.Title{Text: title, Lead: v.say("applications.lead")}}
	p.Filter = v.filterOf("applications", q, []design.Field{v.oneOf(q, "status", "application", applicationStatuses()...)}, "merchant")
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
	app  *credit.Application
	past past
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
		var err error
		x.past, err = readPast(w, "application", id, store.RecordFilter{Of: id})
		return err
	})
	return x, err
}

// application shows one application: what was said, what was checked, and what the policy makes of
// it.
func (v *visit) application() error {
	x, err := v.findApplication()
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	a, state, subject := x.app, v.applicationState(x.app), v.applicationSubject(x.app)
	assigned, err := v.who(a.Assigned)
	if err != nil {
		return err
	}
	p := page{
		Shell: v.shell("applications", subject.name), Crumbs: []design.Link{{Text: v.say("nav.applications"), Href: Prefix + "/applications"}, {Text: subject.name}},
		Title: design.Title{Text: subject.name, Lead: subject.lead, Badge: &state}, Handle: &design.Key{ID: "application-id", Label: v.say("application.id"), Value: a.ID},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject), Acts: v.auditOf("object", a.ID),
		Panels: []panel{{"said", v.say("application.said"), v.said(a)}, {"checked", v.say("application.checked"), v.checked(a)}, {"decision", v.say("application.decision"), v.decided(a, assigned)}},
	}
	if a.Outcome != nil && len(a.Outcome.Points) > 0 {
		p.Tables = append(p.Tables, titled{ID: "points", Title: v.say("application.points", a.Outcome.Total), Table: v.pointTable(a.Outcome.Points)})
	}
	if p.Timeline, err = v.timeline(x.past, nil); err != nil {
		return err
	}
	return v.show(http.StatusOK, p)
}

// said is what the applicant has stated about the business.
func (v *visit) said(a *credit.Application) (out []design.Fact) {
	b := a.Business
	out = []design.Fact{{Label: v.say("application.requested"), Text: v.language().Money(a.Requested)}}
	if permit.Masked(v.visitor.Staff.Roles) {
		return out
	}
	for _, f := range [][2]string{
		{"company.legal", b.LegalName}, {"application.trading", b.TradingName}, {"application.form", legalForm(string(b.EntityType))}, {"company.tax", b.EINLast4},
		{"application.formed", v.dayOr(b.FormedOn)}, {"application.state", b.StateOfFormation}, {"company.address", addressLine(b.Address)}, {"application.industry", b.Industry}, {"application.website", b.Website},
	} {
		if f[1] != "" && f[1] != "–" {
			out = append(out, design.Fact{Label: v.say(f[0]), Text: f[1]})
		}
	}
	return append(out, design.Fact{Label: v.say("application.revenue"), Text: v.language().Money(b.AnnualRevenue)}, design.Fact{Label: v.say("application.share"), Text: a.LargestOwner.Percent(0)})
}

// legalForm is a legal form in words; an abbreviation stays one.
func legalForm(code string) string {
	if len(code) <= 4 {
		return code
	}
	return worded(strings.ToLower(code))
}

// checked is what the sources have answered, and how old their answers are.
func (v *visit) checked(a *credit.Application) (out []design.Fact) {
	for _, s := range a.Sources {
		text := v.say("application.answered", s.Source, v.moment(s.At))
		if s.Missing != "" {
			text = v.say("application.silent", worded(strings.ToLower(string(s.Missing))), s.Tries)
		}
		out = append(out, design.Fact{Label: worded(s.Port), Text: text})
	}
	if in := a.Inputs; in != nil && !permit.Masked(v.visitor.Staff.Roles) {
		for _, f := range [][2]string{
			{"application.identity", worded(strings.ToLower(string(in.Identity)))}, {"application.registry", worded(strings.ToLower(string(in.Registration)))}, {"application.registered", v.dayOr(in.RegistryFormedOn)},
			{"application.screening", worded(strings.ToLower(string(in.Screening)))},
		} {
			if f[1] != "" && f[1] != "–" {
				out = append(out, design.Fact{Label: v.say(f[0]), Text: f[1]})
			}
		}
		if said := a.Business.FormedOn; in.RegistryFormedOn != calendar.None && said != calendar.None && in.RegistryFormedOn != said {
			out = append(out, design.Fact{Label: v.say("application.mismatch"), Text: v.say("application.mismatch.formed", v.dayOr(said), v.dayOr(in.RegistryFormedOn))})
		}
		if in.Duplicate {
			out = append(out, design.Fact{Label: v.say("application.mismatch"), Text: v.say("application.mismatch.duplicate")})
		}
	}
	if len(out) == 0 {
		out = []design.Fact{{Label: v.say("application.checked"), Text: v.say("application.unchecked")}}
	}
	return out
}

// decided is what the policy proposes, what was decided, and what has to follow.
func (v *visit) decided(a *credit.Application, assigned string) (out []design.Fact) {
	add := func(label, text string) {
		if text != "" {
			out = append(out, design.Fact{Label: v.say(label), Text: text})
		}
	}
	add("application.assigned", assigned)
	if o := a.Outcome; o != nil {
		add("application.policy", v.say("application.proposes", worded(strings.ToLower(string(o.Decision))), o.Policy))
		add("application.why", o.Why)
		if o.Limit > 0 {
			add("application.proposed", v.say("application.line", v.language().Money(o.Limit), o.Tier))
		}
		var codes []string
		for _, r := range o.Reasons {
			codes = append(codes, string(r))
		}
		add("company.reasons", strings.Join(reasonsInWords(codes), "; "))
	}
	for _, r := range a.Requests {
		add("application.wanted", v.say("application.wanted.by", r.What, v.dayOr(r.Due)))
	}
	if d := a.Decision; d != nil {
		add("application.at", v.moment(d.At))
		if d.Approved {
			add("application.granted", v.say("application.line", v.language().Money(d.Limit), d.Tier))
		}
		add("application.given", strings.Join(reasonsInWords(d.Reasons), "; "))
		add("approvals.note", d.Note)
	}
	if n := a.Duty; n != nil {
		text := v.say("application.notice.due", v.dayOr(n.DueOn))
		if !n.SentAt.IsZero() {
			text = v.say("notice.sent", v.moment(n.SentAt))
		}
		add("company.notice", worded(strings.ToLower(string(n.Kind)))+": "+text)
	}
	return out
}

func (v *visit) pointTable(list []underwriting.FactorPoints) design.Table {
	t := design.Table{Caption: v.say("application.points", ""), Columns: []design.Column{{Text: v.say("application.factor")}, {Text: v.say("application.points.of"), Number: true}, {Text: v.say("application.most"), Number: true}}}
	for _, x := range list {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: worded(string(x.Factor))}, {Text: strconv.Itoa(x.Points), Strong: true}, {Text: strconv.Itoa(x.Max), Soft: true}}})
	}
	return t
}
