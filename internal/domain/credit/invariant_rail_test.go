package credit

import (
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// railScene is a captured order whose first debit has come to a status, with the
// transfer that it has; method is the account.
func railScene(t testing.TB, rail Method, status TransferStatus) (s *scene, transfer string) {
	s = newScene(t, "CAPTURED")
	add := AddPaymentMethod{Company: s.company.ID, Type: rail, Authorization: Authorization{Channel: "WEB", AcceptedAt: s.now}}
	if rail == ACH {
		add.Bank = &BankAccount{Routing: "073000228", Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "f"}
	} else {
		add.Card = &CardAccount{Token: "tok", Mandate: "man", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true}
	}
	m := s.must(operator, add).(*PaymentMethod)
	on := true
	s.must(operator, SetAutopay{Company: s.company.ID, Enabled: &on, Method: &m.ID})
	s.now = s.all.Orders[s.order].NextAt
	for len(s.all.Transfers) == 0 {
		s.now = s.all.Orders[s.order].NextAt
		s.must(system, ServiceOrder{Order: s.order})
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

// toward brings the scene's transfer a step nearer to a status.
func (s *scene) toward(status TransferStatus) {
	x := s.all.Transfers[s.transfer]
	switch {
	case status == TransferCanceled:
		s.must(operator, CancelPayment{Payment: s.payment})
	case status == TransferFailed && x.Status == TransferSent && x.Rail == ACH:
		s.must(system, RejectTransfer{Transfer: x.ID, Code: "R17"})
	case status == TransferFailed && x.Status == TransferSent:
		s.must(system, CompleteCharge{Transfer: x.ID, Code: "no"})
	case status == TransferReturned && x.Status == TransferSettled && x.Rail == ACH:
		s.must(system, ReturnTransfer{Transfer: x.ID, Code: "R17"})
	case status == TransferReturned && x.Status == TransferSettled:
		s.must(system, DisputeCharge{Transfer: x.ID, Code: "fraud"})
	case !x.NextAt.IsZero():
		s.now = x.NextAt
		s.must(system, ServiceTransfer{Transfer: x.ID})
	case !x.Answered():
		s.must(system, CompleteCharge{Transfer: x.ID, Approved: true, Reference: "ch_1"})
	default:
		s.must(system, SettleCharge{Transfer: x.ID})
	}
}

// Each spoilt change of a transfer is found, and named as the invariant that it breaks.
func TestCheckNamesTheViolationOnRails(t *testing.T) {
	service := func(id string) Command { return ServiceTransfer{Transfer: id} }
	reject := func(id string) Command { return RejectTransfer{Transfer: id, Code: "R17"} }
	back := func(id string) Command { return ReturnTransfer{Transfer: id, Code: "R01", Cost: 400} }
	approve := func(id string) Command { return CompleteCharge{Transfer: id, Approved: true, Reference: "ch_1"} }
	pays := func(id string) Command { return SettleCharge{Transfer: id, Cost: 100} }
	transferIn := func(c *Changes) *Transfer { return c.Transfers[0] }
	for _, x := range []struct {
		invariant string
		rail      Method
		status    TransferStatus
		command   func(string) Command
		spoil     func(*Changes)
	}{
		{"PA1", ACH, TransferQueued, service, func(c *Changes) { transferIn(c).Status = TransferSettled }},
		{"PA1", ACH, TransferSettled, back, func(c *Changes) { transferIn(c).Status = TransferFailed }},
		{"PA1", ACH, TransferSettled, back, func(c *Changes) { transferIn(c).Status = TransferSettled }},
		{"PA1", ACH, TransferSettled, back, func(c *Changes) { c.Transfers[1].Status = TransferCanceled }},
		{"AU1", ACH, TransferSent, reject, func(c *Changes) { transferIn(c).Amount++ }},
		{"AU1", ACH, TransferSent, reject, func(c *Changes) { transferIn(c).Company++ }},
		{"MN2", ACH, TransferSent, reject, func(c *Changes) { transferIn(c).Amount = 0 }},
		{"PA2", ACH, TransferQueued, service, func(c *Changes) { c.Entries = nil }},
		{"PA2", ACH, TransferSent, service, func(c *Changes) { entryOf(c, "ACH_SETTLED").Postings[1].Account = ledger.Cash }},
		{"PA2", ACH, TransferSent, reject, func(c *Changes) { c.Entries = nil }},
		{"PA2", Card, TransferSent, approve, func(c *Changes) { entryOf(c, "CARD_PAYMENT_CAPTURED").Postings[0].Account = ledger.Cash }},
		{"PA2", Card, TransferSent, pays, func(c *Changes) { c.Entries = nil }},
		{"PA9", ACH, TransferSettled, back, func(c *Changes) {
			orderIn(c).Servicing.Open = append(orderIn(c).Servicing.Open, orderIn(c).Servicing.Open...)
		}},
		{"PA9", ACH, TransferSent, reject, func(c *Changes) {
			orderIn(c).Servicing.Open = []OpenDebit{{Payment: c.Payments[0].ID, Items: []schedule.Ref{{Order: orderIn(c).Key, Installment: 1}}}}
		}},
		{"PA9", ACH, TransferSettled, back, func(c *Changes) { c.Payments[1].Attempt = 4 }},
		{"PA9", ACH, TransferSettled, back, func(c *Changes) { c.Payments[1].Original = "" }},
		{"PA10", ACH, TransferSettled, back, func(c *Changes) { c.Payments[0].FeeAssessed = false }},
		{"PA10", ACH, TransferSettled, back, func(c *Changes) { c.Payments[1].FeeAssessed = true }},
		{"CL3", ACH, TransferSent, service, func(c *Changes) { c.Companies[0].OnHold++ }},
		{"CL3", ACH, TransferSent, service, func(c *Changes) { c.Payments[0].OnHold-- }},
		{"CL3", ACH, TransferSent, service, func(c *Changes) { c.Companies[0].Servicing.Unripe = nil }},
	} {
		s, id := railScene(t, x.rail, x.status)
		if x.rail == Card && x.command(id).Name() == "card.settle" {
			s.must(system, approve(id))
		}
		if x.rail == ACH && x.status != TransferQueued && x.command(id).Name() == "transfer.service" {
			s.now = s.all.Transfers[id].NextAt
		}
		if got := spoiltScene(t, s, x.command(id), x.spoil); got != x.invariant {
			t.Errorf("%s, %s of a transfer that is %s, is found as %s", x.invariant, x.command(id).Name(), x.status, got)
		}
	}
	s, _ := railScene(t, ACH, TransferQueued)
	pay := RecordPayment{Order: s.order, Amount: 100, Method: ACH, EffectiveDate: calendar.None, ScheduledDate: calendar.None}
	if got := spoiltScene(t, s, pay, func(c *Changes) { orderIn(c).External = true }); got != "PA9" {
		t.Errorf("a debit of an externally managed order is found as %s", got)
	}
	s, _ = railScene(t, Card, TransferSettled)
	if got := spoiltScene(t, s, RefundPayment{Payment: s.payment}, func(c *Changes) { c.Transfers = nil }); got != "RF2" {
		t.Errorf("a refund without its transfer is found as %s", got)
	}
}

// spoiltScene decides a command in a scene, spoils what comes of it, and returns the
// invariant that the check names.
func spoiltScene(t *testing.T, s *scene, c Command, spoil func(*Changes)) string {
	t.Helper()
	s.seed++
	e := s.env(system)
	st := s.state(e, c)
	ch, r := Decide(st, e, c)
	if r != nil {
		t.Fatal(r)
	}
	if err := ch.Check(st); err != nil {
		t.Fatalf("before it was spoilt: %v", err)
	}
	spoil(&ch)
	if v, ok := ch.Check(st).(*Violation); ok {
		return v.Invariant
	}
	return "nothing"
}

// The ways of PA1 of a transfer, each pair of statuses.
func TestTransferEdges(t *testing.T) {
	all := []TransferStatus{TransferQueued, TransferSent, TransferSettled, TransferFailed, TransferReturned, TransferCanceled}
	ways := map[TransferStatus]string{
		TransferQueued: "SENT CANCELED", TransferSent: "SETTLED FAILED RETURNED", TransferSettled: "RETURNED", TransferReturned: "SETTLED SENT",
	}
	for _, from := range all {
		for _, to := range all {
			want := from == to
			for _, w := range strings.Fields(ways[from]) {
				want = want || w == string(to)
			}
			if movable(from, to) != want {
				t.Errorf("%s → %s: %t", from, to, !want)
			}
		}
	}
}

// A return that is told twice, a settlement that is served twice: nothing comes of it
// (PA2).
func TestBanksMaySayItTwice(t *testing.T) {
	s, id := railScene(t, ACH, TransferSettled)
	for _, c := range []Command{ReturnTransfer{Transfer: id, Code: "R01", Cost: 400}, ServiceTransfer{Transfer: id}} {
		s.must(system, c)
		found, entries := dump(s.all), len(s.entries)
		if ch, r := s.do(system, c); r != nil || !ch.Empty() || dump(s.all) != found || len(s.entries) != entries {
			t.Errorf("%s again: %v", c.Name(), r)
		}
	}
	if x := s.all.Transfers[id]; x.ReleaseOn != calendar.None || !x.NextAt.IsZero() {
		t.Errorf("what came back becomes good on %s", x.ReleaseOn)
	}
}
