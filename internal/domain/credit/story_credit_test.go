package credit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// creditDue adds what is due on companies' credit.
func (s *story) creditDue(due func(time.Time, credit.Command)) {
	for _, company := range slices.Sorted(maps.Keys(s.all.Credits)) {
		for _, x := range s.all.Credits[company] {
			due(x.NextAt, payments.ServiceCredit{Company: company})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.all.Lines)) {
		due(s.all.Lines[id].NextAt, lending.FreeHeld{Of: s.all.Lines[id].Of()})
	}
}

// reportCredits reports credit that waits although its day has come.
func (s *story) reportCredits(ch credit.Changes) {
	for _, x := range ch.Credits {
		if x.Waits != "" && x.Amount != 0 {
			s.say("%s", s.creditText(x))
		}
	}
}

// showCredits lists a company's credit with the day on which it goes back.
func (s *story) showCredits(company string) {
	for _, x := range s.all.Credits[s.company(company)] {
		s.say("%s", s.creditText(x))
	}
}

// source names a credit's source, and whose money it is.
func (s *story) source(id string) string {
	refund, payment, ok := strings.Cut(id, "/")
	if !ok {
		return s.short(id)
	}
	return s.short(payment) + " freed by " + s.short(refund)
}

func (s *story) creditText(x credit.Credit) string {
	text := fmt.Sprintf("credit of %s since %s: %s", s.source(x.Source), x.Date, x.Amount)
	if x.Waits != "" {
		text += ", " + string(x.Waits)
	}
	if !x.NextAt.IsZero() {
		text += ", looked at " + x.NextAt.In(s.zone.Location()).Format("2006-01-02 15:04")
	}
	return text
}

// payRefund pays the n-th refund of a payment.
func (s *story) payRefund(id string, a args) credit.Command {
	c := payments.PayRefund{Payment: id, PaymentMethod: s.id(a.named["method"]), Method: credit.Method(a.named["by"]), Reference: a.named["reference"]}
	if p := s.all.Payments[id]; p != nil && a.number("n") <= len(p.Refunds) {
		c.Refund = p.Refunds[a.number("n")-1].ID
	}
	return c
}

// showRefunds lists a payment's refunds, and what of it is on 2110.
func (s *story) showRefunds(p *credit.Payment) {
	for _, r := range p.Refunds {
		text := fmt.Sprintf("refund of %s: %s, %s", s.short(p.ID), r.Amount, r.Status)
		if r.Method != "" {
			text += fmt.Sprintf(" by %s %s", r.Method, r.Reference)
		}
		if r.Failure != nil {
			text += fmt.Sprintf(", %s %s", r.Failure.ReturnCode, r.Failure.Code)
		}
		s.say("%s", text)
	}
	since := "nothing"
	if !p.OwedSince.IsZero() {
		since = p.OwedSince.In(s.zone.Location()).Format("2006-01-02 15:04")
	}
	s.say("in transit: %s since %s", p.InTransit(), since)
}
