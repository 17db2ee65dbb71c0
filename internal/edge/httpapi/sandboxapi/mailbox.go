package sandboxapi

import (
	"errors"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/mail"
	"tenor/internal/office/statement"
)

type mailID struct {
	ID string `path:"id" prefix:"mail_" doc:"The message's identifier." example:"mail_X4ZQ2JH5WN7TBD3KM6PVX4ZQ2J"`
}

type mailFilter struct {
	rest.Page
	Kind string `query:"kind" enum:"NOTICE,INVOICE,STATEMENT,PAYOUT_ADVICE,REVERSAL,ACCOUNT_CHANGE,CODE,SIGN_IN_LINK,APPLICATION_APPROVED,APPLICATION_COUNTER_OFFER,APPLICATION_DECLINED,APPLICATION_IN_REVIEW,APPLICATION_DOCUMENTS_WANTED,APPLICATION_WITHDRAWN,APPLICATION_EXPIRED,APPROVED_GO_ON,CHECKOUT_LINK,CHECKOUT_NOT_COMPLETED,OWNER_NEEDED,AGREEMENT_COPY,NEW_DISCLOSURE,INVITATION,PEOPLE_CHANGED,DUPLICATE_WARNING,INSTALLMENT_DUE,DEBIT_TOMORROW,PAYMENT_RECEIVED,PAYMENT_RETURNED,PAST_DUE,STATEMENT_READY,BANK_ACCOUNT_CHANGED,EMAIL_CHANGED" doc:"Messages of this kind."`
}

// Mailbox returns the reads of a sandbox's mailbox: what would have been sent by mail.
func (s API) Mailbox() []rest.Operation {
	return rest.Group{Tag: "Sandbox", Reads: "sandbox"}.With([]rest.Operation{
		{
			ID: "listSandboxMail", Method: "GET", Path: "/v1/sandbox/mail", Summary: "List sandbox e-mail",
			Doc: "Newest first: adverse action notices, invoices, payout advices, monthly statements, changes of merchants' bank accounts, and the newest 1,000 e-mails to buyers with their codes and links. A sandbox sends no real e-mail. " +
				"A merchant sees messages about its own orders and payouts and about companies linked to it, and the statements of companies linked only to it.",
			Response: resource.List[resource.SandboxMail]{}, Endpoint: rest.Handle(s.listSandboxMail),
		},
		{
			ID: "getSandboxMail", Method: "GET", Path: "/v1/sandbox/mail/{id}", Summary: "Retrieve a sandbox e-mail",
			Response: resource.SandboxMail{}, ETag: true, Endpoint: rest.Handle(s.getSandboxMail),
		},
	})
}

// office returns the writer of the messages that the caller may see.
func (s API) office(c *rest.Call, v store.View) (mail.Office, error) {
	lender, err := serve.Signs(v)
	return mail.Office{
		View: v, Zone: s.Zone, Today: s.Today(), Lender: lender, Merchant: c.Principal.Tenant,
		Statement: func(company int64, month calendar.Date) (*statement.Company, error) {
			end := s.Zone.Start(month.EndOfMonth() + 1).Add(-time.Microsecond)
			q, err := store.SeqAt(v, end)
			if err != nil {
				return nil, err
			}
			return buyers.StatementAt(v, company, month, serve.Moment{Past: true, At: end, Day: month.EndOfMonth(), Q: q})
		},
		Facts: func(x *credit.Payout, lines []*credit.PayoutLine) (statement.PayoutFacts, error) {
			return payments.API{Service: s.Service}.PayoutFacts(c, v, x, lines)
		},
	}, err
}

func (s API) listSandboxMail(c *rest.Call, f *mailFilter, _ *rest.None) (rest.Answer, error) {
	letters, err := s.lettersOf(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		o, err := s.office(c, v)
		if err != nil {
			return rest.Answer{}, err
		}
		all, err := o.Envelopes()
		if err != nil {
			return rest.Answer{}, err
		}
		var kept []postedMail
		for _, e := range all {
			kept = append(kept, postedMail{rest.Position{CreatedAt: e.Date, ID: e.ID}, string(e.Kind), func() (resource.SandboxMail, error) {
				m, err := o.Open(e)
				return mailOf(m), err
			}})
		}
		for _, l := range letters {
			kept = append(kept, postedMail{rest.Position{CreatedAt: l.Date, ID: l.ID}, l.Kind, func() (resource.SandboxMail, error) { return l, nil }})
		}
		kept = slices.DeleteFunc(kept, func(x postedMail) bool { return f.Kind != "" && x.kind != f.Kind })
		at := func(x postedMail) rest.Position { return x.at }
		var failed error
		a := serve.Listed(c, f.Page, serve.Cut(f.Page, kept, at), at, func(x postedMail) resource.SandboxMail {
			m, err := x.open()
			failed = errors.Join(failed, err)
			return m
		})
		return a, failed
	})
}

// postedMail is a message of the mailbox that is opened only if shown.
type postedMail struct {
	at   rest.Position
	kind string
	open func() (resource.SandboxMail, error)
}

func (s API) getSandboxMail(c *rest.Call, p *mailID, _ *rest.None) (rest.Answer, error) {
	letters, err := s.lettersOf(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if i := slices.IndexFunc(letters, func(l resource.SandboxMail) bool { return l.ID == p.ID }); i >= 0 {
		return serve.Tagged(&letters[i])
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		o, err := s.office(c, v)
		if err != nil {
			return rest.Answer{}, err
		}
		e, found, err := o.Find(p.ID)
		if err == nil && !found {
			err = rest.NotFound()
		}
		if err != nil {
			return rest.Answer{}, err
		}
		m, err := o.Open(e)
		if err != nil {
			return rest.Answer{}, err
		}
		w := mailOf(m)
		return serve.Tagged(&w)
	})
}

func mailOf(m mail.Message) resource.SandboxMail {
	return resource.SandboxMail{
		ID: m.ID, Kind: string(m.Kind), To: resource.Text(m.To), Name: m.Name, Subject: m.Subject, Language: credit.MailLanguage, Date: m.Date,
		Object: resource.MailObject{Type: m.Object.Type, ID: m.Object.ID}, Text: m.Text, HTML: m.HTML,
	}
}
