package operator

import (
	"context"
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/ports/rails/ach"
)

type bankNoticeFilter struct {
	rest.Page
	Waiting *bool `query:"waiting" doc:"List only notices not reviewed yet." example:"true"`
}

type bankNoticeID struct {
	ID string `path:"id" pattern:"^bkn_[0-9A-Za-z_-]+$" maxLength:"1024" doc:"The notice's identifier." example:"bkn_QUNIL3JldHVybnMtMDIxOC5hY2gvNWYxYzllMDJhN2QzLTEuMQ"`
}

type bankReviewBody struct {
	Note string `json:"note" required:"true" minLength:"1" maxLength:"1000" doc:"What was done, and the result." example:"Not ours: the bank takes it back."`
}

// BankNotices returns the operations on bank and processor notices left for review. A
// person's review is not a decision: it moves no money and changes no order.
func (s API) BankNotices() []rest.Operation {
	const path = "/v1/operator/bank_notices"
	return rest.Group{Tag: "Books", Reads: access.ScopeRead, Writes: access.ScopeBooks}.With([]rest.Operation{
		{
			ID: "listBankNotices", Method: "GET", Path: path, Summary: "List bank notices that need review",
			Doc:      "Entries that could not be processed automatically, late returns, and card disputes. Newest first, including reviewed ones. Open ones also show up as alarms.",
			Response: resource.List[resource.BankNotice]{}, Endpoint: rest.Handle(s.listBankNotices),
		},
		{
			ID: "getBankNotice", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a bank notice",
			Doc:      "404 for notices that need no review.",
			Response: resource.BankNotice{}, Endpoint: rest.Handle(s.getBankNotice),
		},
		{
			ID: "reviewBankNotice", Method: "POST", Path: path + "/{id}/review", Summary: "Review a bank notice", Undecided: true,
			Doc: "Closes its alarm. Reviewer, time and note are permanent; a reviewed notice cannot be changed. " +
				"For a late return, note the dispute and its result; for a card dispute, the response. A dispute that is won closes automatically. An Idempotency-Key is accepted but not stored.",
			Response: resource.BankNotice{}, Problems: []string{}, Endpoint: rest.Handle(s.reviewBankNotice),
		},
	})
}

func (s API) listBankNotices(c *rest.Call, q *bankNoticeFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListBankNotices(v, store.BankNoticeFilter{Waiting: serve.Deref(q.Waiting)}, serve.PageOf(q.Page))
		if err != nil {
			return rest.Answer{}, err
		}
		said := make(map[string]store.NoticeDetails, len(found))
		for i := range found {
			if said[found[i].Key()], err = found[i].Details(); err != nil {
				return rest.Answer{}, err
			}
		}
		at := func(n store.BankNotice) rest.Position { return rest.Position{CreatedAt: n.At, ID: n.Key()} }
		return serve.Listed(c, q.Page, found, at, func(n store.BankNotice) resource.BankNotice { return s.bankNotice(&n, said[n.Key()]) }), nil
	})
}

// bankNotice is the resource of a notice.
func (s API) bankNotice(n *store.BankNotice, said store.NoticeDetails) resource.BankNotice {
	by := calendar.None
	switch {
	case n.Result == store.NoticeLate:
		by = ach.DisputeBy(s.Zone.Date(n.At))
	case n.Result == store.NoticeDisputed && !said.AnswerBy.IsZero():
		by = s.Zone.Date(said.AnswerBy)
	}
	return resource.NewBankNotice(n, said, by)
}

func (s API) getBankNotice(c *rest.Call, p *bankNoticeID, _ *rest.None) (rest.Answer, error) {
	rail, id, ok := store.NoticeOfRef(p.ID)
	if !ok {
		return rest.Answer{}, rest.NotFound()
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		n, found, err := store.BankNoticeOf(v, rail, id)
		switch {
		case err != nil:
			return rest.Answer{}, err
		case !found || !n.Left():
			return rest.Answer{}, rest.NotFound()
		}
		said, err := n.Details()
		w := s.bankNotice(&n, said)
		return rest.OK(&w), err
	})
}

func (s API) reviewBankNotice(c *rest.Call, p *bankNoticeID, b *bankReviewBody) (rest.Answer, error) {
	rail, id, ok := store.NoticeOfRef(p.ID)
	if !ok {
		return rest.Answer{}, rest.NotFound()
	}
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	err := s.Store.ReviewNotice(ctx, rail, id, c.Principal.ClientID, b.Note, s.Now())
	if errors.Is(err, store.ErrRefused) {
		return rest.Answer{}, rest.NotFound()
	}
	if err != nil {
		return rest.Answer{}, err
	}
	a, err := s.getBankNotice(c, p, nil)
	a.AsOfSeq = 0 // it is neither a decision nor a snapshot of decisions
	return a, err
}
