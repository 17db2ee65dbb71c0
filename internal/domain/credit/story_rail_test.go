package credit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// rails builds the commands on payment methods, autopay and credit that goes back.
func (s *story) rails(verb, id string, a args) credit.Command {
	switch verb {
	case "method":
		return s.addMethod(a)
	case "remove-method":
		return payments.RemovePaymentMethod{Method: id, Person: s.id(a.named["person"])}
	case "vouch":
		return payments.VouchForMethod{Method: id, Verified: a.named["verified"] != "no", Consent: a.named["consent"], Reason: a.named["reason"]}
	case "verify":
		return payments.VerifyPaymentMethod{Method: id, Amounts: s.deposits(id, a.list("amounts")), Person: s.id(a.named["person"])}
	case "correct":
		return payments.CorrectPaymentMethod{Method: id, Code: a.named["code"], Routing: a.named["routing"], AccountType: a.named["type"],
			Transfer: s.id(a.named["for"]), Sealed: []byte(a.named["sealed"]), Fingerprint: a.named["fingerprint"]}
	case "autopay":
		c := payments.SetAutopay{Company: s.company(a.words[2]), Person: s.id(a.named["person"]), Merchant: s.id(a.named["for"])}
		if a.named["consent"] != "no" {
			c.Authorization = &payments.Given{AcceptedAt: s.now, Reference: "terms-1"}
		}
		if v, ok := a.named["method"]; ok {
			v = s.id(v)
			c.Method = &v
		}
		if v, ok := a.named["enabled"]; ok {
			on := v == "yes"
			c.Enabled = &on
		}
		if v, ok := a.named["credit"]; ok {
			on := v == "yes"
			c.Credit = &on
		}
		return c
	case "order-autopay":
		return payments.SetOrderAutopay{Order: id, Enabled: a.named["enabled"] == "yes"}
	case "send-credit":
		return payments.SendCredit{Company: s.company(a.words[2]), Amount: a.amount("amount"), Method: s.id(a.named["method"])}
	case "pay-refund":
		return s.payRefund(id, a)
	case "request-credit":
		return payments.AskForCredit{Company: s.company(a.words[2])}
	case "service", "same-day":
		if p := s.all.Payments[id]; p != nil {
			id = p.Transfer
		}
		if verb == "same-day" {
			return payments.SendSameDay{Transfer: id, Reason: "promised"}
		}
		return payments.ServiceTransfer{Transfer: id}
	}
	return nil
}

// addMethod adds a bank account, or with card=yes a debit card.
func (s *story) addMethod(a args) credit.Command {
	c := payments.AddPaymentMethod{
		Company: s.company(a.named["company"]), Type: credit.ACH, Verify: a.named["verify"] == "yes", Prenote: a.named["verify"] == "prenote",
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: s.now, Reference: "terms-1"}, Known: a.named["known"] != "no", Policy: credit.VerifyPolicy(a.named["policy"]),
		Person: s.id(a.named["person"]),
	}
	if a.named["card"] != "" {
		c.Type = credit.Card
		c.Card = &credit.CardAccount{Token: "tok_" + a.words[2], Mandate: "man_1", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: a.named["card"] == "debit"}
		return c
	}
	c.Bank = &credit.BankAccount{
		Routing: "073000228", Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", HolderName: "Alder Kitchens",
		Sealed: []byte{1, 2, 3}, Fingerprint: "fp_" + a.words[2],
	}
	if v := a.named["routing"]; v != "" {
		c.Bank.Routing = v
	}
	if v := a.named["number"]; v != "" {
		c.Bank.Fingerprint = "fp_" + v
	}
	return c
}

// deposits are the amounts that the holder names: "right" for the real ones.
func (s *story) deposits(method string, named []string) []money.Amount {
	if v := s.all.Methods[method].Verification; named[0] == "right" {
		if v == nil {
			return nil
		}
		amounts := slices.Clone(v.Amounts)
		slices.Reverse(amounts)
		return amounts
	}
	var amounts []money.Amount
	for _, x := range named {
		amounts = append(amounts, cents(x))
	}
	return amounts
}

// pass lets time pass up to an instant: what becomes due on orders and transfers runs in
// order, each at its instant, orders first.
func (s *story) pass(a args) {
	end := s.now
	s.moveTo(a)
	end, s.now = s.now, end
	for {
		at, c := s.nextDue(end)
		if c == nil {
			break
		}
		if at.After(s.now) {
			s.now = at
		}
		s.say("at %s", s.now.In(s.zone.Location()).Format("2006-01-02 15:04"))
		s.decide(system, args{words: []string{"pass"}}, c)
	}
	s.now = end
}

// nextDue is the earliest thing due by an instant.
func (s *story) nextDue(end time.Time) (time.Time, credit.Command) {
	var at time.Time
	var c credit.Command
	due := func(next time.Time, command credit.Command) {
		if !next.IsZero() && !next.After(end) && (c == nil || next.Before(at)) {
			at, c = next, command
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.all.Orders)) {
		due(s.all.Orders[key].NextAt, lending.ServiceOrder{Order: key})
	}
	for _, id := range slices.Sorted(maps.Keys(s.all.Transfers)) {
		due(s.all.Transfers[id].NextAt, payments.ServiceTransfer{Transfer: id})
	}
	s.creditDue(due)
	return at, c
}

// nameDebits names payments that commands create on their own: d1, d2 ….
func (s *story) nameDebits(ch credit.Changes) {
	for _, p := range ch.Payments {
		if s.alias[p.ID] != "" {
			continue
		}
		for n := 1; s.alias[p.ID] == ""; n++ {
			if name := fmt.Sprintf("d%d", n); s.names[name] == "" {
				s.name(p.ID, name)
			}
		}
	}
}

func (s *story) reportRails(ch credit.Changes) {
	for _, m := range ch.Methods {
		text := fmt.Sprintf("method %s: %s, %s", s.short(m.ID), m.Type, m.Status)
		if m.DisabledReason != "" {
			text += " " + m.DisabledReason
		}
		if m.Standing.Verified != "" && m.Standing.Verified != lending.VerifiedBySandbox && m.Standing.Verified != lending.VerifiedByProcessor && m.Merchant != "" {
			text += ", verified by " + m.Standing.Verified
		}
		if v := m.Verification; v != nil {
			text += fmt.Sprintf(", %d tries, until %s", v.Tries, v.ExpiresOn)
		}
		s.say("%s", text)
	}
	s.reportCredits(ch)
	for _, c := range ch.Companies {
		s.reportConduct(c)
	}
	for _, t := range ch.Transfers {
		if t.Merchant != "" {
			continue
		}
		text := fmt.Sprintf("transfer %s: %s %s", s.short(t.ID), t.Entry, t.Amount)
		if t.Payment != "" {
			text += " of " + s.short(t.Payment)
		}
		text += fmt.Sprintf(", %s, sent on %s, settles on %s", t.Status, t.SendOn, t.SettlesOn)
		if t.ReleaseOn != calendar.None {
			text += fmt.Sprintf(", good on %s", t.ReleaseOn)
		}
		s.say("%s", text)
	}
}

// reportConduct reports what is unusual about a company.
func (s *story) reportConduct(c *credit.Company) {
	var parts []string
	for _, m := range c.Servicing.Mandates {
		if m.Enabled {
			parts = append(parts, fmt.Sprintf("autopay for %s from %s", s.short(m.Merchant), s.short(m.Method)))
		} else {
			parts = append(parts, fmt.Sprintf("no autopay for %s", s.short(m.Merchant)))
		}
	}
	if a := c.Servicing.Autopay; len(c.Servicing.Mandates) > 0 {
		if a.Paused != "" {
			parts = append(parts, "paused: "+a.Paused)
		}
	} else if a.Enabled {
		parts = append(parts, "autopay from "+s.short(a.Method))
		if a.Paused != "" {
			parts = append(parts, "paused: "+a.Paused)
		}
	} else if a.Paused != "" {
		parts = append(parts, "autopay off, paused: "+a.Paused)
	}
	if c.AutopayWaits() {
		parts = append(parts, "to be reviewed")
	}
	if c.OnHold != 0 {
		parts = append(parts, fmt.Sprintf("on hold %s", c.OnHold))
	}
	if len(parts) > 0 {
		s.say("  %s", strings.Join(parts, ", "))
	}
}
