package console

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// approvals lists what waits for a second person, then what has ended.
func (v *visit) approvals() error {
	var waits, ended []credit.Record
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if waits, err = store.ListRecords(w, credit.NounApproval, store.RecordFilter{Status: credit.ApprovalWaiting}, store.Page{Limit: pageOf}); err != nil {
			return err
		}
		ended, err = store.ListRecords(w, credit.NounApproval, store.RecordFilter{}, store.Page{Limit: pageOf})
		return err
	})
	if err != nil {
		return err
	}
	title := v.say("approvals.title")
	p := page{Shell: v.shell("approvals", title), Title: design.Title{Text: title, Lead: v.say("approvals.lead")}}
	var past []credit.Record
	for _, r := range ended {
		if r.Head().Status != credit.ApprovalWaiting {
			past = append(past, r)
		}
	}
	first, err := v.approvalTable("approvals.waiting", waits)
	if err != nil {
		return err
	}
	rest, err := v.approvalTable("approvals.ended", past)
	if err != nil {
		return err
	}
	p.Tables = []titled{{ID: "waiting", Title: v.say("approvals.waiting"), Table: first}, {ID: "ended", Title: v.say("approvals.ended"), Table: rest}}
	return v.show(http.StatusOK, p)
}

func (v *visit) approvalTable(name string, list []credit.Record) (design.Table, error) {
	t := design.Table{Caption: v.say(name), Columns: []design.Column{
		{Text: v.say("approvals.what")}, {Text: v.say("approvals.counts"), Number: true}, {Text: v.say("approvals.maker"), From: "sm"}, {Text: v.say("approvals.until"), From: "md"}, {Text: v.say("orders.status")},
	}, Empty: &design.Empty{Text: v.say(name + ".none"), Command: "tenor approvals list"}}
	for _, r := range list {
		x := r.(*credit.Approval)
		maker, err := v.who(x.Maker)
		if err != nil {
			return t, err
		}
		until := v.moment(x.UpdatedAt)
		if x.Status == credit.ApprovalWaiting {
			until = v.moment(x.NextAt)
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: worded(x.Act), Detail: strings.Replace(x.Of, "/", " ", 1), Href: Prefix + "/approvals/" + x.ID}, {Text: v.language().Money(x.Amount)}, {Text: maker}, {Text: until, Soft: true}, {Badge: approvalBadge(v, x)},
		}})
	}
	return t, nil
}

func approvalBadge(v *visit, x *credit.Approval) *design.Badge {
	tone := design.Calm
	switch x.Status {
	case credit.ApprovalWaiting:
		tone = design.Warn
	case credit.ApprovalApproved:
		tone = design.Good
	}
	return &design.Badge{Tone: tone, Text: v.say("status." + x.Status)}
}

// who names a maker, a checker or whoever acted: a colleague's name, or a client's identifier.
func (v *visit) who(id string) (string, error) {
	if !strings.HasPrefix(id, credit.PrefixStaffMember) {
		return id, nil
	}
	if name, known := v.names[id]; known {
		return name, nil
	}
	m, err := v.desk().Find(v.r.Context(), id)
	if err != nil || m == nil {
		return id, err
	}
	c, err := v.desk().ContactOf(v.r.Context(), m)
	if v.names == nil {
		v.names = map[string]string{}
	}
	v.names[id] = c.Name
	return c.Name, err
}

// approval shows one request, and what approving it would change now.
func (v *visit) approval() error { return v.showApproval(http.StatusOK, "") }

func (v *visit) findApproval() (*credit.Approval, error) {
	x, err := v.desk().Approval(v.r.Context(), v.r.PathValue("id"))
	if err == nil && x == nil {
		_ = v.bare(http.StatusNotFound, "lost")
		err = errLed
	}
	return x, err
}

func (v *visit) showApproval(status int, problem string) error {
	x, err := v.findApproval()
	if err != nil {
		return err
	}
	maker, err := v.who(x.Maker)
	if err != nil {
		return err
	}
	p := page{
		Shell: v.shell("approvals", worded(x.Act)), Crumbs: []design.Link{{Text: v.say("approvals.title"), Href: Prefix + "/approvals"}, {Text: worded(x.Act)}},
		Title: design.Title{Text: worded(x.Act), Lead: v.say("approval.lead", maker, v.moment(x.CreatedAt)), Badge: approvalBadge(v, x)},
		Facts: []design.Fact{{Label: v.say("approvals.about"), Text: strings.Replace(x.Of, "/", " ", 1)}, {Label: v.say("approvals.counts"), Text: v.language().Money(x.Amount)}},
	}
	if kind, id, _ := strings.Cut(x.Of, "/"); kind != "" {
		if at, ok := map[string]string{"order": "/orders/", "company": "/companies/", "application": "/applications/", "payment": "/payments/", "merchant": "/merchants/"}[kind]; ok {
			p.TopActs = []design.Button{{Text: v.say("approval.open"), Href: Prefix + at + id}}
		}
	}
	p.Facts = append(p.Facts, v.requested(x)...)
	if x.Checker != "" {
		checker, err := v.who(x.Checker)
		if err != nil {
			return err
		}
		p.Facts = append(p.Facts, design.Fact{Label: v.say("approvals.checker"), Text: checker}, design.Fact{Label: v.say("approvals.note"), Text: x.Note})
	}
	if x.Status == credit.ApprovalWaiting && v.visitor.May(x.Permission) > permit.None {
		if err := v.offer(&p, x, problem); err != nil {
			return err
		}
	}
	return v.show(status, p)
}

// requested is the act itself, member by member: whoever decides sees all that was asked for.
// Developers see that something waits, and not what.
func (v *visit) requested(x *credit.Approval) (out []design.Fact) {
	if permit.Masked(v.visitor.Staff.Roles) {
		return nil
	}
	out = append(out, design.Fact{Label: v.say("act.reason"), Text: x.Reason})
	members := journal.ShownCommand([]byte(x.Payload))
	object, _, _ := strings.Cut(x.Of, "/") // is named already
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text := plainly(members[name])
		if text == "" || slices.Contains([]string{"if_match", "reason", object}, name) {
			continue
		}
		out = append(out, design.Fact{Label: worded(name), Text: text})
	}
	return out
}

// offer adds what approving would change, and the form that does it: to its maker, only the way
// back.
func (v *visit) offer(p *page, x *credit.Approval, problem string) error {
	at := Prefix + "/approvals/" + x.ID
	p.Form = &pages.Form{Action: at, Once: buyer.Random(32), Groups: []pages.Group{{Parts: []pages.Part{
		pages.FieldPart(design.Field{Name: "reason", Label: v.say("act.reason"), Hint: v.say("act.reason.hint"), Value: v.answer("reason"), Error: problem, Required: true, Max: pages.MaxAnswer}),
	}}}}
	p.Summary, p.Beside = p.Form.Summary(), true
	if x.Maker == v.visitor.Member {
		p.Notice = &design.Notice{Icon: "users", Title: v.say("approval.own"), Text: v.say("approval.own.text")}
		p.Form.Acts = []design.Button{{Text: v.say("approval.withdraw"), Name: "go", Value: "end"}}
		return nil
	}
	cmd, err := journal.Approve(x)
	if err != nil {
		return err
	}
	f, err := v.desk().Foresee(v.r.Context(), v.visitor, signin.Act{Command: cmd, Address: v.address})
	end := design.Button{Text: v.say("approval.decline"), Name: "go", Value: "end"}
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) {
		p.Notice = &design.Notice{Tone: design.Warn, Icon: "triangle-alert", Title: v.say("approval.stale"), Text: refused.Detail}
		p.Form.Acts = []design.Button{end}
		return nil
	}
	if err != nil {
		return err
	}
	p.Tables = v.changes(&f, approvalSubject(x, f.State))
	if !v.desk().Fresh(v.visitor.Session) {
		p.Form.Acts = []design.Button{{Text: v.say("approval.again"), Href: Prefix + "/again?to=" + at, Emphasis: design.Primary}, end}
		return nil
	}
	p.Form.Acts = []design.Button{{Text: v.say("approval.go"), Name: "go", Value: "approve", Emphasis: design.Primary}, end}
	return nil
}

// decideApproval approves or ends a request.
func (v *visit) decideApproval() error {
	x, err := v.findApproval()
	if err != nil {
		return err
	}
	if v.visitor.May(x.Permission) == permit.None {
		return v.refuse(x.Permission)
	}
	reason := v.answer("reason")
	if reason == "" {
		return v.showApproval(pages.Wrong, v.say("act.reason.missing"))
	}
	a := signin.Act{Command: staff.EndApproval{Approval: x.ID}, Reason: reason, Address: v.address, Once: v.answer("once")}
	if v.r.PostForm.Get("go") == "approve" {
		if !v.desk().Fresh(v.visitor.Session) {
			return v.lead("/again?to=" + Prefix + "/approvals/" + x.ID)
		}
		if a.Command, err = journal.Approve(x); err != nil {
			return err
		}
	}
	defer v.recount()
	_, err = v.desk().Act(v.r.Context(), v.visitor, a)
	switch refused := (*credit.Rejection)(nil); {
	case errors.As(err, &refused):
		return v.showApproval(pages.Wrong, refused.Detail)
	case err != nil && !errors.Is(err, buyer.ErrRaced):
		return err
	}
	return v.to("/approvals/" + x.ID)
}

// approvalSubject is what an approval is about, as far as its changes can be compared.
func approvalSubject(x *credit.Approval, s *credit.State) *subject {
	out := &subject{}
	switch kind, id, _ := strings.Cut(x.Of, "/"); kind {
	case "company":
		out.company, _ = strconv.ParseInt(id, 10, 64)
	case "application":
		out.application = id
	case "merchant":
		out.merchant = id
	case string(credit.NounStaffMember):
		out.member = id
	case "payment":
		if p := s.Payments[id]; p != nil {
			out.order, out.company = p.Order, p.Company
		}
	case "order":
		if o := s.Orders[id]; o != nil {
			out.order, out.company = id, o.Company
		}
	}
	return out
}
