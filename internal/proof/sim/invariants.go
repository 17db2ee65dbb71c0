package sim

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// Check recomputes everything that the books derive and describes the first violated invariant of
// docs/rules/invariants.md.
func (b *Books) Check() error {
	for _, check := range []func() error{
		b.checkEntries, b.checkSigns, b.checkOrders, b.checkLoans, b.checkPayments, b.checkCompanies,
		b.checkClaims, b.checkEvents, b.checkAudit, b.checkAnswers, b.checkReplay, b.checkTransit, b.checkMerchants, b.checkTotals, b.buyers,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkEntries: every entry sums to zero, not counting memo; stored balances are the sums of
// their postings; a reversal negates its original, once.
func (b *Books) checkEntries() error {
	sums, byID, reversed := map[ledger.BalanceKey]int64{}, map[string]ledger.Entry{}, map[string]bool{}
	for _, e := range b.Entries {
		books, memo := int64(0), int64(0)
		for _, p := range e.Postings {
			if p.Account >= 9000 {
				memo += int64(p.Amount)
			} else {
				books += int64(p.Amount)
			}
			if p.Amount == 0 {
				return fmt.Errorf("LG1: entry %s has a line of zero", e.ID)
			}
			sums[balanceKey(p, e.Entry)] += int64(p.Amount)
		}
		if books != 0 || memo != 0 || len(e.Postings) < 2 {
			return fmt.Errorf("LG1: entry %s sums to %d, memo %d", e.ID, books, memo)
		}
		if e.ValueDate > e.BookDate {
			return fmt.Errorf("LG7: entry %s of %s counts from %s", e.ID, e.BookDate, e.ValueDate)
		}
		if e.Reverses != "" {
			if err := negates(e.Entry, byID[e.Reverses]); err != nil || reversed[e.Reverses] {
				return fmt.Errorf("LG4: entry %s reverses %s: %v", e.ID, e.Reverses, err)
			}
			reversed[e.Reverses] = true
		}
		byID[e.ID] = e.Entry
	}
	for k, x := range b.Balances {
		if sums[k] != x {
			return fmt.Errorf("LG3: balance %s is %d, its postings sum to %d", k, x, sums[k])
		}
		delete(sums, k)
	}
	for k, x := range sums {
		if x != 0 {
			return fmt.Errorf("LG3: balance %s is missing, its postings sum to %d", k, x)
		}
	}
	return nil
}

// balanceKey returns the balance that a posting belongs to: per company, merchant and order.
func balanceKey(p ledger.Posting, e ledger.Entry) ledger.BalanceKey {
	return ledger.BalanceKey{
		Account: p.Account, Currency: e.Currency,
		Dimensions: ledger.Dimensions{Company: p.Company, Merchant: p.Merchant, Order: p.Order},
	}
}

func negates(e, original ledger.Entry) error {
	if original.ID == "" || original.Reverses != "" || len(e.Postings) != len(original.Postings) {
		return fmt.Errorf("%d lines for %d", len(e.Postings), len(original.Postings))
	}
	for _, p := range original.Postings {
		p.Amount = -p.Amount
		if !slices.Contains(e.Postings, p) {
			return fmt.Errorf("no line %d %s", p.Account, p.Amount)
		}
	}
	return nil
}

// checkSigns: no balance has the wrong sign (LG6).
func (b *Books) checkSigns() error {
	type owner struct {
		account ledger.Account
		of      string
	}
	sums := map[owner]int64{}
	for _, e := range b.Entries {
		for _, p := range e.Postings {
			sums[owner{p.Account, ownerOf(p)}] += int64(p.Amount)
		}
	}
	for k, x := range sums {
		switch k.account {
		case ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.FeesReceivable, ledger.OtherReceivable, ledger.Reserved,
			ledger.ClawbackReceivable, ledger.UnfundedExternal:
			if x < 0 {
				return fmt.Errorf("LG6: %d of %s is %d", k.account, k.of, x)
			}
		case ledger.UnearnedCharge, ledger.ChargeIncome, ledger.MerchantDiscount, ledger.BorrowerCredit, ledger.RefundsInTransit:
			if x > 0 {
				return fmt.Errorf("LG6: %d of %s is %d", k.account, k.of, x)
			}
		case ledger.PaymentsPending:
			if want := -b.pending(k.of); x != want {
				return fmt.Errorf("LG6: %d of %s is %d, its debit on the way %d", k.account, k.of, x, want)
			}
		}
	}
	return nil
}

func ownerOf(p ledger.Posting) string {
	switch p.Account {
	case ledger.BorrowerCredit, ledger.RefundsInTransit:
		return fmt.Sprint("company ", p.Company)
	case ledger.ClawbackReceivable:
		return "merchant " + p.Merchant
	case ledger.PaymentsPending:
		return "payment " + p.Payment
	}
	return fmt.Sprint("company ", p.Company, " order ", p.Order)
}

// checkOrders: the figures of an order agree with its postings and refunds.
func (b *Books) checkOrders() error {
	for _, o := range b.Orders {
		of := func(p ledger.Posting) bool { return p.Order == o.Key }
		refunds := int64(0)
		for _, r := range o.Refunds {
			refunds += int64(r.Amount)
		}
		captured := o.Status == credit.OrderCaptured || o.Status == credit.OrderReturned
		switch {
		case refunds != int64(o.Refunded) || o.Refunded > o.Captured:
			return fmt.Errorf("RF1: order %s refunded %s of %s, its refunds sum to %d", o.Key, o.Refunded, o.Captured, refunds)
		case (o.Status == credit.OrderReturned) != (o.Captured > 0 && o.Refunded == o.Captured):
			return fmt.Errorf("OR7: order %s is %s with %s of %s refunded", o.Key, o.Status, o.Refunded, o.Captured)
		case captured != (o.Captured > 0) || captured != (o.CaptureDate != calendar.None) || captured != (b.Loans[o.Key] != nil):
			return fmt.Errorf("OR3: order %s is %s, captured %s on %s", o.Key, o.Status, o.Captured, o.CaptureDate)
		case b.Sum(ledger.Reserved, of) != int64(o.Reserved):
			return fmt.Errorf("CL3: order %s reserves %s, its postings %d", o.Key, o.Reserved, b.Sum(ledger.Reserved, of))
		case -b.Sum(ledger.MerchantDiscount, of) != int64(o.Discount-o.DiscountBack):
			return fmt.Errorf("RF5: order %s keeps discount %s, its postings %d", o.Key, o.Discount-o.DiscountBack, -b.Sum(ledger.MerchantDiscount, of))
		}
	}
	return b.checkParts()
}

// checkParts: what children and parent took from a reservation was reserved (OR10).
func (b *Books) checkParts() error {
	for _, o := range b.Orders {
		parent := b.Orders[o.Parent]
		if o.Parent == "" {
			continue
		}
		if parent == nil || parent.Parent != "" || parent.Company != o.Company || parent.Merchant != o.Merchant {
			return fmt.Errorf("OR10: order %s has parent %s", o.Key, o.Parent)
		}
	}
	return nil
}

// checkLoans: rows agree with the ledger (SC4), and the invariants of F40.
func (b *Books) checkLoans() error {
	for key, l := range b.Loans {
		if err := l.Check(); err != nil {
			return fmt.Errorf("SC1: %w", err)
		}
		o := b.Orders[key]
		of := func(p ledger.Posting) bool { return p.Order == key }
		principal, charge, fees, unearned := int64(0), int64(0), int64(0), int64(0)
		for _, r := range l.Rows {
			principal += int64(r.Principal - r.PaidPrincipal)
			charge += int64(r.Recognised - r.PaidCharge)
			if l.Terms.Plan == schedule.FlatFee {
				charge += int64(r.Charge - r.Recognised)
				unearned += int64(r.Charge - r.Recognised)
			}
		}
		charge -= int64(l.Waived)
		for _, f := range l.Fees {
			fees += int64(f.Amount - f.Paid)
		}
		if l.ChargedOff { // what is owed is in memo (F17)
			principal, charge, unearned, fees = 0, 0, 0, 0
		}
		if o.Terms.Unfunded {
			if got := b.Sum(ledger.UnfundedExternal, of); got != principal {
				return fmt.Errorf("SC4: order %s owes principal %d, memo 9030 says %d", key, principal, got)
			}
			continue
		}
		for _, x := range []struct {
			account ledger.Account
			want    int64
		}{{ledger.LoanPrincipal, principal}, {ledger.ChargeReceivable, charge}, {ledger.UnearnedCharge, -unearned}} {
			accrues := x.account == ledger.LoanPrincipal || !o.Servicing.Nonaccrual // otherwise the charge is in memo (F18)
			if got := b.Sum(x.account, of); accrues && got != x.want {
				return fmt.Errorf("SC4: order %s: %d is %d, its rows say %d", key, x.account, got, x.want)
			}
		}
		if got := b.Sum(ledger.FeesReceivable, of) + b.Sum(ledger.OtherReceivable, of); got != fees {
			return fmt.Errorf("SC4: order %s: 1120 and 1130 are %d, its fees %d", key, got, fees)
		}
	}
	return nil
}

// checkReplay: replaying the events of each company from the first gives the stored loans and
// credits to the cent (F40.7).
func (b *Books) checkReplay() error {
	for id := range b.Companies {
		var events []schedule.Event
		asOf := map[string]calendar.Date{}
		last := calendar.None
		for _, e := range b.Money {
			// A withdrawn return, and credit that did not arrive, do not count.
			withdrawn := e.Returned && (e.Kind == schedule.EventReturn || e.Kind == schedule.EventPaymentRefund)
			if e.Company == id && !withdrawn {
				events = append(events, e.Event)
			}
		}
		for key, o := range b.Orders {
			if l := b.Loans[key]; o.Company == id && l != nil {
				asOf[key], last = l.AsOf, max(last, l.AsOf)
			}
		}
		if len(events) == 0 || b.heldDue(id) {
			continue
		}
		played, _ := schedule.Replay(events, max(last, b.today()))
		for _, l := range played.Loans {
			was, now := b.Loans[l.Key].View(b.today()), l.View(b.today())
			if was.TotalPaid != now.TotalPaid || was.Remaining != now.Remaining || !slices.Equal(was.Rows, now.Rows) {
				return fmt.Errorf("PA4: loan of %s: replay owes %s of %s, stored %s of %s\n%+v\n%+v", l.Key, now.Remaining, now.TotalAmount, was.Remaining, was.TotalAmount, now.Rows, was.Rows)
			}
		}
		want, got := int64(0), int64(0)
		for _, c := range played.Credits {
			want += int64(c.Amount)
		}
		for _, c := range b.Credits[id] {
			got += int64(c.Amount)
		}
		if want != got {
			return fmt.Errorf("PA6: company %d has credit %d, replay says %d", id, got, want)
		}
	}
	return nil
}

// heldDue reports whether money held for an order of a company is going to pay a row that has
// become due since the order was serviced: a replay is ahead by that.
func (b *Books) heldDue(company int64) bool {
	for _, c := range b.Credits[company] {
		if l := b.Loans[c.Order]; c.Hold && l != nil {
			for _, r := range l.Rows {
				if r.DueDate > l.AsOf && r.DueDate <= b.today() && r.Unpaid() > 0 {
					return true
				}
			}
		}
	}
	return false
}

// checkAudit: sequences have no gap and every batch links to the one before it.
func (b *Books) checkAudit() error {
	next, head := int64(1), [32]byte{}
	for _, x := range b.Batches {
		if x.Tombstone {
			continue
		}
		if x.FirstQ != next || x.LastQ < x.FirstQ {
			return fmt.Errorf("AU7: batch of %d to %d, want %d", x.FirstQ, x.LastQ, next)
		}
		next = x.LastQ + 1
		digest := engine.AuditDigest(x.Rules, x.Wire, b.Audits[x.FirstQ-1:x.LastQ])
		head = sha256.Sum256(append(head[:], digest[:]...))
		if digest != x.Digest || head != x.Hash {
			return fmt.Errorf("AU5: the chain breaks at %d", x.FirstQ)
		}
	}
	if next != int64(len(b.Audits))+1 || b.Seq != int64(len(b.Audits)) {
		return fmt.Errorf("AU7: %d audit rows, batches to %d, head %d", len(b.Audits), next-1, b.Seq)
	}
	return nil
}

// checkAnswers: a key has one decided command (ID1), and its stored body is the one whose hash
// the audit row holds.
func (b *Books) checkAnswers() error {
	uses := map[store.KeyID]int{}
	for q, a := range b.Audits {
		if a.Actor.Key == "" {
			continue
		}
		k := store.KeyID{Client: a.Actor.Client, Key: a.Actor.Key}
		if uses[k]++; uses[k] > 1 {
			return fmt.Errorf("ID1: key %s of %s was executed twice", k.Key, k.Client)
		}
		x, ok := b.Answers[k]
		if x.Sealed != strings.Contains(string(x.Body), "s3cr3t") {
			return fmt.Errorf("ID2: answer under key %s of %s is sealed: %t, and shows %s", k.Key, k.Client, x.Sealed, x.Body)
		}
		if !ok || x.Q != int64(q)+1 || sha256.Sum256(x.Body) != a.BodyHash {
			return fmt.Errorf("ID4: key %s of %s is not stored with its effect", k.Key, k.Client)
		}
	}
	if len(uses) != len(b.Answers) {
		return fmt.Errorf("ID4: %d stored answers for %d keys", len(b.Answers), len(uses))
	}
	return nil
}
