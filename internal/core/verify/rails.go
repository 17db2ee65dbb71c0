package verify

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// transferFacts is the part of a transfer that other rows are compared with.
type transferFacts struct {
	rail      credit.Method
	kind      credit.TransferKind
	company   int64
	merchant  string
	payment   string
	payout    string
	method    string
	amount    money.Amount
	back      money.Amount // of a card charge, the amount sent back
	debit     bool
	status    credit.TransferStatus
	answered  bool // by a card processor
	settlesOn calendar.Date
	ripens    bool // settled money that is not good yet
	settled   bool // at some point
	filed     bool // according to its row
	inFile    bool // according to the files
}

// refundFacts is a refund of a payment, with the transfer that sends it.
type refundFacts struct {
	payment, transfer string
	amount            money.Amount
	status            credit.RefundStatus
}

// readRails collects the facts about transfers and payouts.
func (r *run) readRails() error {
	r.transfers, r.payouts = map[string]*transferFacts{}, map[string]*payoutFacts{}
	if err := store.Each(r.view, &store.Transfers, func(row store.TransferRow) error {
		t, filed := row.Transfer, row.Filed
		r.transfers[t.ID] = &transferFacts{
			t.Rail, t.Kind, t.Company, t.Merchant, t.Payment, t.Payout, t.Method, t.Amount, t.Back, t.Debit(), t.Status, answered(t), t.SettlesOn,
			t.ReleaseOn != calendar.None, !t.SettledAt.IsZero(), filed, false,
		}
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	return store.EachOf(r.view, store.PayoutNoun, func(p *credit.Payout) error {
		r.payouts[p.ID] = &payoutFacts{merchant: p.Merchant, eventSeq: p.EventSeq}
		return r.ctx.Err()
	})
}

// answered reports whether a card processor has answered a transfer (F25).
func answered(t *credit.Transfer) bool {
	if t.Kind == credit.TransferPayment {
		return t.Reference != ""
	}
	return !t.SettledAt.IsZero()
}

// transfers compares each transfer with the owner of the money and its dates, and the
// clearing accounts with the transfers (PA1, PA2, TM2).
func transfers(r *run) error {
	w := underWay{r, map[clearing]money.Amount{}, map[string]money.Amount{}}
	micro := microDeposits{}
	for company, sum := range r.owed { // unordered: sums
		w.sums[clearing{ledger.RefundsInTransit, company, ""}] = -sum
	}
	if err := store.EachOf(r.view, store.TransferNoun, func(t *credit.Transfer) error {
		object := "transfer " + t.ID
		r.guard("PA1", object, func() {
			r.checkTransferParents(object, t)
			r.checkTransferTimes(object, t)
			w.add(t)
			micro.add(t)
		})
		return r.each(0)
	}); err != nil {
		return err
	}
	micro.check(r)
	w.charges()
	w.compare()
	return nil
}

func (r *run) checkTransferParents(object string, t *credit.Transfer) {
	merchants := t.Kind == credit.TransferPayout || t.Kind == credit.TransferClawback
	switch {
	case merchants && (r.merchants[t.Merchant] == nil || t.Company != 0 || t.Payment != "" || t.Method != ""),
		!merchants && (r.companies[t.Company] == nil || t.Merchant != "" || t.Method == ""):
		r.broken("AU1", object, "of kind %s does not fit company %d or merchant %q", t.Kind, t.Company, t.Merchant)
	case t.Amount <= 0 && t.Kind != credit.TransferPrenote:
		r.broken("MN2", object, "has the amount %s", t.Amount)
	}
	p := r.paid[t.Payment]
	switch t.Kind {
	case credit.TransferPayment, credit.TransferCredit:
		if p == nil || p.company != t.Company || p.transfer != t.ID || p.amount != t.Amount {
			r.broken("PA1", object, "of %s refers to payment %q, which does not match", t.Amount, t.Payment)
		} else if !agree(p.status, t) && !(p.reversed && p.status == credit.PaymentReturned && t.Status == credit.TransferSettled) {
			r.broken("PA1", object, "is %s, but its payment is %s", t.Status, p.status)
		}
	case credit.TransferRefund:
		x := r.refunds[t.Refund]
		if p == nil || p.company != t.Company || x.payment != t.Payment || x.amount != t.Amount {
			r.broken("RF2", object, "of %s sends refund %s of payment %s, which does not match", t.Amount, t.Refund, t.Payment)
		} else if x.transfer == t.ID && x.status != refundStatus(t) && (x.status != credit.RefundCanceled || refundStatus(t) != credit.RefundFailed) || x.transfer != t.ID && refundStatus(t) != credit.RefundFailed && !(p.reversed && t.Status == credit.TransferCanceled) {
			r.broken("RF2", object, "is %s, but its refund is %s with transfer %q", t.Status, x.status, x.transfer)
		}
	case credit.TransferMicro:
		if x := r.transfers[t.Charge]; t.Debit() && (x == nil || x.kind != credit.TransferMicro || x.debit || x.method != t.Method) {
			r.broken("AU1", object, "recovers transfer %s, which is not a micro-deposit to the same account", t.Charge)
		}
	case credit.TransferPayout:
		if x := r.payouts[t.Payout]; x == nil || x.merchant != t.Merchant {
			r.broken("AU1", object, "belongs to payout %q, which is not a payout of merchant %s", t.Payout, t.Merchant)
		}
	}
}

// refundStatus derives a refund's status from its transfer (RF2).
func refundStatus(t *credit.Transfer) credit.RefundStatus {
	switch {
	case t.Status == credit.TransferFailed || t.Status == credit.TransferReturned:
		return credit.RefundFailed
	case t.Status == credit.TransferCanceled:
		return credit.RefundCanceled
	case t.Status == credit.TransferSettled || t.Rail == credit.Card && answered(t):
		return credit.RefundSettled
	}
	return credit.RefundPending
}

// agree reports whether a payment's status matches its transfer (PA1).
func agree(p credit.PaymentStatus, t *credit.Transfer) bool {
	charged := t.Rail == credit.Card && t.Status == credit.TransferSent && answered(t)
	switch p {
	case credit.PaymentScheduled:
		return t.Status == credit.TransferQueued
	case credit.PaymentPending:
		return t.Status == credit.TransferQueued || t.Status == credit.TransferSent && !charged
	case credit.PaymentCanceled:
		return t.Status == credit.TransferCanceled
	case credit.PaymentFailed:
		return t.Status == credit.TransferFailed
	case credit.PaymentReturned:
		return t.Status == credit.TransferReturned
	}
	return t.Status == credit.TransferSettled || charged
}

// Hours of the rails in the business zone (F22).
const (
	cutOffHour                       = 16
	settlementHour, settlementMinute = 8, 30
	sameDayHour                      = 18 // for same-day settlement
)

// checkTransferTimes compares when a transfer was sent and settled, and when time alone
// next changes it, with its status and its dates (PA1, TM2).
func (r *run) checkTransferTimes(object string, t *credit.Transfer) {
	z := r.options.Zone
	sent := t.Status != credit.TransferQueued && t.Status != credit.TransferCanceled
	settled := !t.SettledAt.IsZero()
	if sent == t.SentAt.IsZero() || t.Status == credit.TransferSettled && !settled || settled && (!sent || t.SettledAt.Before(t.SentAt)) ||
		t.ReturnCode != "" && t.Status != credit.TransferFailed && t.Status != credit.TransferReturned {
		r.broken("PA1", object, "is %s, sent at %q, settled at %q, code %q", t.Status, stamp(t.SentAt), stamp(t.SettledAt), t.ReturnCode)
	}
	if t.Rail == credit.ACH && (!t.SendOn.IsBankingDay() || !t.SettlesOn.IsBankingDay() || t.SettlesOn < t.SendOn) {
		r.broken("PA1", object, "is sent on %s and settles on %s", t.SendOn, t.SettlesOn)
	}
	if t.SameDay() && (t.Kind == credit.TransferPrenote || t.Kind == credit.TransferMicro) {
		r.broken("PA1", object, "verifies an account, but is sent same day, on %s", t.SendOn)
	}
	var next time.Time
	switch {
	case t.Status == credit.TransferQueued && t.Rail == credit.Card && t.NextAt.Equal(t.CreatedAt):
		next = t.CreatedAt // a card is charged at once
	case t.Status == credit.TransferQueued:
		next = z.At(t.SendOn, cutOffHour, 0)
	case t.Status == credit.TransferSent && t.Rail == credit.ACH:
		if next = z.At(t.SettlesOn, settlementHour, settlementMinute); t.SettlesOn == t.SendOn {
			next = z.At(t.SettlesOn, sameDayHour, 0)
		}
	case (t.Status == credit.TransferSettled || t.Rail == credit.Card && t.Status == credit.TransferSent) && t.ReleaseOn != calendar.None:
		next = z.Start(t.ReleaseOn)
	}
	if !t.NextAt.Equal(next) {
		r.broken("TM2", object, "is %s with next_at %q, must be %q", t.Status, stamp(t.NextAt), stamp(next))
	}
}

// clearing is an account for money in transit, and the owner.
type clearing struct {
	account  ledger.Account
	company  int64
	merchant string
}

// underWay sums transfers by clearing account.
type underWay struct {
	*run
	sums map[clearing]money.Amount
	back map[string]money.Amount // by transfer: refunds of a charge less what the charge records
}

func (w underWay) put(a ledger.Account, t *credit.Transfer, amount money.Amount) {
	k := clearing{a, t.Company, t.Merchant}
	w.sums[k] = w.sums[k].Add(amount)
}

// add counts a transfer on the account where the books have it (F39).
func (w underWay) add(t *credit.Transfer) {
	sent := t.Status == credit.TransferSent
	switch {
	case t.Rail == credit.Card && sent && answered(t) && t.Kind == credit.TransferPayment:
		w.put(ledger.CardReceivable, t, t.Amount)
	case t.Rail == credit.Card && sent && answered(t):
		w.put(ledger.CardReceivable, t, -t.Amount)
	case t.Rail == credit.ACH && sent && t.Kind == credit.TransferPayment:
		w.put(ledger.ACHDebitsInTransit, t, t.Amount)
		w.put(ledger.PaymentsPending, t, -t.Amount)
	case sent && t.Kind == credit.TransferPayout:
		w.put(ledger.ACHCreditsInTransit, t, -t.Amount)
	}
	if t.Rail == credit.Card && t.Charge != "" && t.Status != credit.TransferFailed {
		w.back[t.Charge] = w.back[t.Charge].Add(t.Amount)
	}
	if t.Back != 0 {
		w.back[t.ID] = w.back[t.ID].Sub(t.Back)
	}
}

// charges checks that the refunds of a card charge sum to what the charge records (RF2).
func (w underWay) charges() {
	for _, id := range slices.Sorted(maps.Keys(w.back)) {
		if w.back[id] != 0 {
			w.broken("RF2", "transfer "+id, "records %s less than was refunded through it", w.back[id])
		}
	}
}

// compare compares the sums with the books, company by company and merchant by merchant
// (PA2, PO6).
func (w underWay) compare() {
	posted := map[clearing]money.Amount{}
	for k, sum := range w.balances {
		at := clearing{account: k.Account, company: k.Company}
		switch k.Account {
		case ledger.ACHCreditsInTransit:
			at.merchant = k.Merchant
		case ledger.ACHDebitsInTransit, ledger.CardReceivable, ledger.PaymentsPending, ledger.RefundsInTransit:
		default:
			continue
		}
		posted[at] = posted[at].Add(sum)
	}
	all := maps.Clone(w.sums)
	maps.Copy(all, posted)
	keys := slices.SortedFunc(maps.Keys(all), func(a, b clearing) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.company, b.company), cmp.Compare(a.merchant, b.merchant))
	})
	for _, k := range keys {
		object := "company " + store.CompanyKey(k.company)
		if k.merchant != "" {
			object = "merchant " + k.merchant
		}
		if w.sums[k] != posted[k] {
			w.broken("PA2", object, "has %s in transit, but account %d has a balance of %s", w.sums[k], k.account, posted[k])
		}
	}
}
