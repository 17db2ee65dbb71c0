package orders

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
	"tenor/internal/office/paper"
)

// OrderPapers returns the reads of what a buyer was told about an order, and has accepted.
func (s API) OrderPapers() []rest.Operation {
	return rest.Group{Tag: "Orders", Reads: "orders:read"}.With([]rest.Operation{
		{
			ID: "getDisclosure", Method: "GET", Path: "/v1/order/{key}/disclosure", Summary: "Retrieve an order's disclosure",
			Doc: "Its figures match the schedule: as of the capture, or before capture as of the day the terms were set. " +
				"As HTML or PDF: what the buyer was shown, or the same form for an order created through the API.",
			Response: resource.Disclosure{}, ETag: true, Produces: serve.Papers(), Problems: []string{"installments_required"}, Endpoint: rest.Handle(s.getDisclosure),
		},
		{
			ID: "getAgreement", Method: "GET", Path: "/v1/order/{key}/agreement", Summary: "Retrieve the buyer's acceptance of an order",
			Doc:      "With the documents shown and their hashes; as HTML or PDF, the agreement itself, byte for byte. 404 for an order no buyer has accepted.",
			Response: resource.Agreement{}, ETag: true, Produces: serve.Papers(), Endpoint: rest.Handle(s.getAgreement),
		},
	})
}

// acceptedIn returns the checkout in which the terms of an order were accepted, with its
// papers, nil if nobody has.
func acceptedIn(v store.View, o *credit.Order) (*credit.Checkout, []*credit.Document, error) {
	if o.Checkout == "" {
		return nil, nil, nil
	}
	x, err := buyer.Load[*credit.Checkout](v, o.Checkout)
	if err != nil || x == nil || x.Accepted == nil {
		return nil, nil, err
	}
	var all []*credit.Document
	for _, id := range x.Accepted.Documents {
		p, err := buyer.Load[*credit.Document](v, id)
		if err != nil {
			return nil, nil, err
		}
		if p != nil {
			all = append(all, p)
		}
	}
	return x, all, nil
}

// filed answers with the bytes of a paper that was shown.
func (s API) filed(c *rest.Call, v store.View, all []*credit.Document, kind string) (rest.Answer, error) {
	i := slices.IndexFunc(all, func(p *credit.Document) bool { return p.Kind == kind && strings.HasPrefix(p.ContentType, c.Accepted) })
	if i < 0 || all[i].Content == "" {
		return rest.Answer{}, rest.NotFound()
	}
	x, data, err := s.Desk.Document(v, all[i].ID)
	if err != nil {
		return rest.Answer{}, err
	}
	return paperAnswer(c, data, x.ContentType, x.Hash[:32]), nil
}

// paperAnswer answers with a page or PDF. A page has its own style and nothing else.
func paperAnswer(c *rest.Call, data []byte, contentType, tag string) rest.Answer {
	a := rest.Answer{Raw: data, ContentType: contentType, ETag: `"` + tag + `"`}
	if c.Accepted == serve.MediaHTML {
		a.Header = http.Header{"Content-Security-Policy": {paper.Policy()}}
	}
	return a
}

func (s API) getAgreement(c *rest.Call, p *serve.OrderKey, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		o, err := serve.FindOrder(c, v, p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		x, all, err := acceptedIn(v, o)
		if err == nil && x == nil {
			err = rest.NotFound()
		}
		if err != nil {
			return rest.Answer{}, err
		}
		if c.Accepted != rest.MediaJSON {
			return s.filed(c, v, all, credit.DocumentAgreement)
		}
		w := resource.NewAgreement(x, all)
		return serve.Tagged(&w)
	})
}

func (s API) getDisclosure(c *rest.Call, p *serve.OrderKey, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		o, err := serve.FindOrder(c, v, p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		x, all, err := acceptedIn(v, o)
		if err != nil {
			return rest.Answer{}, err
		}
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}, Merchants: []string{o.Merchant}, Lenders: []string{credit.TheLender}}); err != nil {
			return rest.Answer{}, err
		}
		d, err := s.disclosed(state, o, x)
		if err != nil {
			return rest.Answer{}, err
		}
		digest := ""
		if x != nil {
			digest = x.Accepted.Digest
		}
		switch {
		case c.Accepted == rest.MediaJSON:
			w := resource.NewDisclosure(o.Key, digest, d)
			return serve.Tagged(&w)
		case digest == d.Digest():
			return s.filed(c, v, all, credit.DocumentDisclosure)
		}
		return s.rendered(c, state, o, d)
	})
}

// disclosed makes the disclosure of an order: for its capture, or for the day on which its
// terms were set, or are requested.
func (s API) disclosed(state *credit.State, o *credit.Order, x *credit.Checkout) (lending.Disclosure, error) {
	m, day := state.Merchants[o.Merchant], s.Today()
	settings := m.InForce(day)
	terms := o.Terms
	switch {
	case o.CaptureDate != calendar.None:
		day = o.CaptureDate
	case x != nil:
		day = s.Zone.Date(x.Accepted.At)
	case !o.AuthorizedAt.IsZero():
		day = s.Zone.Date(o.AuthorizedAt)
	}
	if set := m.InForce(day); set != nil {
		settings = set
	}
	if terms == nil && x != nil {
		terms = &x.Accepted.Terms
	}
	amount := o.Amount
	if o.CaptureDate != calendar.None {
		amount = o.Captured
	}
	if terms == nil {
		offers := onboarding.Offers(settings, state.Companies[o.Company], amount, []int{o.Installments}, day)
		if o.Installments == 0 || len(offers) == 0 {
			return lending.Disclosure{}, rest.NewProblem("installments_required", "Choose a number of installments that the merchant offers for this amount.")
		}
		return offers[0].Disclosure, nil
	}
	d, r := lending.Disclose(*terms, &settings.Settings, amount, day)
	if r != nil {
		return lending.Disclosure{}, Refusal(r)
	}
	return d, nil
}

// Refusal turns a rejection of the domain into a problem.
func Refusal(r *credit.Rejection) *rest.Problem {
	return &rest.Problem{Code: r.Code, Detail: r.Detail, Members: r.Members}
}

// rendered answers with the paper of a disclosure that was not shown.
func (s API) rendered(c *rest.Call, state *credit.State, o *credit.Order, d lending.Disclosure) (rest.Answer, error) {
	all, err := paper.Make(paper.Input{
		Parties: Parties(state, o.Merchant, o.Company, o.Key), Disclosure: d, Amount: d.Funding, On: d.CapturedOn, Language: credit.MailLanguage,
	})
	if err != nil {
		return rest.Answer{}, err
	}
	i := slices.IndexFunc(all, func(p buyer.Paper) bool {
		return p.Kind == credit.DocumentDisclosure && strings.HasPrefix(p.ContentType, c.Accepted)
	})
	if i < 0 {
		return rest.Answer{}, rest.NotFound()
	}
	return paperAnswer(c, all[i].Data, all[i].ContentType, buyer.Digest(string(all[i].Data))[:32]), nil
}

// Parties returns the parties of an order's papers.
func Parties(state *credit.State, merchant string, company int64, order string) paper.Parties {
	by := state.TheLender().Settings
	p := paper.Parties{Lender: cmp.Or(by.Creditor.Name, "Tenor"), LenderAddress: by.Creditor.Address, LenderContact: by.Contact, Order: order}
	if m := state.Merchants[merchant]; m != nil {
		p.Merchant = m.Name
	}
	if x := state.Companies[company]; x != nil {
		p.Business = cmp.Or(x.LegalName, x.Name)
	}
	return p
}
