package credit_test

import (
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// railScene is a captured order whose first debit has reached a status, and its transfer; rail
// is the method's type.
func railScene(t testing.TB, rail credit.Method, status credit.TransferStatus) (s *scene, transfer string) {
	s = newScene(t, "CAPTURED")
	add := payments.AddPaymentMethod{Company: s.company.ID, Type: rail, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: s.now}}
	if rail == credit.ACH {
		add.Bank = &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "f"}
	} else {
		add.Card = &credit.CardAccount{Token: "tok", Mandate: "man", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true}
	}
	m := s.must(operator, add).(*credit.PaymentMethod)
	on := true
	s.must(operator, payments.SetAutopay{Company: s.company.ID, Enabled: &on, Method: &m.ID})
	s.now = s.all.Orders[s.order].NextAt
	for len(s.all.Transfers) == 0 {
		s.now = s.all.Orders[s.order].NextAt
		s.must(system, lending.ServiceOrder{Order: s.order})
	}
	for id, x := range s.all.Transfers {
		s.transfer, s.payment = id, x.Payment
	}
	for s.all.Transfers[s.transfer].Status != status {
		if status == "answered" && s.all.Transfers[s.transfer].Answered() {
			break
		}
		s.toward(status)
	}
	return s, s.transfer
}

// toward moves the scene's transfer one step closer to a status.
func (s *scene) toward(status credit.TransferStatus) {
	x := s.all.Transfers[s.transfer]
	switch {
	case status == credit.TransferCanceled:
		s.must(operator, payments.CancelPayment{Payment: s.payment})
	case status == credit.TransferFailed && x.Status == credit.TransferSent && x.Rail == credit.ACH:
		s.must(system, payments.RejectTransfer{Transfer: x.ID, Code: "R17"})
	case status == credit.TransferFailed && x.Status == credit.TransferSent:
		s.must(system, payments.CompleteCharge{Transfer: x.ID, Code: "no"})
	case status == credit.TransferReturned && x.Status == credit.TransferSettled && x.Rail == credit.ACH:
		s.must(system, payments.ReturnTransfer{Transfer: x.ID, Code: "R17"})
	case status == credit.TransferReturned && x.Status == credit.TransferSettled:
		s.must(system, payments.DisputeCharge{Transfer: x.ID, Code: "fraud"})
	case !x.NextAt.IsZero():
		s.now = x.NextAt
		s.must(system, payments.ServiceTransfer{Transfer: x.ID})
	case !x.Answered():
		s.must(system, payments.CompleteCharge{Transfer: x.ID, Approved: true, Reference: "ch_1"})
	default:
		s.must(system, payments.SettleCharge{Transfer: x.ID})
	}
}

// Each corrupted change of a transfer is detected, naming the invariant that it breaks.
func TestCheckNamesTheViolationOnRails(t *testing.T) {
	service := func(id string) credit.Command { return payments.ServiceTransfer{Transfer: id} }
	reject := func(id string) credit.Command { return payments.RejectTransfer{Transfer: id, Code: "R17"} }
	back := func(id string) credit.Command { return payments.ReturnTransfer{Transfer: id, Code: "R01", Cost: 400} }
	approve := func(id string) credit.Command {
		return payments.CompleteCharge{Transfer: id, Approved: true, Reference: "ch_1"}
	}
	pays := func(id string) credit.Command { return payments.SettleCharge{Transfer: id, Cost: 100} }
	transferIn := func(c *credit.Changes) *credit.Transfer { return c.Transfers[0] }
	for _, x := range []struct {
		invariant string
		rail      credit.Method
		status    credit.TransferStatus
		command   func(string) credit.Command
		spoil     func(*credit.Changes)
	}{
		{"PA1", credit.ACH, credit.TransferQueued, service, func(c *credit.Changes) { transferIn(c).Status = credit.TransferSettled }},
		{"PA1", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { transferIn(c).Status = credit.TransferFailed }},
		{"PA1", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { transferIn(c).Status = credit.TransferSettled }},
		{"PA1", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { c.Transfers[1].Status = credit.TransferCanceled }},
		{"AU1", credit.ACH, credit.TransferSent, reject, func(c *credit.Changes) { transferIn(c).Amount++ }},
		{"AU1", credit.ACH, credit.TransferSent, reject, func(c *credit.Changes) { transferIn(c).Company++ }},
		{"MN2", credit.ACH, credit.TransferSent, reject, func(c *credit.Changes) { transferIn(c).Amount = 0 }},
		{"PA2", credit.ACH, credit.TransferQueued, service, func(c *credit.Changes) { c.Entries = nil }},
		{"PA2", credit.ACH, credit.TransferSent, service, func(c *credit.Changes) { entryOf(c, "ACH_SETTLED").Postings[1].Account = ledger.Cash }},
		{"PA2", credit.ACH, credit.TransferSent, reject, func(c *credit.Changes) { c.Entries = nil }},
		{"PA2", credit.Card, credit.TransferSent, approve, func(c *credit.Changes) { entryOf(c, "CARD_PAYMENT_CAPTURED").Postings[0].Account = ledger.Cash }},
		{"PA2", credit.Card, credit.TransferSent, pays, func(c *credit.Changes) { c.Entries = nil }},
		{"PA9", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) {
			orderIn(c).Servicing.Open = append(orderIn(c).Servicing.Open, orderIn(c).Servicing.Open...)
		}},
		{"PA9", credit.ACH, credit.TransferSent, reject, func(c *credit.Changes) {
			orderIn(c).Servicing.Open = []credit.OpenDebit{{Payment: c.Payments[0].ID, Items: []schedule.Ref{{Order: orderIn(c).Key, Installment: 1}}}}
		}},
		{"PA9", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { c.Payments[1].Attempt = 4 }},
		{"PA9", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { c.Payments[1].Original = "" }},
		{"PA10", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { c.Payments[0].FeeAssessed = false }},
		{"PA10", credit.ACH, credit.TransferSettled, back, func(c *credit.Changes) { c.Payments[1].FeeAssessed = true }},
		{"CL3", credit.ACH, credit.TransferSent, service, func(c *credit.Changes) { c.Companies[0].OnHold++ }},
		{"CL3", credit.ACH, credit.TransferSent, service, func(c *credit.Changes) { c.Payments[0].OnHold-- }},
		{"CL3", credit.ACH, credit.TransferSent, service, func(c *credit.Changes) { c.Companies[0].Servicing.Unripe = nil }},
	} {
		s, id := railScene(t, x.rail, x.status)
		if x.rail == credit.Card && x.command(id).Name() == "card.settle" {
			s.must(system, approve(id))
		}
		if x.rail == credit.ACH && x.status != credit.TransferQueued && x.command(id).Name() == "transfer.service" {
			s.now = s.all.Transfers[id].NextAt
		}
		if got := spoiltScene(t, s, x.command(id), x.spoil); got != x.invariant {
			t.Errorf("%s, %s of a transfer that is %s, is found as %s", x.invariant, x.command(id).Name(), x.status, got)
		}
	}
	s, _ := railScene(t, credit.ACH, credit.TransferQueued)
	pay := payments.RecordPayment{Order: s.order, Amount: 100, Method: credit.ACH, EffectiveDate: calendar.None, ScheduledDate: calendar.None}
	if got := spoiltScene(t, s, pay, func(c *credit.Changes) { orderIn(c).External = true }); got != "PA9" {
		t.Errorf("a debit of an externally managed order is found as %s", got)
	}
	s, _ = railScene(t, credit.Card, credit.TransferSettled)
	if got := spoiltScene(t, s, payments.RefundPayment{Payment: s.payment}, func(c *credit.Changes) { c.Transfers = nil }); got != "RF2" {
		t.Errorf("a refund without its transfer is found as %s", got)
	}
}

// spoiltScene decides a command in a scene, corrupts the result, and returns the invariant
// that the check names.
func spoiltScene(t *testing.T, s *scene, c credit.Command, spoil func(*credit.Changes)) string {
	t.Helper()
	s.seed++
	e := s.env(system)
	st := s.state(e, c)
	ch, r := credit.Decide(st, e, c)
	if r != nil {
		t.Fatal(r)
	}
	if err := invariant.Check(ch, st); err != nil {
		t.Fatalf("before it was spoilt: %v", err)
	}
	spoil(&ch)
	if v, ok := invariant.Check(ch, st).(*invariant.Violation); ok {
		return v.Invariant
	}
	return "nothing"
}

// The transitions of PA1 for a transfer, for each pair of statuses.
func TestTransferEdges(t *testing.T) {
	all := []credit.TransferStatus{credit.TransferQueued, credit.TransferSent, credit.TransferSettled, credit.TransferFailed, credit.TransferReturned, credit.TransferCanceled}
	ways := map[credit.TransferStatus]string{
		credit.TransferQueued: "SENT CANCELED", credit.TransferSent: "SETTLED FAILED RETURNED", credit.TransferSettled: "RETURNED", credit.TransferReturned: "SETTLED SENT",
	}
	for _, from := range all {
		for _, to := range all {
			want := from == to
			for _, w := range strings.Fields(ways[from]) {
				want = want || w == string(to)
			}
			if invariant.Movable(from, to) != want {
				t.Errorf("%s → %s: %t", from, to, !want)
			}
		}
	}
}

// A return reported twice, or a settlement served twice, has no further effect (PA2).
func TestBanksMaySayItTwice(t *testing.T) {
	s, id := railScene(t, credit.ACH, credit.TransferSettled)
	for _, c := range []credit.Command{payments.ReturnTransfer{Transfer: id, Code: "R01", Cost: 400}, payments.ServiceTransfer{Transfer: id}} {
		s.must(system, c)
		found, entries := s.digest(s.all), len(s.entries)
		if ch, r := s.do(system, c); r != nil || !ch.Empty() || s.digest(s.all) != found || len(s.entries) != entries {
			t.Errorf("%s again: %v", c.Name(), r)
		}
	}
	if x := s.all.Transfers[id]; x.ReleaseOn != calendar.None || !x.NextAt.IsZero() {
		t.Errorf("what came back becomes good on %s", x.ReleaseOn)
	}
}
