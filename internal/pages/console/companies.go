package console

import (
	"cmp"
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// listCompanies reads a page of the companies of a filter.
func listCompanies(w store.View, q url.Values, p store.Page) ([]*credit.Company, error) {
	if m := q.Get("merchant"); m != "" {
		return store.ListCompanies(w, m, p)
	}
	return store.ListCompaniesIn(w, credit.CompanyStatus(q.Get("status")), p)
}

// readCompanies reads the filter of the address: of one status, or of one merchant.
func (v *visit) readCompanies() url.Values {
	q := v.narrowed("status", "merchant", "sort")
	if q.Has("merchant") {
		q.Del("status")
	}
	return q
}

// companies lists companies, newest first, by the filter of the address.
func (v *visit) companies() error {
	q := v.readCompanies()
	var list []*credit.Company
	late := map[int64]store.PastDue{}
	more := false
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		page := v.position()
		if _, bad := strconv.ParseInt(page.AfterID, 10, 64); bad != nil {
			page = store.Page{Oldest: v.oldest()}
		}
		page.Limit = pageOf + 1
		if list, err = listCompanies(w, q, page); err != nil {
			return err
		}
		if more = len(list) > pageOf; more {
			list = list[:pageOf]
		}
		late, err = lateOf(w, list, v.today())
		return err
	})
	if err != nil {
		return err
	}
	title := v.say("nav.companies")
	p := page{Shell: v.shell("companies", title), Title: design.Title{Text: title, Act: v.asFile("companies", q)}}
	fields := []design.Field{v.oneOf(q, "status", "company", "APPROVED", "ON_HOLD", "SUSPENDED", "PENDING", "DECLINED", "CLOSED")}
	if q.Has("merchant") {
		fields = nil
	}
	p.Filter = v.filterOf("companies", q, append(fields, v.sorted(q)), "merchant")
	p.Tables = []titled{{ID: "list", Table: v.companyTable(list, late)}}
	if more {
		last := list[len(list)-1]
		p.Acts = v.older("companies", q, last.CreatedAt, strconv.FormatInt(last.ID, 10))
	}
	return v.show(http.StatusOK, p)
}

func lateOf(w store.View, list []*credit.Company, today calendar.Date) (map[int64]store.PastDue, error) {
	ids := make([]int64, len(list))
	for i, x := range list {
		ids[i] = x.ID
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return store.PastDues(w, ids, "", today)
}

// companyName is a company's name; a developer sees its number.
func (v *visit) companyName(x *credit.Company) string {
	if permit.Masked(v.visitor.Staff.Roles) {
		return strconv.FormatInt(x.ID, 10)
	}
	return x.Name
}

func (v *visit) companyTable(list []*credit.Company, late map[int64]store.PastDue) design.Table {
	t := design.Table{Caption: v.say("nav.companies"), Columns: []design.Column{
		{Text: v.say("orders.company")}, {Text: v.say("act.limit"), Number: true, From: "md"}, {Text: v.say("act.available"), Number: true}, {Text: v.say("company.outstanding"), Number: true, From: "sm"},
		{Text: v.say("company.late"), Number: true, From: "md"}, {Text: v.say("company.tier"), From: "lg"}, {Text: v.say("orders.status"), From: "sm"},
	}, Empty: &design.Empty{Text: v.say("companies.none"), Act: &design.Button{Text: v.say("companies.all"), Href: Prefix + "/companies"}, Command: "tenor companies list"}}
	m := v.language().Money
	for _, x := range list {
		state := v.companyState(x)
		due := "–"
		if d := late[x.ID]; d.Amount > 0 {
			due = m(money.Amount(d.Amount))
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: v.companyName(x), Detail: strconv.FormatInt(x.ID, 10), Href: companyPath(x.ID), Below: &state}, {Text: m(x.Limit)}, {Text: m(x.Available()), Strong: true}, {Text: m(x.Outstanding)}, {Text: due}, {Text: x.Tier}, {Badge: &state},
		}})
	}
	return t
}

func companyPath(id int64) string { return Prefix + "/companies/" + strconv.FormatInt(id, 10) }

func (v *visit) companyState(x *credit.Company) design.Badge {
	b := design.Badge{Text: v.say("company." + string(x.Status))}
	switch x.Status {
	case credit.CompanyApproved:
		b.Tone = design.Good
	case credit.CompanyOnHold, credit.CompanyPending:
		b.Tone = design.Warn
	case credit.CompanySuspended, credit.CompanyDeclined:
		b.Tone = design.Bad
	}
	return b
}

// companiesCSV is the list as a file.
func (v *visit) companiesCSV() error {
	q := v.readCompanies()
	return v.file("companies", "exportCompanies", q, []string{
		"company_id", "name", "status", "tier", "limit", "available", "reserved", "outstanding", "on_hold", "unapplied_credit", "past_due", "past_due_since", "created_at",
	}, func(out *csv.Writer, at store.Page) (n int, next store.Page, err error) {
		err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
			list, err := listCompanies(w, q, at)
			if err != nil || len(list) == 0 {
				return err
			}
			late, err := lateOf(w, list, v.today())
			if err != nil {
				return err
			}
			for _, x := range list {
				since, due := "", late[x.ID]
				if due.Amount > 0 {
					since = due.Oldest.String()
				}
				if err := out.Write([]string{
					strconv.FormatInt(x.ID, 10), web.PlainCell(v.companyName(x)), string(x.Status), x.Tier, x.Limit.String(), x.Available().String(), x.Reserved.String(), x.Outstanding.String(), x.OnHold.String(), x.Credit.String(),
					money.Amount(due.Amount).String(), since, x.CreatedAt.UTC().Format(time.RFC3339),
				}); err != nil {
					return err
				}
			}
			last := list[len(list)-1]
			n, next = len(list), store.Page{AfterAt: last.CreatedAt, AfterID: strconv.FormatInt(last.ID, 10)}
			return nil
		})
		return n, next, err
	})
}

// companyTabs are the parts of a company's page: each has its address. Developers see neither its
// accounts nor its notices.
func (v *visit) companyTabs() []string {
	if permit.Masked(v.visitor.Staff.Roles) {
		return []string{"timeline", "orders", "payments"}
	}
	return []string{"timeline", "orders", "payments", "accounts", "notices"}
}

// companyBook is a company with all that its page shows.
type companyBook struct {
	book
	company  *credit.Company
	due      store.PastDue
	past     past
	orders   []*credit.Order
	payments []*credit.Payment
	methods  []*credit.PaymentMethod
	notices  []*credit.Notice
}

// findCompany reads the company of the address, nil if there is none.
func (v *visit) findCompany(tab string) (x *companyBook, err error) {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return nil, nil //nolint:nilerr // no company has such a number
	}
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Companies: []int64{id}}); err != nil || s.Companies[id] == nil {
			return err
		}
		x = &companyBook{company: s.Companies[id]}
		if err := w.Load(s, credit.Keys{Merchants: x.company.Linked}); err != nil {
			return err
		}
		x.book = book{companies: s.Companies, merchants: s.Merchants}
		var err error
		if x.due, err = store.PastDueOf(w, id, "", v.today()); err != nil {
			return err
		}
		return x.read(v, w, tab)
	})
	return x, err
}

// read reads what a part of the page shows.
func (x *companyBook) read(v *visit, w store.View, tab string) (err error) {
	id, page := x.company.ID, store.Page{Limit: shownEvents}
	switch tab {
	case "timeline":
		x.past, err = v.readPast(w, "company", strconv.FormatInt(id, 10), store.RecordFilter{Company: id})
	case "orders":
		if x.orders, err = store.ListOrders(w, store.OrderFilter{Company: id, CapturedFrom: calendar.None, CapturedTo: calendar.None}, page); err != nil {
			return err
		}
		x.book, err = bookOf(w, x.orders...)
	case "payments":
		x.payments, err = store.ListPayments(w, store.PaymentFilter{Company: id, From: calendar.None, To: calendar.None}, page)
	case "accounts":
		x.methods, err = store.ListMethods(w, id)
	case "notices":
		x.notices, err = store.ListNotices(w, store.NoticeFilter{Company: id, DueFrom: calendar.None, DueTo: calendar.None}, page)
	}
	return err
}

// oneCompany shows one company.
func (v *visit) oneCompany() error {
	tab := cmp.Or(v.r.PathValue("tab"), v.companyTabs()[0])
	if !slices.Contains(v.companyTabs(), tab) {
		return v.bare(http.StatusNotFound, "lost")
	}
	x, err := v.findCompany(tab)
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	c, state, subject := x.company, v.companyState(x.company), v.companySubject(x)
	p := page{
		Shell: v.shell("companies", subject.name), Crumbs: []design.Link{{Text: v.say("nav.companies"), Href: Prefix + "/companies"}, {Text: subject.name}},
		Title: design.Title{Text: subject.name, Lead: subject.lead, Badge: &state}, Handle: &design.Key{ID: "company-id", Label: v.say("company.id"), Value: strconv.FormatInt(c.ID, 10)},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject), Figures: v.companyFigures(x), Acts: append(v.noteLink(subject), v.auditOf("company", strconv.FormatInt(c.ID, 10))...),
	}
	for _, name := range v.companyTabs() {
		p.Tabs = append(p.Tabs, design.Link{Text: v.say("tab." + name), Href: companyPath(c.ID) + "/" + name, Here: name == tab})
	}
	none := func(text string) *design.Empty {
		return &design.Empty{Text: v.say(text), Command: "tenor companies get " + strconv.FormatInt(c.ID, 10)}
	}
	switch tab {
	case "timeline":
		p.Facts = v.companyFacts(x)
		if p.Timeline, err = v.timeline(x.past, nil); err != nil {
			return err
		}
	case "orders":
		t := v.orderTable(x.orders, x.book)
		t.Empty = none("company.unordered")
		p.Tables = []titled{{ID: "orders", Table: t}}
	case "payments":
		p.Tables = []titled{{ID: "payments", Table: v.paymentTable(x.payments, none("company.unpaid"))}}
	case "accounts":
		p.Tables = []titled{{ID: "accounts", Table: v.methodTable(x.methods, none("company.unbanked"))}}
	case "notices":
		p.Tables = []titled{{ID: "notices", Table: v.noticeTable(x.notices, none("company.unnoticed"))}}
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) companyFigures(x *companyBook) []design.Figure {
	c, m := x.company, v.language().Money
	late := design.Figure{Label: v.say("company.late"), Value: m(money.Amount(x.due.Amount))}
	if x.due.Amount > 0 {
		late.Note = v.say("company.since", v.dayOr(x.due.Oldest))
	}
	return []design.Figure{
		{Label: v.say("act.available"), Value: m(c.Available()), Note: v.say("order.of", m(c.Limit))}, {Label: v.say("company.outstanding"), Value: m(c.Outstanding)},
		{Label: v.say("order.reserved"), Value: m(c.Reserved)}, late,
	}
}

func (v *visit) companyFacts(x *companyBook) []design.Fact {
	c := x.company
	var merchants []string
	for _, id := range c.Linked {
		merchants = append(merchants, merchantName(x.book, id))
	}
	out := []design.Fact{{Label: v.say("company.tier"), Text: c.Tier}, {Label: v.say("company.merchants"), Text: strings.Join(merchants, ", ")}}
	if c.StatusCode != "" && !permit.Masked(v.visitor.Staff.Roles) {
		out = append(out, design.Fact{Label: v.say("company.because"), Text: strings.TrimSpace(worded(c.StatusCode) + ". " + c.StatusMessage)})
	}
	if c.Credit != 0 {
		out = append(out, design.Fact{Label: v.say("company.credit"), Text: v.language().Money(c.Credit)})
	}
	if c.OnHold != 0 {
		out = append(out, design.Fact{Label: v.say("company.held"), Text: v.language().Money(c.OnHold)})
	}
	if !permit.Masked(v.visitor.Staff.Roles) {
		for _, f := range [][2]string{{"company.legal", c.LegalName}, {"company.tax", c.TaxIDLast4}, {"company.email", c.Email}, {"company.phone", c.Phone}, {"company.address", addressLine(c.BillingAddress)}} {
			if f[1] != "" {
				out = append(out, design.Fact{Label: v.say(f[0]), Text: f[1]})
			}
		}
	}
	return out
}

func addressLine(a credit.CompanyAddress) string {
	var out []string
	for _, x := range []string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.PostalCode)} {
		if x != "" {
			out = append(out, x)
		}
	}
	return strings.Join(out, ", ")
}

func (v *visit) methodTable(list []*credit.PaymentMethod, none *design.Empty) design.Table {
	t := design.Table{Caption: v.say("tab.accounts"), Columns: []design.Column{{Text: v.say("company.account")}, {Text: v.say("col.date"), From: "sm"}, {Text: v.say("orders.status")}}, Empty: none}
	for _, x := range list {
		name := string(x.Type)
		switch {
		case x.Bank != nil:
			name = v.say("company.bank", strings.ToLower(x.Bank.AccountType), x.Bank.Last4)
		case x.Card != nil:
			name = v.say("company.card", worded(x.Card.Brand), x.Card.Last4)
		}
		state := design.Badge{Text: worded(strings.ToLower(string(x.Status)))}
		switch x.Status {
		case credit.MethodActive:
			state.Tone = design.Good
		case credit.MethodDisabled:
			state.Tone, state.Text = design.Bad, strings.TrimSpace(state.Text+" "+x.DisabledReason)
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: name, Detail: x.ID, Strong: true}, {Text: v.language().Day(v.desk().Zone.Date(x.CreatedAt)), Soft: true}, {Badge: &state}}})
	}
	return t
}

func (v *visit) noticeTable(list []*credit.Notice, none *design.Empty) design.Table {
	t := design.Table{Caption: v.say("tab.notices"), Columns: []design.Column{{Text: v.say("company.notice")}, {Text: v.say("company.reasons"), From: "md"}, {Text: v.say("col.due"), From: "sm"}, {Text: v.say("orders.status")}}, Empty: none}
	for _, x := range list {
		state := design.Badge{Tone: design.Warn, Text: v.say("notice.waits")}
		switch {
		case !x.SentAt.IsZero():
			state = design.Badge{Tone: design.Good, Text: v.say("notice.sent", v.moment(x.SentAt))}
		case x.DueOn < v.today():
			state.Tone = design.Bad
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: worded(strings.ToLower(string(x.Kind))), Detail: x.ID, Strong: true}, {Text: strings.Join(reasonsInWords(x.Reasons), "; ")}, {Text: v.dayOr(x.DueOn)}, {Badge: &state}}})
	}
	return t
}
