package verify

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	paying "tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

var system = credit.Actor{Client: "system", Operator: true}

// bankAccount is an account at a bank, sealed for its place.
func bankAccount(place, number string) *credit.BankAccount {
	details := credit.AccountDetails{Routing: "021000021", Number: number, Holder: "Alder Kitchens"}
	index := func(routing, number string) string { return "fp-" + number }
	b, err := paying.SealedAccount(place, details, credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, index, sealed)
	if err != nil {
		panic(err)
	}
	return b
}

// rails is the result of the story of money in and out.
type rails struct {
	shop              credit.Actor
	company           int64
	ach, card         string // payment methods
	orders            []string
	returned, settled string // transfers
	failed            string // payout
	notice            string
}

// method adds a payment method of a company.
func (b *book) method(company int64, number string, verify bool) string {
	b.t.Helper()
	seed := sha256.Sum256(fmt.Append(nil, company, number))
	id := paying.MethodID([16]byte(seed[:16]), b.now)
	return b.must(operator, paying.AddPaymentMethod{ID: id, Company: company, Type: credit.ACH, Bank: bankAccount(paying.MethodAccount(id), number), Verify: verify,
		Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: b.now, Reference: "signed"}}).(*credit.PaymentMethod).ID
}

func (b *book) cardMethod(company int64) string {
	b.t.Helper()
	return b.must(operator, paying.AddPaymentMethod{Company: company, Type: credit.Card,
		Card:          &credit.CardAccount{Token: "tok", Mandate: "m", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: b.now}}).(*credit.PaymentMethod).ID
}

// dock opens a shop that is paid, and a company that pays by autopay.
func (b *book) dock(x *rails, name string) {
	b.t.Helper()
	s := lending.DefaultSettings()
	s.Terms = append(s.Terms, credit.Term{Installments: 4, Plan: schedule.FlatFee, MonthlyFeeRate: money.MustParseRate("0.010000"), DiscountRate: money.MustParseRate("0.020000")})
	m := b.must(operator, merchants.CreateMerchant{Title: name, Settings: s}).(*credit.Merchant)
	x.shop = credit.Actor{Client: "cli_" + name, Merchant: m.ID}
	b.must(operator, merchants.SetMerchantAccount{Merchant: m.ID, Bank: bankAccount(paying.PaidAccount(m.ID), "200100200"), Debits: true})
	x.company = b.must(operator, lending.CreateCompany{
		Title: "Buyer of " + name, Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("60000.00"), Merchants: []string{m.ID},
	}).(*credit.Company).ID
	x.ach, x.card = b.method(x.company, "100200300", false), b.cardMethod(x.company)
	on := true
	b.must(operator, paying.SetAutopay{Company: x.company, Enabled: &on, Method: &x.ach})
}

// sell makes a captured order.
func (b *book) sell(x *rails, text string, n int, external bool) string {
	b.t.Helper()
	o := b.must(x.shop, lending.CreateOrder{Company: x.company, Amount: money.MustParse(text), Installments: n, External: external, Authorize: true}).(*credit.Order)
	b.must(x.shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	x.orders = append(x.orders, o.Key)
	return o.Key
}

// turn does everything that time has made due: orders, transfers, payouts, files and
// charges.
func (b *book) turn() {
	b.t.Helper()
	ctx, today := context.Background(), b.zone.Date(b.now)
	for {
		var due []store.Due
		orders := 0
		b.read(func(v store.View) (err error) {
			if due, err = store.ListDue(v, store.OrderNoun, b.now, store.Page{Limit: 50}); err != nil {
				return err
			}
			orders = len(due)
			more, err := store.ListDue(v, store.TransferNoun, b.now, store.Page{Limit: 50})
			due = append(due, more...)
			return err
		})
		for i, x := range due {
			if i < orders {
				b.put(system, lending.ServiceOrder{Order: x.ID})
			} else {
				b.put(system, paying.ServiceTransfer{Transfer: x.ID})
			}
		}
		if b.settle(); len(due) == 0 {
			break
		}
	}
	if hour, _, _ := b.now.In(b.zone.Location()).Clock(); hour == cutOffHour && today.IsBankingDay() && b.pay(today) {
		b.turn()
	}
	b.charges()
	list, err := store.Unfiled(ctx, b.db, 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(list) > 0 {
		b.file(ctx, list)
	}
}

// pay pays merchants and checks old clawbacks; it reports whether it did anything.
func (b *book) pay(today calendar.Date) bool {
	var due, aged []string
	b.read(func(v store.View) (err error) {
		if due, err = store.ListDueMerchants(v, today); err != nil {
			return err
		}
		aged, err = store.ListAgedMerchants(v, credit.LineClawback, today.AddDays(-30))
		return err
	})
	for _, m := range due {
		b.put(system, merchants.PayMerchant{Merchant: m})
	}
	for _, m := range aged {
		b.put(system, merchants.AgeClawbacks{Merchant: m})
	}
	b.settle()
	var left []store.Due
	b.read(func(v store.View) (err error) {
		left, err = store.ListDue(v, store.TransferNoun, b.now, store.Page{Limit: 1})
		return err
	})
	return len(left) > 0
}

// charges answers charges as a processor does, and pays out those of the day before.
func (b *book) charges() {
	var list []*credit.Transfer
	b.read(func(v store.View) error {
		return store.EachOf(v, store.TransferNoun, func(t *credit.Transfer) error {
			if t.Rail == credit.Card && t.Status == credit.TransferSent {
				list = append(list, t)
			}
			return nil
		})
	})
	for _, t := range list {
		switch {
		case !answered(t):
			b.put(system, paying.CompleteCharge{Transfer: t.ID, Approved: true, Reference: "ch_" + t.ID})
		case t.UpdatedAt.Before(b.now.Add(-20 * time.Hour)):
			b.put(system, paying.SettleCharge{Transfer: t.ID, Cost: min(30, t.Amount)})
		}
	}
	b.settle()
}

// file stores a file of transfers, and has the bank accept it.
func (b *book) file(ctx context.Context, list []*credit.Transfer) {
	b.t.Helper()
	f := store.BankFile{ID: "achf_" + b.now.Format("20060102150405"), CutOff: b.now, State: store.FileBuilt, CreatedAt: b.now, MovedAt: b.now}
	ids := make([]string, len(list))
	for i, t := range list {
		if ids[i] = t.ID; t.Debit() {
			f.Debits = f.Debits.Add(t.Amount)
		} else {
			f.Credits = f.Credits.Add(t.Amount)
		}
	}
	if _, _, err := b.db.PutFile(ctx, f, ids); err != nil {
		b.t.Fatal(err)
	}
	if err := b.db.MoveFile(ctx, f.ID, store.FileSent, b.now.Add(time.Second)); err != nil {
		b.t.Fatal(err)
	}
}

// back returns a transfer as the bank reports it.
func (b *book) back(t *credit.Transfer, code string) *ask {
	b.t.Helper()
	ctx := context.Background()
	n := store.BankNotice{Rail: credit.ACH, ID: fmt.Sprintf("in_%d/%s", b.now.Unix(), t.ID), Kind: "RETURN", Transfer: t.ID, Code: code, Payload: []byte(`{}`), At: b.now}
	if _, err := b.db.PutNotice(ctx, n); err != nil {
		b.t.Fatal(err)
	}
	x := b.put(system, paying.ReturnTransfer{Transfer: t.ID, Code: code, Cost: 400})
	b.settle()
	result := store.NoticeDone
	if x.why != nil {
		result = x.why.Code
	}
	if err := b.db.CloseNotice(ctx, credit.ACH, n.ID, result, b.now); err != nil {
		b.t.Fatal(err)
	}
	return x
}

// to passes days until an hour of a date, stop by stop.
func (b *book) to(date string, hour int, each func()) {
	b.t.Helper()
	end := b.zone.At(calendar.MustParse(date), hour, 0)
	for b.now.Before(end) {
		day := b.zone.Date(b.now)
		next := b.zone.Start(day + 1)
		for _, at := range []time.Time{b.zone.At(day, settlementHour, settlementMinute), b.zone.At(day, 10, 0), b.zone.At(day, cutOffHour, 0)} {
			if at.After(b.now) && at.Before(next) {
				next = at
			}
		}
		if next.After(end) {
			next = end
		}
		b.now = next
		b.turn()
		if h, _, _ := b.now.In(b.zone.Location()).Clock(); h == 10 && each != nil {
			each()
		}
	}
}

// transfersOf lists the transfers to keep.
func (b *book) transfersOf(keep func(*credit.Transfer) bool) (list []*credit.Transfer) {
	b.read(func(v store.View) error {
		return store.EachOf(v, store.TransferNoun, func(t *credit.Transfer) error {
			if keep(t) {
				list = append(list, t)
			}
			return nil
		})
	})
	return list
}

// railLife continues after the first story, with its own shop and company: every noun of
// money in and out occurs, and some are in progress at the end.
func (b *book) railLife() rails {
	b.t.Helper()
	ctx := context.Background()
	b.at("2026-04-02")
	var x rails
	b.dock(&x, "Dock Nine")
	b.must(operator, compliance.MoveFunding{Amount: 10_000_000, Reference: "opening"})
	b.must(operator, compliance.ClosePeriod{Month: calendar.MustParse("2026-03-01"), Debits: b.bookedIn("2026-03"), First: calendar.MustParse("2026-03-01")})
	b.must(operator, compliance.SetLender{ProvisionRates: map[credit.Bucket]money.Rate{credit.BucketCurrent: 10_000}})
	b.method(x.company, "100200388", true)
	first := b.sell(&x, "1200.00", 6, false)
	second := b.sell(&x, "900.00", 3, false)
	external := b.sell(&x, "400.00", 3, true)
	b.to("2026-04-10", 10, nil)
	paid := payment(external, "250.00")
	b.must(x.shop, paid)
	b.must(x.shop, lending.RefundOrder{Order: second, Amount: amount("200.00")})
	limit := money.MustParse("40000.00")
	b.must(operator, lending.UpdateCompany{Company: x.company, Limit: &limit, Reasons: []string{"credit_score", "Sales have halved"}})
	b.read(func(v store.View) error {
		return store.EachOf(v, store.NoticeNoun, func(n *credit.Notice) error { x.notice = n.ID; return nil })
	})
	b.must(operator, compliance.SetLender{Creditor: &credit.Party{Name: "Elm", Address: "Albany"}, Regulator: &credit.Party{Name: "FTC", Address: "Washington"}})
	b.must(operator, compliance.SendNotice{Notice: x.notice, Channel: "post", Evidence: "lot 7"})
	b.must(operator, compliance.RequestReasons{Notice: x.notice, Received: b.zone.Date(b.now)})
	b.sell(&x, "700.00", 4, false)
	b.to("2026-05-06", 10, nil) // the first debits have settled on 4 May
	for _, t := range b.transfersOf(func(t *credit.Transfer) bool {
		return t.Kind == credit.TransferPayment && t.Status == credit.TransferSettled
	}) {
		if b.back(t, "R01").why == nil {
			x.returned = t.ID
			break
		}
	}
	for _, t := range b.transfersOf(func(t *credit.Transfer) bool {
		return t.Kind == credit.TransferPayout && t.Status == credit.TransferSettled
	})[:1] {
		b.back(t, "R03")
		x.failed = t.Payout
	}
	b.must(operator, merchants.SetMerchantAccount{Merchant: x.shop.Merchant, Bank: bankAccount(paying.PaidAccount(x.shop.Merchant), "200100299"), Debits: true})
	b.waiveOne(schedule.ReturnedPaymentFee)
	charge := paying.RecordPayment{Order: second, Amount: money.MustParse("300.00"), Method: credit.Card, PaymentMethod: x.card, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
	card := b.must(operator, charge).(*credit.Payment)
	b.to("2026-05-13", 10, nil)
	b.must(operator, paying.RefundPayment{Payment: card.ID, Amount: amount("50.00"), Reason: "agreed"})
	for _, p := range b.transfersOf(func(t *credit.Transfer) bool {
		return t.Kind == credit.TransferPayment && t.Rail == credit.ACH && t.Status == credit.TransferSettled && t.ReleaseOn == calendar.None
	}) {
		x.settled = p.ID
		b.must(operator, paying.RefundPayment{Payment: p.Payment, Amount: amount("20.00"), Reason: "agreed"})
		break
	}
	extra := paying.RecordPayment{Order: first, Amount: money.MustParse("80.00"), Method: credit.ACH, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
	b.must(operator, extra)
	b.sell(&x, "640.00", 3, false)
	b.must(operator, payment(second, "900.00"))
	b.must(operator, paying.SendCredit{Company: x.company, Method: x.ach})
	for _, hour := range []int{11, 17} { // one for the day's file, one for the next
		b.to("2026-05-14", hour, nil)
		extra.Amount = money.Amount(100 * hour)
		b.must(operator, extra)
	}
	other := b.must(operator, lending.CreateCompany{Title: "Drakonov Trading", Status: credit.CompanyApproved, Tier: "A"}).(*credit.Company)
	for _, entry := range []string{"T-1", "T-2"} {
		x := b.must(operator, compliance.RecordScreening{Company: other.ID, List: "v1", Names: []string{other.Name}, Matches: []credit.Match{{Entry: entry, Name: "DRAKONOV", Score: 93}}}).(*credit.Screening)
		b.must(operator, compliance.DecideScreening{Screening: x.ID, Confirmed: entry == "T-2", Reason: "seen"})
	}
	for i, reference := range []string{"wire 1", "wire 2", "wire 3"} {
		r := b.must(operator, paying.RecordReceipt{Amount: money.Amount(50_00 + i), Method: credit.Wire, Received: calendar.MustParse("2026-05-12"), Reference: reference}).(*credit.Receipt)
		switch i {
		case 1:
			b.must(operator, paying.IdentifyReceipt{Receipt: r.ID, Company: x.company})
		case 2:
			b.must(operator, paying.ReturnReceipt{Receipt: r.ID, Reference: "wire 4"})
		}
	}
	b.must(operator, compliance.Provision{On: calendar.MustParse("2026-04-30"), Principal: map[credit.Bucket]money.Amount{credit.BucketCurrent: 100_000}})
	b.must(operator, compliance.ClosePeriod{Month: calendar.MustParse("2026-04-01"), Debits: b.bookedIn("2026-04"), First: calendar.MustParse("2026-03-01")})
	b.statement(ctx)
	return x
}

// waiveOne waives a fee of a kind.
func (b *book) waiveOne(kind schedule.FeeKind) {
	b.t.Helper()
	var order, fee string
	b.read(func(v store.View) error {
		return store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
			if l == nil {
				return nil
			}
			for _, f := range l.Fees {
				if f.Kind == kind {
					order, fee = o.Key, f.ID
				}
			}
			return nil
		})
	})
	b.must(operator, lending.WaiveFee{Order: order, Fee: fee, Reason: "goodwill"})
}

// statement adds two lines of the bank's statement, one matched.
func (b *book) statement(ctx context.Context) {
	b.t.Helper()
	var cash store.EntryRow
	b.read(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			if e.Event == "LENDER_FUNDED" {
				cash = e
			}
			return nil
		})
	})
	lines := []store.BankLine{{ID: "st_1", Date: cash.BookDate, Amount: 10_000_000, Reference: "wire"}, {ID: "st_2", Date: cash.BookDate, Amount: -400, Reference: "fee"}}
	if _, err := b.db.PutBankLines(ctx, lines); err != nil {
		b.t.Fatal(err)
	}
	word := store.BankNotice{Rail: credit.ACH, ID: "in/9", Kind: "RETURN", Code: "R01", Payload: []byte(`{}`), At: cash.At}
	_, err := b.db.PutNotice(ctx, word)
	if err == nil {
		err = b.db.CloseNotice(ctx, word.Rail, word.ID, store.NoticeUnmatched, cash.At)
	}
	if err == nil {
		err = b.db.ReviewNotice(ctx, word.Rail, word.ID, "cli_office", "not ours", cash.At)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	m := store.BankMatch{ID: "mtc_1", Rule: store.MatchReference, Lines: []string{"st_1"}, Entries: []string{cash.ID}, Amount: 10_000_000, MadeAt: cash.At}
	if err := b.db.PutMatches(ctx, []store.BankMatch{m}); err != nil {
		b.t.Fatal(err)
	}
}

// bookedIn sums the debits of a month, without memo.
func (b *book) bookedIn(month string) money.Amount {
	sum := money.Amount(0)
	b.read(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			for _, p := range e.Postings {
				if e.BookDate.String()[:7] == month && p.Amount > 0 && !p.Account.Memo() {
					sum = sum.Add(p.Amount)
				}
			}
			return nil
		})
	})
	return sum
}

// railTrade passes days on which anything can happen to money in transit.
func (b *book) railTrade(random *rand.Rand, until string) {
	b.t.Helper()
	var x rails
	b.dock(&x, "Quay")
	some := func(max int) money.Amount { return money.Amount(1 + random.IntN(max)) }
	b.to(until, 10, func() {
		for range 1 + random.IntN(3) {
			b.railCommand(random, &x, some)
			b.settle()
		}
	})
}

func (b *book) railCommand(random *rand.Rand, x *rails, some func(int) money.Amount) {
	order := "ord_none"
	if len(x.orders) > 0 {
		order = x.orders[random.IntN(len(x.orders))]
	}
	pick := func(keep func(*credit.Transfer) bool) *credit.Transfer {
		if list := b.transfersOf(keep); len(list) > 0 {
			return list[random.IntN(len(list))]
		}
		return nil
	}
	switch random.IntN(16) {
	case 0, 1:
		o := b.put(x.shop, lending.CreateOrder{Company: x.company, Amount: 10000 + some(200000), Installments: []int{1, 3, 4, 6}[random.IntN(4)], External: random.IntN(5) == 0, Authorize: true})
		b.settle()
		if made, ok := o.result.(*credit.Order); ok {
			b.put(x.shop, lending.UpdateOrder{Order: made.Key, Status: credit.OrderCaptured})
			x.orders = append(x.orders, made.Key)
		}
	case 2, 3:
		p := paying.RecordPayment{Order: order, Amount: some(40000), Method: []credit.Method{credit.ACH, credit.Card}[random.IntN(2)], ScheduledDate: calendar.None, EffectiveDate: calendar.None}
		if p.Method == credit.Card {
			p.PaymentMethod = x.card
		}
		b.put(operator, p)
	case 4:
		b.put(operator, paying.RecordPayment{Company: x.company, Amount: some(90000), Method: credit.ACH, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	case 5:
		a := some(30000)
		b.put(x.shop, lending.RefundOrder{Order: order, Amount: []*money.Amount{nil, &a, &a}[random.IntN(3)]})
	case 6, 7:
		if t := pick(func(t *credit.Transfer) bool {
			return t.Rail == credit.ACH && (t.Status == credit.TransferSettled || t.Status == credit.TransferSent) && b.now.Sub(t.SentAt) < 20*24*time.Hour
		}); t != nil {
			b.back(t, []string{"R01", "R01", "R09", "R03", "R10", "R08", "R16"}[random.IntN(7)])
		}
	case 8:
		if t := pick(func(t *credit.Transfer) bool { return t.Rail == credit.Card && t.Kind == credit.TransferPayment }); t != nil {
			b.put(system, paying.DisputeCharge{Transfer: t.ID, Won: random.IntN(2) == 0, Code: "10.4", Fee: 1500})
		}
	case 9:
		if t := pick(func(t *credit.Transfer) bool { return t.Kind == credit.TransferPayment }); t != nil {
			a := some(10000)
			b.put(operator, paying.RefundPayment{Payment: t.Payment, Amount: []*money.Amount{nil, &a}[random.IntN(2)]})
		}
	case 10:
		if t := pick(func(t *credit.Transfer) bool {
			return t.Kind == credit.TransferPayment && t.Status == credit.TransferQueued
		}); t != nil {
			b.put(operator, paying.CancelPayment{Payment: t.Payment})
		}
	case 11:
		b.put(operator, paying.SendCredit{Company: x.company, Method: x.ach})
	case 12:
		on := true
		x.ach = b.method(x.company, fmt.Sprint(100200300+random.IntN(500)), false)
		b.put(operator, paying.SetAutopay{Company: x.company, Enabled: &on, Method: &x.ach})
		b.put(operator, lending.UpdateCompany{Company: x.company, Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanySuspended}})
		b.put(operator, merchants.SetMerchantAccount{Merchant: x.shop.Merchant, Bank: bankAccount(paying.PaidAccount(x.shop.Merchant), "200100299"), Debits: true})
	case 13:
		b.put(x.shop, payment(order, some(20000).String()))
		b.put(operator, merchants.RemitCollected{Merchant: x.shop.Merchant, Amount: some(5000)})
	case 14:
		b.put(operator, lending.HoldOrder{Order: order, Days: random.IntN(20), Reason: "dispute"})
	default:
		if random.IntN(6) == 0 {
			b.put(operator, lending.ChargeOffOrder{Order: order, Reason: "gone"})
		} else if random.IntN(3) == 0 {
			b.put(operator, lending.ReverseChargeOff{Order: order, Reason: "error"})
		}
	}
}
