package operator

import (
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/alarm"
	"tenor/internal/office/statement"
)

type noticeFilter struct {
	rest.Page
	CompanyID *values.CompanyID `query:"company_id" doc:"Notices to this company." example:"1000000001"`
	State     string            `query:"state" enum:"unsent,due_soon,overdue,late" doc:"unsent: not sent yet; due_soon: unsent and due within ten days; overdue: unsent and past the deadline; late: sent after the deadline." example:"due_soon"`
}

// store translates the filter for the store.
func (f *noticeFilter) store(today calendar.Date) store.NoticeFilter {
	out := store.NoticeFilter{Company: int64(serve.Deref(f.CompanyID)), Unsent: f.State != "" && f.State != "late", Late: f.State == "late", DueFrom: serve.None, DueTo: serve.None}
	switch f.State {
	case "due_soon":
		out.DueFrom, out.DueTo = today, today.AddDays(alarm.NoticeDays)
	case "overdue":
		out.DueTo = today - 1
	}
	return out
}

type noticeID struct {
	ID string `path:"id" prefix:"ntc_" doc:"The notice's identifier." example:"ntc_01KB0A4E7WBN3R1P9M8K6J4H2G"`
}

type furtherReasonsBody struct {
	ReceivedOn calendar.Date `json:"received_on" required:"true" doc:"Date of the request: today or earlier, at most 60 days after the notice was sent." example:"2026-03-20"`
	Reasons    []string      `json:"reasons" maxItems:"4" minLength:"1" maxLength:"200" doc:"One to four reasons to give, each a code or text. Default: those of the notice." example:"[\"credit_score\"]"`
}

type noticeSentBody struct {
	Channel  string `json:"channel" required:"true" enum:"MAIL,EMAIL,PORTAL" doc:"How it was sent." example:"MAIL"`
	Evidence string `json:"evidence" required:"true" minLength:"1" doc:"What shows it." example:"tracking 9400 1000 0000"`
}

// notices returns the operations on adverse-action notices (F28).
func (s API) notices() []rest.Operation {
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeCompanies, Response: resource.Notice{}, ETag: true}.With([]rest.Operation{
		{
			ID: "listNotices", Method: "GET", Path: "/v1/operator/notices", Summary: "List adverse action notices", Doc: "Newest first.",
			Response: resource.List[resource.Notice]{}, Endpoint: rest.Handle(s.listNotices),
		},
		{
			ID: "getNotice", Method: "GET", Path: "/v1/operator/notices/{id}", Summary: "Retrieve an adverse action notice",
			Doc: "As JSON, or as HTML or PDF to send to the company. The document names the creditor and the regulator and states the reasons in " +
				"words; until sent, from the lender's current settings, afterwards as sent. Its content is erased after the retention period for applications (`application_months` of the lender's " +
				"settings), counted from sending; the record then keeps only that, when and how it was sent.",
			Response: resource.Notice{}, ETag: true, Produces: serve.Papers(), Problems: []string{CodeLender}, Endpoint: rest.Handle(s.getNotice),
		},
		{
			ID: "sendNotice", Method: "POST", Path: "/v1/operator/notices/{id}/sent", Summary: "Record that a notice was sent",
			Doc:      "Freezes the creditor and regulator shown in it, so that the document stays the same when the lender's settings change.",
			Endpoint: serve.Decides(s.Service, noticeAnswer, sendNotice),
		},
		{
			ID: "requestReasons", Method: "POST", Path: "/v1/operator/notices/{id}/reasons", Summary: "Record a request for reasons",
			Doc: "A company can request the reasons for an action within 60 days after its notice was sent. The answer is a separate notice, due 30 days " +
				"after the request was received.",
			Success: 201, Problems: []string{"invalid_transition", "invalid_effective_date", "reasons_required"}, Endpoint: serve.Decides(s.Service, noticeAnswer, requestReasons),
		},
	})
}

func (s API) listNotices(c *rest.Call, f *noticeFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListNotices(v, f.store(s.Today()), serve.PageOf(f.Page))
		return serve.Listed(c, f.Page, found, func(n *credit.Notice) rest.Position { return rest.Position{CreatedAt: n.ActionAt, ID: n.ID} }, resource.NewNotice), err
	})
}

func (s API) getNotice(c *rest.Call, p *noticeID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Notices: []string{p.ID}}); err != nil {
			return rest.Answer{}, err
		}
		n := state.Notices[p.ID]
		if n == nil {
			return rest.Answer{}, rest.NotFound()
		}
		if c.Accepted != rest.MediaJSON {
			return s.printNotice(c, v, n)
		}
		return serve.Answer(resource.NewNotice(n), serve.VersionTag(n.Version))
	})
}

// printNotice makes the company's paper, dated when it was sent or, until then, today.
func (s API) printNotice(c *rest.Call, v store.View, n *credit.Notice) (rest.Answer, error) {
	on := s.Today()
	if !n.SentAt.IsZero() {
		on = s.Zone.Date(n.SentAt)
	}
	p, err := statement.PrintNotice(v, n, on)
	var unset *statement.Unset
	if errors.Is(err, statement.ErrErased) {
		return rest.Answer{}, rest.NotFound()
	}
	if errors.As(err, &unset) {
		return rest.Answer{}, incomplete(unset.Missing)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	return serve.Print(c, p)
}

func sendNotice(_ *rest.Call, p *noticeID, b *noticeSentBody) credit.Command {
	return compliance.SendNotice{Notice: p.ID, Channel: b.Channel, Evidence: b.Evidence}
}

func requestReasons(_ *rest.Call, p *noticeID, b *furtherReasonsBody) credit.Command {
	return compliance.RequestReasons{Notice: p.ID, Received: b.ReceivedOn, Reasons: b.Reasons}
}

func noticeAnswer(ch credit.Changes) serve.Success {
	n := ch.Result.(*credit.Notice)
	w := resource.NewNotice(n)
	ok := serve.Success{Body: &w, Etag: serve.VersionTag(n.Version)}
	if ch.Created {
		ok.Location = "/v1/operator/notices/" + n.ID
	}
	return ok
}
