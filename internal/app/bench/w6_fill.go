package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
)

// The calendar of a book: none of its days is a bank holiday, and every date also exists in the
// month before, so that what is captured on that day is due on the date.
const (
	firstDay     = calendar.Date(20_678) // 2026-08-13
	lastDue      = calendar.Date(20_693) // 2026-08-28: of the financings that are not due on a measured day
	firstCapture = calendar.Date(20_636) // 2026-07-02: of those that are late on the first day
	maxDays      = 10                    // banking days from the first, the last of which is before lastDue-1

	perDay      = 30   // one in so many financings is due on a day
	unpaidEvery = 10   // one in so many companies has no autopay
	perCompany  = 10   // financings per company
	lightSample = 1000 // financings that callers read

	// The time between two batches of financings. An ID starts with its creation time, so the
	// financings of a day are stored in the order they arrived. If all had the same time, they would
	// be stored in random order, as no shop's orders are.
	apart = time.Second
)

// MinDayOrders is the minimum number of financings of W6: one per day becomes liable to a late
// fee.
const MinDayOrders = perDay * unpaidEvery

// bankingDayBefore is the last banking day before a date.
func bankingDayBefore(d calendar.Date) calendar.Date {
	for d--; !d.IsBankingDay(); d-- {
	}
	return d
}

// lot is a number of financings captured on one date.
type lot struct {
	captured calendar.Date
	orders   int
	unpaid   bool // of companies without autopay
	day      int  // the day it is due, -1 if none
}

// lots are the financings of a book in order of capture: for each measured day a thirtieth that
// is due, and a three-hundredth that is unpaid and becomes liable to a late fee; the others are
// due after all of them.
func lots(size, days int) (out []lot, dates []calendar.Date) {
	left, date := size, firstDay
	grace := lending.DefaultSettings().LateFeeGraceDays + 1
	for i := range days {
		due, late := size/perDay, size/perDay/unpaidEvery
		left -= due + late
		dates = append(dates, date)
		out = append(out, lot{date.AddMonths(-1), due, false, i}, lot{date.AddDays(-grace).AddMonths(-1), late, true, -1})
		date = (date + 1).NextBankingDay()
	}
	out = append(out, lot{(lastDue - 1).AddMonths(-1), left / 2, false, -1}, lot{lastDue.AddMonths(-1), left - left/2, false, -1})
	slices.SortStableFunc(out, func(a, b lot) int { return cmp.Compare(a.captured, b.captured) })
	return out, dates
}

// fillDay creates a merchant with a payout account, companies of which most pay by autopay, and
// their financings, with commands of the engine in full batches, each on its date.
func (r *runner) fillDay(ctx context.Context, b *dayBook) error {
	f := &forge{engine: b.eng, rng: r.rng.fork()}
	companies, err := f.found(ctx, max(b.size/perCompany, unpaidEvery))
	if err != nil {
		return err
	}
	b.shop.merchant, b.shop.companies = f.merchant, companies
	if err := b.paid(ctx, f); err != nil {
		return err
	}
	var unpaid, paying []int64
	for i, id := range companies {
		if i%unpaidEvery == 0 {
			unpaid = append(unpaid, id)
		} else {
			paying = append(paying, id)
		}
	}
	if err := b.autopay(ctx, f, paying); err != nil {
		return err
	}
	todo, dates := lots(b.size, r.cfg.Rounds+1)
	for _, d := range dates {
		b.days = append(b.days, businessDay{date: d})
	}
	pays := map[int64]bool{}
	for _, id := range paying {
		pays[id] = true
	}
	done := 0
	for _, l := range todo {
		if at := b.zone.At(l.captured, noon, 0); at.After(b.clock.Now()) {
			if _, err := b.clock.AdvanceTo(at); err != nil {
				return err
			}
		}
		from := companies
		if l.unpaid {
			from = unpaid
		}
		for l.orders > 0 {
			r.cfg.Progress(fmt.Sprintf("%s: fill with %s", b.kind, b.name()), done, b.size)
			n := min(l.orders, engine.MaxBatch)
			owners, err := b.finance(ctx, f, from, n)
			if err != nil {
				return err
			}
			for _, id := range owners {
				if l.day >= 0 && pays[id] {
					b.days[l.day].debits++
				}
			}
			done, l.orders = done+n, l.orders-n
			if _, err := b.clock.Advance(apart); err != nil {
				return err
			}
		}
	}
	return nil
}

// finance authorizes and captures orders, and returns their companies.
func (b *dayBook) finance(ctx context.Context, f *forge, companies []int64, n int) ([]int64, error) {
	owners, create, capture := make([]int64, n), make([]credit.Command, n), make([]credit.Command, n)
	for i := range create {
		owners[i] = companies[f.rng.below(len(companies))]
		create[i] = f.order(owners[i])
	}
	made, err := f.decide(ctx, create)
	if err != nil {
		return nil, err
	}
	for i, x := range made {
		key := x.(*credit.Order).Key
		capture[i] = lending.UpdateOrder{Order: key, Status: credit.OrderCaptured}
		if len(b.shop.orders) < lightSample {
			b.shop.orders = append(b.shop.orders, key)
		}
	}
	_, err = f.decide(ctx, capture)
	return owners, err
}

// paid gives the merchant an account.
func (b *dayBook) paid(ctx context.Context, f *forge) error {
	bank, err := b.account(payments.PaidAccount(f.merchant), 0)
	if err == nil {
		_, err = f.decide(ctx, []credit.Command{merchants.SetMerchantAccount{Merchant: f.merchant, Bank: bank}})
	}
	return err
}

// autopay gives companies accounts to debit.
func (b *dayBook) autopay(ctx context.Context, f *forge, companies []int64) error {
	on := true
	for start := 0; start < len(companies); start += engine.MaxBatch {
		some := companies[start:min(start+engine.MaxBatch, len(companies))]
		add, enable := make([]credit.Command, len(some)), make([]credit.Command, len(some))
		for i, id := range some {
			n := start + i + 1
			var seed [16]byte
			binary.BigEndian.PutUint64(seed[:], uint64(n))
			method := payments.MethodID(seed, b.clock.Now())
			bank, err := b.account(payments.MethodAccount(method), n)
			if err != nil {
				return err
			}
			add[i] = payments.AddPaymentMethod{
				ID: method, Company: id, Type: credit.ACH, Bank: bank,
				Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: b.clock.Now(), Reference: "signed"},
			}
		}
		made, err := f.decide(ctx, add)
		if err != nil {
			return err
		}
		for i, x := range made {
			enable[i] = payments.SetAutopay{Company: some[i], Enabled: &on, Method: &x.(*credit.PaymentMethod).ID}
		}
		if _, err := f.decide(ctx, enable); err != nil {
			return err
		}
	}
	return nil
}

// account returns an account at the sandbox's bank with enough money, sealed for a place.
func (b *dayBook) account(place string, n int) (*credit.BankAccount, error) {
	x := credit.AccountDetails{Routing: fake.Routing, Number: fmt.Sprintf("5%08d", n), Holder: "Example Company LLC"}
	bank := &credit.BankAccount{
		Last4: x.Number[len(x.Number)-4:], AccountType: rails.Checking, HolderType: rails.Business,
		Fingerprint: fingerprint(x.Routing, x.Number), Holder: fingerprint(credit.HolderIndex, x.Holder),
	}
	return bank, bank.Seal(place, x, b.ring.Seal)
}

// fingerprint is the blind index of an account; nothing here is confidential.
func fingerprint(routing, number string) string {
	sum := sha256.Sum256([]byte(routing + "/" + number))
	return hex.EncodeToString(sum[:])
}
