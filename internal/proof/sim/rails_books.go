package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/resource"
)

// Rails is what a backend holds of money in transit, each list ordered by identifier.
type Rails struct {
	Merchants []*credit.Merchant
	Methods   []*credit.PaymentMethod
	Transfers []*credit.Transfer
	Payouts   []*credit.Payout
	Lines     []*credit.PayoutLine
	Notices   []*credit.Notice
	Closed    map[calendar.Date]bool // months, by their first day

	Screenings []*credit.Screening
	Lender     *credit.Lender
	Receipts   []*credit.Receipt
}

func newRails() Rails { return Rails{Closed: map[calendar.Date]bool{}} }

// Read reads rails and the books from a snapshot.
func (r *Rails) Read(v store.View) error {
	merchants, err := store.AllMerchants(v)
	periods, err2 := store.AllOf(v, store.PeriodNoun)
	for _, p := range periods {
		r.Closed[p.Month] = true
	}
	r.Merchants = merchants
	lender := credit.NewState()
	err3 := v.Load(lender, credit.Keys{Lenders: []string{credit.TheLender}})
	r.Lender = lender.TheLender()
	return errors.Join(err, err2, err3,
		store.EachOf(v, store.ScreeningNoun, func(x *credit.Screening) error { r.Screenings = append(r.Screenings, x); return nil }),
		store.EachOf(v, store.ReceiptNoun, func(x *credit.Receipt) error { r.Receipts = append(r.Receipts, x); return nil }),
		store.EachOf(v, store.MethodNoun, func(m *credit.PaymentMethod) error { r.Methods = append(r.Methods, m); return nil }),
		store.EachOf(v, store.TransferNoun, func(t *credit.Transfer) error { r.Transfers = append(r.Transfers, t); return nil }),
		store.EachOf(v, store.PayoutNoun, func(p *credit.Payout) error { r.Payouts = append(r.Payouts, p); return nil }),
		store.EachOf(v, store.PayoutLineNoun, func(l *credit.PayoutLine) error { r.Lines = append(r.Lines, l); return nil }),
		store.EachOf(v, store.NoticeNoun, func(n *credit.Notice) error { r.Notices = append(r.Notices, n); return nil }))
}

// railResource returns an answer's resource if it belongs to rails, payouts or the books.
func railResource(result any) any {
	switch x := result.(type) {
	case *credit.PaymentMethod:
		return resource.NewPaymentMethod(x, nil)
	case *credit.Transfer:
		return resource.NewTransfer(x)
	case *credit.Payout:
		return resource.NewPayout(x)
	case *credit.Notice:
		return resource.NewNotice(x)
	case *credit.Period:
		return resource.NewPeriod(x)
	case *credit.Lender:
		return resource.NewLender(x)
	case *credit.Receipt:
		return x
	case *credit.Screening:
		return resource.NewScreening(x)
	case credit.Record:
		return struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		}{x.Head().ID, x.Head().Status}
	case ledger.Entry:
		return resource.NewEntry(&x, 0)
	}
	return nil
}

// Counts reports whether a payment's money has arrived and has not gone back.
func Counts(p *credit.Payment) bool {
	arrived := p.Status == credit.PaymentSucceeded || p.Status == credit.PaymentPartiallyRefunded || p.Status == credit.PaymentRefunded
	return arrived && p.Direction == "IN"
}

// onRails reports whether money of a company has moved, or is going to move, on a rail.
func (b *Books) onRails(company int64) bool {
	return slices.ContainsFunc(b.Transfers, func(t *credit.Transfer) bool { return t.Company == company })
}

// onItsWay is the amount of an ACH debit that was sent and has not settled.
func onItsWay(t *credit.Transfer) int64 {
	if t.Rail == credit.ACH && t.Kind == credit.TransferPayment && t.Status == credit.TransferSent {
		return int64(t.Amount)
	}
	return 0
}

// pending is the balance on 2120 for a payment, as ownerOf names it.
func (b *Books) pending(payment string) int64 {
	sum := int64(0)
	for _, t := range b.Transfers {
		if "payment "+t.Payment == payment {
			sum += onItsWay(t)
		}
	}
	return sum
}

// checkTransit: 1010 is the debits that were sent, 1020 what the processor has captured and not
// paid out, and the account of credits in transit the payouts (F39); a company's line is held for
// what is not good yet (F24).
func (b *Books) checkTransit() error {
	debits, charges, payouts := int64(0), int64(0), int64(0)
	for _, t := range b.Transfers {
		debits += onItsWay(t)
		if t.Rail == credit.Card && t.Status == credit.TransferSent {
			switch {
			case t.Kind == credit.TransferPayment && t.Reference != "":
				charges += int64(t.Amount)
			case t.Kind != credit.TransferPayment && !t.SettledAt.IsZero():
				charges -= int64(t.Amount)
			}
		}
	}
	for _, p := range b.Payouts {
		if p.Status == credit.PayoutSent {
			payouts += int64(p.Net)
		}
	}
	all := func(ledger.Posting) bool { return true }
	for _, x := range []struct {
		account ledger.Account
		want    int64
	}{{ledger.ACHDebitsInTransit, debits}, {ledger.CardReceivable, charges}, {ledger.ACHCreditsInTransit, -payouts}} {
		if got := b.Sum(x.account, all); got != x.want {
			return fmt.Errorf("F40.8: %d is %d, the transfers say %d", x.account, got, x.want)
		}
	}
	held := map[int64]int64{}
	for _, p := range b.Payments {
		held[p.Company] += int64(p.OnHold)
	}
	for id, c := range b.Companies {
		if int64(c.OnHold) != held[id] {
			return fmt.Errorf("CL3: company %d has %s held back, its payments %d", id, c.OnHold, held[id])
		}
	}
	return nil
}

// checkMerchants: what is owed to merchants and by them is what their lines say, with payouts
// that have not left (PO3): 2000, 1200, 1210.
func (b *Books) checkMerchants() error {
	type standing struct{ payable, clawback, collected int64 }
	want := map[string]*standing{}
	for _, m := range b.Merchants {
		want[m.ID] = &standing{}
	}
	for _, l := range b.Lines {
		switch w := want[l.Merchant]; {
		case l.Payout != "":
		case l.Kind == credit.LineClawback:
			w.clawback += int64(l.Amount)
		case l.Kind == credit.LineCollected:
			w.collected += int64(l.Left())
		default:
			w.payable -= int64(l.Amount)
		}
	}
	for _, p := range b.Payouts {
		if p.Status == credit.PayoutPending {
			want[p.Merchant].payable -= int64(p.Net)
		}
	}
	for id, w := range want {
		of := func(p ledger.Posting) bool { return p.Merchant == id }
		got := standing{b.Sum(ledger.MerchantPayable, of), b.Sum(ledger.ClawbackReceivable, of), b.Sum(ledger.DueFromMerchant, of)}
		if got != *w {
			return fmt.Errorf("PO3: 2000, 1200 and 1210 of %s are %d, the lines say %d", id, got, *w)
		}
	}
	return nil
}

// DebitsOf sums a month's entries, without memo, as the person who closes it sees them.
func (b *Books) DebitsOf(month calendar.Date) money.Amount {
	sum := money.Amount(0)
	for _, e := range b.Entries {
		for _, p := range e.Postings {
			if e.BookDate.EndOfMonth() == month.EndOfMonth() && p.Amount > 0 && p.Account < 9000 {
				sum += p.Amount
			}
		}
	}
	return sum
}

// Due lists the commands that service what has become due, in order: orders, transfers, credit
// and held payout lines.
func (b *Books) Due(w *World) []credit.Command {
	type item struct {
		at      int64
		id      string
		command credit.Command
	}
	var list []item
	now := w.Clock.Now()
	for key, o := range b.Orders {
		if !o.NextAt.IsZero() && !o.NextAt.After(now) {
			list = append(list, item{o.NextAt.UnixMicro(), key, lending.ServiceOrder{Order: key}})
		}
	}
	for _, t := range b.Transfers {
		if !t.NextAt.IsZero() && !t.NextAt.After(now) {
			list = append(list, item{t.NextAt.UnixMicro(), t.ID, payments.ServiceTransfer{Transfer: t.ID}})
		}
	}
	for id, open := range b.Credits {
		first := item{id: store.CompanyKey(id), command: payments.ServiceCredit{Company: id}}
		for _, x := range open {
			if at := x.NextAt.UnixMicro(); !x.NextAt.IsZero() && !x.NextAt.After(now) && (first.at == 0 || at < first.at) {
				first.at = at
			}
		}
		if first.at != 0 {
			list = append(list, first)
		}
	}
	for _, l := range b.Lines {
		if free := (lending.FreeHeld{Of: l.Of()}); !l.NextAt.IsZero() && !l.NextAt.After(now) && !slices.ContainsFunc(list, func(x item) bool { return x.command == free }) {
			list = append(list, item{l.NextAt.UnixMicro(), l.Of(), free})
		}
	}
	slices.SortFunc(list, func(a, b item) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	var out []credit.Command
	for _, x := range list {
		out = append(out, x.command)
	}
	return out
}
