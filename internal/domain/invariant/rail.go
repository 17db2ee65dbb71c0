package invariant

import (
	"maps"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// transfers requires that transfers follow their transitions (PA1), keep their owners (AU1),
// and match the books' money in transit (PA2).
func (k *checker) transfers() error {
	var debits, cards money.Amount
	for _, t := range k.c.Transfers {
		old := k.s.Transfers[t.ID]
		if (t.Amount == 0) != (t.Kind == credit.TransferPrenote) || t.Amount < 0 || t.Amount > credit.MaxTransfer {
			return violated("MN2", "transfer %s has the invalid amount %s", t.ID, t.Amount)
		}
		debits, cards = debits.Add(t.InTransit()), cards.Add(AtProcessor(t))
		if old == nil {
			if t.Status != credit.TransferQueued {
				return violated("PA1", "transfer %s was created as %s", t.ID, t.Status)
			}
			continue
		}
		debits, cards = debits.Sub(old.InTransit()), cards.Sub(AtProcessor(old))
		switch {
		case t.Back < 0 || t.Back > t.Amount || t.Back != 0 && (!t.Rail.Can().OnCharge || t.Kind != credit.TransferPayment):
			return violated("RF2", "transfer %s of %s has %s sent back", t.ID, t.Amount, t.Back)
		case old.Amount != t.Amount || old.Company != t.Company || old.Merchant != t.Merchant || old.Payment != t.Payment || old.Kind != t.Kind || old.Rail != t.Rail || old.Charge != t.Charge:
			return violated("AU1", "transfer %s has changed its owner, amount, kind or rail", t.ID)
		case !Movable(old.Status, t.Status):
			return violated("PA1", "transfer %s goes from %s to %s", t.ID, old.Status, t.Status)
		}
	}
	posted := map[ledger.Account]money.Amount{}
	for x, amount := range k.byCompany { // unordered: a sum does not depend on its order
		posted[x.account] = posted[x.account].Add(amount)
	}
	switch {
	case posted[ledger.ACHDebitsInTransit] != debits:
		return violated("PA2", "debits in transit change by %s, account 1010 by %s", debits, posted[ledger.ACHDebitsInTransit])
	case posted[ledger.CardReceivable] != cards:
		return violated("PA2", "charges at the processor change by %s, account 1020 by %s", cards, posted[ledger.CardReceivable])
	}
	return nil
}

// Movable are the transitions of a transfer that one command may make. Only a card's return
// can end, by a won dispute; only time may settle what was sent.
func Movable(from, to credit.TransferStatus) bool {
	if from == to {
		return true
	}
	switch from {
	case credit.TransferQueued:
		return to == credit.TransferSent || to == credit.TransferCanceled
	case credit.TransferSent:
		return to == credit.TransferSettled || to == credit.TransferFailed || to == credit.TransferReturned
	case credit.TransferSettled:
		return to == credit.TransferReturned
	case credit.TransferReturned:
		return to == credit.TransferSettled || to == credit.TransferSent
	}
	return false
}

// rails checks that payments through rails count exactly while their transfer has the money
// (PA1), that attempts are bounded and earmarked like their original (PA9), that what is sent
// back has its transfer (RF2), and that the returned payment fee is assessed once per original
// (PA10).
func (k *checker) rails() error {
	assessed := 0
	for _, p := range k.c.Payments {
		old := k.s.Payments[p.ID]
		if old == nil {
			old = &credit.Payment{}
		}
		switch {
		case p.Attempt < 1 || p.Attempt > 1+payments.MaxReinitiations || (p.Attempt > 1) != (p.Original != ""):
			return violated("PA9", "payment %s is attempt %d of %q", p.ID, p.Attempt, p.Original)
		case old.FeeAssessed && !p.FeeAssessed:
			return violated("PA10", "payment %s no longer has its fee marked as assessed", p.ID)
		case p.FromMerchant && p.OnHold != p.HeldPrincipal() || p.Held < 0 || p.Held > 0 && (!p.FromMerchant || p.Held > p.Refundable()):
			return violated("CL3", "payment %s has %s on hold; a merchant holds %s of it, which covers principal of %s", p.ID, p.OnHold, p.Held, p.HeldPrincipal())
		case !p.FromMerchant && (p.OnHold < 0 || p.OnHold != 0 && p.OnHold != p.Principal()):
			return violated("CL3", "payment %s has %s on hold and has paid principal of %s", p.ID, p.OnHold, p.Principal())
		}
		if p.FeeAssessed && !old.FeeAssessed {
			assessed++
		}
		if t := k.transfer(p.Transfer); t != nil && t.Payment == p.ID && !agree(p, t) {
			return violated("PA1", "payment %s is %s, its transfer is %s", p.ID, p.Status, t.Status)
		}
		for _, r := range p.Refunds {
			if old := old.RefundAt(r.ID); old >= 0 && r == k.s.Payments[p.ID].Refunds[old] {
				continue // its transfer need not be loaded
			}
			if t := k.transfer(r.Transfer); r.Transfer != "" && (t == nil || t.Kind != credit.TransferRefund || t.Amount != r.Amount || t.Payment != p.ID ||
				r.Status != t.RefundStatus() && (r.Status != credit.RefundCanceled || t.RefundStatus() != credit.RefundFailed)) {
				return violated("RF2", "refund %s of payment %s is %s and does not match its transfer %q", r.ID, p.ID, r.Status, r.Transfer)
			}
		}
	}
	if fees := k.returnedFees(); fees != assessed {
		return violated("PA10", "%d payments had a returned payment fee assessed, loans have %d new ones", assessed, fees)
	}
	return k.held()
}

func (k *checker) transfer(id string) *credit.Transfer {
	for _, t := range k.c.Transfers {
		if t.ID == id {
			return t
		}
	}
	return k.s.Transfers[id]
}

// agree reports whether a payment's status matches its transfer's.
func agree(p *credit.Payment, t *credit.Transfer) bool {
	switch p.Status {
	case credit.PaymentScheduled:
		return t.Status == credit.TransferQueued
	case credit.PaymentPending:
		return t.Status == credit.TransferQueued || t.Status == credit.TransferSent && (t.Rail.Can().File || !t.Answered())
	case credit.PaymentCanceled:
		return t.Status == credit.TransferCanceled
	case credit.PaymentFailed:
		return t.Status == credit.TransferFailed
	case credit.PaymentReturned:
		return t.Status == credit.TransferReturned || p.Reversed() && t.Status == credit.TransferSettled
	}
	return t.Took()
}

// returnedFees counts the returned payment fees that a command assesses.
func (k *checker) returnedFees() int {
	n := 0
	for _, l := range k.c.Loans {
		n += FeesOf(l)
		if old := k.s.Loans[l.Key]; old != nil {
			n -= FeesOf(old)
		}
	}
	return n
}

// FeesOf is how many returned payment fees a loan has.
func FeesOf(l *schedule.Loan) int {
	n := 0
	for _, f := range l.Fees {
		if f.Kind == schedule.ReturnedPaymentFee {
			n++
		}
	}
	return n
}

// held requires that companies' amounts on hold are what their payments withhold (F24, CL3).
func (k *checker) held() error {
	delta := map[int64]money.Amount{}
	for _, p := range k.c.Payments {
		delta[p.Company] = delta[p.Company].Add(p.OnHold)
		if old := k.s.Payments[p.ID]; old != nil {
			delta[p.Company] = delta[p.Company].Sub(old.OnHold)
		}
		if x := k.company(p.Company); p.OnHold != 0 && !p.FromMerchant && (x == nil || !x.Withheld(p.ID)) {
			return violated("CL3", "payment %s has %s on hold, but is not withheld by its company", p.ID, p.OnHold)
		}
	}
	for _, x := range k.c.Companies {
		was := money.Amount(0)
		if old := k.s.Companies[x.ID]; old != nil {
			was = old.OnHold
		}
		if x.OnHold.Sub(was) != delta[x.ID] || x.OnHold < 0 {
			return violated("CL3", "company %d: on hold goes from %s to %s, payments add up to %s", x.ID, was, x.OnHold, delta[x.ID])
		}
		delete(delta, x.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(delta)) {
		if delta[id] != 0 {
			return violated("CL3", "payments of company %d have %s more on hold than the company records", id, delta[id])
		}
	}
	return nil
}

// debits requires that no item of an order is debited twice at a time, and nothing of an order
// that its merchant manages (PA9).
func (k *checker) debits() error {
	for _, o := range k.c.Orders {
		if o.External && len(o.Servicing.Open) > 0 {
			return violated("PA9", "order %s is externally managed and has debits", o.Key)
		}
		seen := map[schedule.Ref]bool{}
		for _, x := range o.Servicing.Open {
			if p := k.payment(x.Payment); p != nil && p.Status != credit.PaymentScheduled && p.Status != credit.PaymentPending {
				return violated("PA9", "payment %s is %s and still listed as pending on order %s", p.ID, p.Status, o.Key)
			}
			for _, ref := range x.Items {
				if seen[ref] {
					return violated("PA9", "item %v is being debited twice", ref)
				}
				seen[ref] = true
			}
		}
	}
	return nil
}

// AtProcessor is a transfer's amount on 1020.
func AtProcessor(t *credit.Transfer) money.Amount {
	switch {
	case !t.Charged():
		return 0
	case t.Kind == credit.TransferPayment:
		return t.Amount
	}
	return -t.Amount
}
