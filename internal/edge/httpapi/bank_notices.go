package httpapi

import (
	"context"
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/ports/rails/ach"
)

type bankNoticeFilter struct {
	rest.Page
	Waiting *bool `query:"waiting" doc:"Whether only those are listed that no person has seen to." example:"true"`
}

type bankNoticeID struct {
	ID string `path:"id" pattern:"^bkn_[0-9A-Za-z_-]+$" maxLength:"1024" doc:"The notice's identifier." example:"bkn_QUNIL3JldHVybnMtMDIxOC5hY2gvNWYxYzllMDJhN2QzLTEuMQ"`
}

type bankReviewBody struct {
	Note string `json:"note" required:"true" minLength:"1" maxLength:"1000" doc:"What was done about it, and what came of it." example:"Not ours: the bank takes it back."`
}

// bankNotices are what banks and processors said and left to a person. What a person says
// of one is no decision: it moves no money and changes no order.
func (s *Service) bankNotices() []rest.Operation {
	const path = "/v1/operator/bank_notices"
	return rest.Group{Tag: "Books", Reads: credit.ScopeRead, Writes: credit.ScopeBooks}.With([]rest.Operation{
		{
			ID: "listBankNotices", Method: "GET", Path: path, Summary: "List what banks said and was left to a person",
			Doc:      "What no program could use, returns that came after their deadline, and disputes of card charges. Newest first, those too that somebody has seen to. What waits is also among the alarms.",
			Response: resource.List[resource.BankNotice]{}, Endpoint: rest.Handle(s.listBankNotices),
		},
		{
			ID: "getBankNotice", Method: "GET", Path: path + "/{id}", Summary: "Retrieve what a bank said",
			Doc:      "404 for what was not left to a person.",
			Response: resource.BankNotice{}, Endpoint: rest.Handle(s.getBankNotice),
		},
		{
			ID: "reviewBankNotice", Method: "POST", Path: path + "/{id}/review", Summary: "Say what was done about what a bank said", Undecided: true,
			Doc: "Its alarm ends. Who has said it, when and what stays for good: one that was reviewed stays as it is. " +
				"Of a late return note the dispute and what came of it, of a disputed charge what was answered; one that is won ends by itself. An Idempotency-Key is taken and not kept.",
			Response: resource.BankNotice{}, Problems: []string{}, Endpoint: rest.Handle(s.reviewBankNotice),
		},
	})
}

func (s *Service) listBankNotices(c *rest.Call, q *bankNoticeFilter, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListBankNotices(v, store.BankNoticeFilter{Waiting: deref(q.Waiting)}, pageOf(q.Page))
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
		return listed(c, q.Page, found, at, func(n store.BankNotice) resource.BankNotice { return s.bankNotice(&n, said[n.Key()]) }), nil
	})
}

// bankNotice is the resource of a notice.
func (s *Service) bankNotice(n *store.BankNotice, said store.NoticeDetails) resource.BankNotice {
	by := calendar.None
	switch {
	case n.Result == store.NoticeLate:
		by = ach.DisputeBy(s.Zone.Date(n.At))
	case n.Result == store.NoticeDisputed && !said.AnswerBy.IsZero():
		by = s.Zone.Date(said.AnswerBy)
	}
	return resource.NewBankNotice(n, said, by)
}

func (s *Service) getBankNotice(c *rest.Call, p *bankNoticeID, _ *rest.None) (rest.Answer, error) {
	rail, id, ok := store.NoticeOfRef(p.ID)
	if !ok {
		return rest.Answer{}, rest.NotFound()
	}
	return s.read(c, func(v store.View) (rest.Answer, error) {
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

func (s *Service) reviewBankNotice(c *rest.Call, p *bankNoticeID, b *bankReviewBody) (rest.Answer, error) {
	rail, id, ok := store.NoticeOfRef(p.ID)
	if !ok {
		return rest.Answer{}, rest.NotFound()
	}
	ctx, cancel := context.WithTimeout(c.Context(), readTimeout)
	defer cancel()
	err := s.Store.ReviewNotice(ctx, rail, id, c.Principal.ClientID, b.Note, s.Now())
	if errors.Is(err, store.ErrRefused) {
		return rest.Answer{}, rest.NotFound()
	}
	if err != nil {
		return rest.Answer{}, err
	}
	a, err := s.getBankNotice(c, p, nil)
	a.AsOfSeq = 0 // it is no decision, and no snapshot of them
	return a, err
}
