package httpapi

import (
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/mail"
	"tenor/internal/statement"
	"tenor/internal/store"
	"tenor/internal/wire"
)

type mailID struct {
	ID string `path:"id" prefix:"mail_" doc:"The message's identifier." example:"mail_X4ZQ2JH5WN7TBD3KM6PVX4ZQ2J"`
}

type mailFilter struct {
	Page
	Kind string `query:"kind" enum:"NOTICE,INVOICE,STATEMENT,PAYOUT_ADVICE,REVERSAL,ACCOUNT_CHANGE" doc:"Messages of this kind."`
}

// mailbox is there in a sandbox only: what would have been sent by mail.
func (s *Service) mailbox() []Operation {
	return []Operation{
		{
			ID: "listSandboxMail", Method: "GET", Path: "/v1/sandbox/mail", Tag: "Sandbox", Summary: "List what would have been sent by mail",
			Doc: "Newest first: notices of adverse action, invoices, payout advices, statements of months that are over, changes of merchants' bank accounts. Nothing is sent from a sandbox. " +
				"A merchant sees what is about its own orders and payouts and the companies that are linked to it, and the statements of those that are linked to it alone.",
			Scopes: []string{"sandbox"}, Response: wire.List[wire.SandboxMail]{}, Endpoint: Handle(s.listSandboxMail),
		},
		{
			ID: "getSandboxMail", Method: "GET", Path: "/v1/sandbox/mail/{id}", Tag: "Sandbox", Summary: "Retrieve a message that would have been sent by mail",
			Scopes: []string{"sandbox"}, Response: wire.SandboxMail{}, ETag: true, Endpoint: Handle(s.getSandboxMail),
		},
	}
}

// office writes the messages that the caller may see.
func (s *Service) office(c *Call, v store.View) (mail.Office, error) {
	lender, err := signs(v)
	return mail.Office{
		View: v, Zone: s.Zone, Today: s.today(), Lender: lender, Merchant: c.Principal.MerchantID,
		Statement: func(company int64, month calendar.Date) (*statement.Company, error) {
			end := s.Zone.Start(month.EndOfMonth() + 1).Add(-time.Microsecond)
			q, err := v.SeqAt(end)
			if err != nil {
				return nil, err
			}
			return statementAt(v, company, month, moment{past: true, at: end, day: month.EndOfMonth(), q: q})
		},
		Facts: func(x *credit.Payout, lines []*credit.PayoutLine) (statement.PayoutFacts, error) {
			return s.payoutFacts(c, v, x, lines)
		},
	}, err
}

func (s *Service) listSandboxMail(c *Call, f *mailFilter, _ *None) (Answer, error) {
	return s.read(c, func(v store.View) (Answer, error) {
		o, err := s.office(c, v)
		if err != nil {
			return Answer{}, err
		}
		all, err := o.Envelopes()
		if err != nil {
			return Answer{}, err
		}
		var kept []mail.Envelope
		for _, e := range all {
			if f.Kind == "" || string(e.Kind) == f.Kind {
				kept = append(kept, e)
			}
		}
		at := func(e mail.Envelope) Position { return Position{e.Date, e.ID} }
		var failed error
		a := listed(c, f.Page, cut(f.Page, kept, at), at, func(e mail.Envelope) wire.SandboxMail {
			m, err := o.Open(e)
			if err != nil {
				failed = err
			}
			return mailOf(m)
		})
		return a, failed
	})
}

func (s *Service) getSandboxMail(c *Call, p *mailID, _ *None) (Answer, error) {
	return s.read(c, func(v store.View) (Answer, error) {
		o, err := s.office(c, v)
		if err != nil {
			return Answer{}, err
		}
		e, found, err := o.Find(p.ID)
		if err == nil && !found {
			err = NotFound()
		}
		if err != nil {
			return Answer{}, err
		}
		m, err := o.Open(e)
		if err != nil {
			return Answer{}, err
		}
		w := mailOf(m)
		return Tagged(&w)
	})
}

func mailOf(m mail.Message) wire.SandboxMail {
	return wire.SandboxMail{
		ID: m.ID, Kind: string(m.Kind), To: wire.Text(m.To), Name: m.Name, Subject: m.Subject, Date: m.Date,
		Object: wire.MailObject{Type: m.Object.Type, ID: m.Object.ID}, Text: m.Text, HTML: m.HTML,
	}
}
