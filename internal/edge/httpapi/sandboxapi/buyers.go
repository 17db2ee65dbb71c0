package sandboxapi

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/orders"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/buyer"
	"tenor/internal/office/paper"
	"tenor/internal/ports/facts/sandbox"
)

type standBody struct {
	Installments *int              `json:"installments" minimum:"1" maximum:"36" doc:"Number of installments the buyer chooses. Default: the fewest offered." example:"6"`
	EIN          *string           `json:"ein" pattern:"^[0-9]{2}[- ]?[0-9]{7}$" doc:"Apply with this tax ID. Default: 00-0000001." example:"00-0000001"`
	CompanyID    *values.CompanyID `json:"company_id" doc:"Act for this company instead of applying." example:"1000000001"`
}

// Check allows at most one way.
func (b *standBody) Check(report func(name, code, detail string)) {
	if b.EIN != nil && b.CompanyID != nil {
		report("/ein", "exactly_one", "Give ein or company_id, not both.")
	}
}

type sandboxDecisionBody struct {
	Decision string        `json:"decision" required:"true" enum:"APPROVED,DECLINED" doc:"Decision." example:"APPROVED"`
	Limit    *money.Amount `json:"limit" minimum:"500.00" doc:"For an approval. Default: the requested limit." example:"8000.00"`
	Tier     string        `json:"tier" enum:"A,B,C" default:"A" doc:"For an approval." example:"A"`
	Reasons  []string      `json:"reasons" maxItems:"4" minLength:"1" maxLength:"64" doc:"For a decline or a lower limit. Default: credit_score." example:"[\"credit_score\"]"`
}

// Buyers returns the operations that act as buyers, time and staff would, without an open
// page.
func (s API) Buyers() []rest.Operation {
	if s.Desk == nil {
		return nil
	}
	act := func(id, path, summary, doc string, response any, codes []string, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: "POST", Path: "/v1/sandbox/" + path, Tag: "Sandbox", Summary: summary, Doc: doc, Scopes: []string{"sandbox"},
			Response: response, Problems: codes, BodyOptional: true, Endpoint: e,
		}
	}
	over := []string{rest.CodeNotFound, "checkout_not_accepted", "checkout_expired", "checkout_already_completed"}
	decide := act("decideSandboxApplication", "applications/{id}/decide", "Decide an application as an underwriter", "", resource.Application{}, []string{rest.CodeNotFound, "application_decided", "reasons_required"}, rest.Handle(s.decideSandboxApplication))
	decide.BodyOptional = false
	return []rest.Operation{
		{
			ID: "getSandbox", Method: "GET", Path: "/v1/sandbox", Tag: "Sandbox", Summary: "List sandbox test values", Doc: "Tax IDs with a fixed outcome.",
			Scopes: []string{"sandbox"}, Response: resource.Sandbox{}, Endpoint: rest.Handle(s.getSandbox),
		},
		act("acceptSandboxCheckout", "checkouts/{id}/accept", "Accept a checkout as its buyer",
			"Verifies an e-mail and applies as needed. If the application is not approved, the checkout ends accordingly.", resource.Checkout{},
			append([]string{"checkout_taken", "company_not_eligible", "owner_required", "terms_changed", "term_not_available", "insufficient_credit"}, over...), rest.Handle(s.acceptSandboxCheckout)),
		act("declineSandboxCheckout", "checkouts/{id}/decline", "Decline a checkout", "As if the business had been declined.", resource.Checkout{}, over, rest.Handle(s.declineSandboxCheckout)),
		act("cancelSandboxCheckout", "checkouts/{id}/cancel", "Leave a checkout as its buyer",
			"With the reason of the buyer's current page: `insufficient_credit` or `company_not_eligible` if accepting was rejected for that, otherwise `buyer_canceled`.",
			resource.Checkout{}, over, rest.Handle(s.cancelSandboxCheckout)),
		act("expireSandboxCheckout", "checkouts/{id}/expire", "Expire a checkout by time", "Advances the sandbox's clock to its deadline for accepting or completing.", resource.Checkout{},
			append([]string{"clock_moving"}, over...), rest.Handle(s.expireSandboxCheckout)),
		decide,
	}
}

func (s API) getSandbox(_ *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	w := resource.Sandbox{Outcomes: []resource.SandboxOutcome{}}
	for _, x := range sandbox.Outcomes() {
		w.Outcomes = append(w.Outcomes, resource.SandboxOutcome{EIN: x.EIN, Outcome: x.Says})
	}
	return rest.OK(&w), nil
}

// played turns an error of the desk into a problem.
func played(err error) error {
	var r *credit.Rejection
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r):
		return orders.Refusal(r)
	case errors.Is(err, buyer.ErrNoCheckout):
		return rest.NotFound()
	case errors.Is(err, buyer.ErrNoOffer):
		return rest.NewProblem("term_not_available", "The merchant's program does not offer this number of installments.")
	case errors.Is(err, buyer.ErrNoPerson):
		return rest.Invalid("/company_id", "not_allowed", "Nobody can act for this company: it has no people and no e-mail address of its own.")
	}
	return serve.Failure(err)
}

// playing finds a checkout that the caller may see, plays with it and answers with the
// result.
func (s API) playing(c *rest.Call, id string, play func(*credit.Checkout) error) (rest.Answer, error) {
	var before *credit.Checkout
	if _, err := s.Read(c, func(v store.View) (_ rest.Answer, err error) {
		before, err = orders.FindCheckout(c, v, id)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	if err := played(play(before)); err != nil {
		return rest.Answer{}, err
	}
	return orders.API{Service: s.Service}.GetCheckout(c, &serve.CheckoutID{ID: id}, nil)
}

func (s API) acceptSandboxCheckout(c *rest.Call, p *serve.CheckoutID, b *standBody) (rest.Answer, error) {
	return s.playing(c, p.ID, func(*credit.Checkout) error {
		return s.Desk.Stand(c.Context(), buyer.Stand{
			Checkout: p.ID, Company: int64(serve.Deref(b.CompanyID)), EIN: serve.Deref(b.EIN), Installments: serve.Deref(b.Installments), Papers: s.PapersOf,
		})
	})
}

// PapersOf returns the papers of an offer that a sandbox's buyer accepts.
func (s API) PapersOf(x buyer.Visit, o onboarding.Offer) ([]buyer.Paper, error) {
	state := credit.NewState()
	state.Merchants[x.Merchant.ID], state.Companies[x.Company.ID] = x.Merchant, x.Company
	by := orders.Parties(state, x.Merchant.ID, x.Company.ID, x.Checkout.Of)
	by.Signer = "Sandbox Buyer"
	return paper.Make(paper.Input{
		Parties: by, Disclosure: o.Disclosure, Amount: x.Checkout.Amount, On: s.Today(), Language: credit.MailLanguage, Master: x.Company.Servicing.Unsigned,
	})
}

func (s API) declineSandboxCheckout(c *rest.Call, p *serve.CheckoutID, _ *rest.None) (rest.Answer, error) {
	return s.playing(c, p.ID, func(*credit.Checkout) error { return s.Desk.End(c.Context(), p.ID, lending.EndDeclined, c.From()) })
}

func (s API) cancelSandboxCheckout(c *rest.Call, p *serve.CheckoutID, _ *rest.None) (rest.Answer, error) {
	return s.playing(c, p.ID, func(*credit.Checkout) error { return s.Desk.Leave(c.Context(), p.ID, c.From()) })
}

func (s API) expireSandboxCheckout(c *rest.Call, p *serve.CheckoutID, _ *rest.None) (rest.Answer, error) {
	return s.playing(c, p.ID, func(x *credit.Checkout) error {
		switch {
		case x.Ended():
			return nil
		case x.NextAt.IsZero():
			return rest.NewProblem("checkout_not_accepted", "The checkout is in review and does not expire meanwhile.")
		}
		if x.NextAt.After(s.Now()) {
			if err := s.Controls.AdvanceTo(c.Context(), x.NextAt.Add(time.Second), sandboxWait); err != nil {
				return obeyed(err)
			}
		}
		return s.Desk.Service(c.Context(), x.ID)
	})
}

func (s API) decideSandboxApplication(c *rest.Call, p *serve.ApplicationID, b *sandboxDecisionBody) (rest.Answer, error) {
	var x *credit.Application
	if _, err := s.Read(c, func(v store.View) (_ rest.Answer, err error) {
		x, err = serve.FindApplication(c, v, p.ID)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	cmd := onboarding.DecideApplication{Application: p.ID, Approve: b.Decision == credit.ApplicationApproved, Limit: x.Requested, Tier: b.Tier, Reasons: b.Reasons, Note: "Decided in the sandbox."}
	if b.Limit != nil {
		cmd.Limit = *b.Limit
	}
	if len(cmd.Reasons) == 0 && (!cmd.Approve || cmd.Limit < x.Requested) {
		cmd.Reasons = []string{"credit_score"}
	}
	if err := played(s.Desk.Staff(c.Context(), cmd, c.From())); err != nil {
		return rest.Answer{}, err
	}
	return buyers.API{Service: s.Service}.GetApplication(c, p, nil)
}

// lettersOf returns the mails of the buyer's side that the caller may see, newest first:
// those of its own shop, and those of accounts, which belong to no shop.
func (s API) lettersOf(c *rest.Call) ([]resource.SandboxMail, error) {
	if s.Desk == nil {
		return nil, nil
	}
	all, err := s.Desk.Mailbox(c.Context(), store.Page{Limit: maxLetters})
	if err != nil {
		return nil, err
	}
	out := []resource.SandboxMail{}
	for _, l := range all {
		if m := l.Mail; c.Principal.Operator || m.Merchant == "" || m.Merchant == c.Principal.Tenant {
			kind := strings.ToUpper(m.Template)
			out = append(out, resource.SandboxMail{
				ID: m.ID, Kind: kind, To: resource.Text(l.To), Name: l.Name, Subject: l.Subject, Language: cmp.Or(l.Language, m.Language), Date: m.CreatedAt, Object: aboutOf(m), Text: l.Text, HTML: l.HTML,
			})
		}
	}
	return out, nil
}

// maxLetters is how many of the newest mails of the buyer's side a sandbox's mailbox shows.
const maxLetters = 1000

// aboutOf is the subject of a mail: the last object known about it.
func aboutOf(m *credit.Mail) resource.MailObject {
	for prefix, kind := range map[string]string{"chk_": "checkout", "app_": "application", "ord_": "order"} {
		if strings.HasPrefix(m.Of, prefix) {
			return resource.MailObject{Type: kind, ID: m.Of}
		}
	}
	return resource.MailObject{Type: "person", ID: m.ID}
}
