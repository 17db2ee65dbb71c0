package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// testReview compares what waits for a person, or for the sanctions list, with what was
// written.
func testReview(t *testing.T, b store.Backend) {
	var c credit.Changes
	var suspended, unscreened []*credit.Company
	for i := range 9 {
		x := &credit.Company{ID: int64(10 + i), Name: `"unscreened":true`, Status: credit.CompanyApproved, CreatedAt: wall(i / 2), Version: 1}
		if i%2 == 0 {
			x.Status = credit.CompanySuspended
			suspended = append(suspended, x)
		}
		if i%3 == 0 {
			x.Servicing.Screened = credit.Screened{Cleared: []string{`"unscreened":true`}, Unscreened: true}
			unscreened = append(unscreened, x)
		} else {
			x.Servicing.Frozen = `"unscreened":true`
		}
		c.Companies = append(c.Companies, x)
	}
	for i := range 4 {
		c.Merchants = append(c.Merchants, &credit.Merchant{
			ID: fmt.Sprint("mch_", i), Account: credit.MerchantAccount{HeldReason: `"unscreened":true`, Screened: credit.Screened{Unscreened: i%2 == 1}}, Version: 1,
		})
	}
	commit(t, b, batchOf(b, c))
	at := func(x *credit.Company) (time.Time, string) { return x.CreatedAt, store.CompanyKey(x.ID) }
	every := func(any) bool { return true }
	view(t, b, func(v store.View) {
		walk(t, "suspended", expected(items(suspended, at), every), func(p store.Page) ([]item, error) {
			list, err := store.ListSuspendedCompanies(v, p)
			return items(list, at), err
		})
		walk(t, "unscreened", expected(items(unscreened, at), every), func(p store.Page) ([]item, error) {
			list, err := store.ListUnscreenedCompanies(v, p)
			return items(list, at), err
		})
		var ids []string
		for _, m := range must(store.ListUnscreenedMerchants(v))(t) {
			ids = append(ids, m.ID)
		}
		equal(t, "unscreened merchants", []string{"mch_1", "mch_3"}, ids)
	})
	testWaitingOrders(t, b)
	testPausedCompanies(t, b)
	testSharedAccounts(t, b)
	done := *unscreened[0]
	done.Version, done.Servicing.Screened.Unscreened, done.Status = 2, false, credit.CompanyApproved
	commit(t, b, batchOf(b, credit.Changes{Companies: []*credit.Company{&done}}))
	view(t, b, func(v store.View) {
		equal(t, "unscreened", len(unscreened)-1, len(must(store.ListUnscreenedCompanies(v, store.Page{Limit: 9}))(t)))
		equal(t, "suspended", len(suspended)-1, len(must(store.ListSuspendedCompanies(v, store.Page{Limit: 9}))(t)))
	})
	testDebitReturns(t, b)
}

// testWaitingOrders lists the orders proposed for charge-off, without charged-off ones, and
// the orders with items that need review, whatever their status; neither list includes
// orders that merely contain similar words.
func testWaitingOrders(t *testing.T, b store.Backend) {
	var c credit.Changes
	var proposed, stopped []*credit.Order
	for i := range 7 {
		o := &credit.Order{
			Key: fmt.Sprint("ord_waits_", i), Company: 10, Merchant: "mch_0", Currency: money.USD, Amount: 100, Installments: 3, Status: credit.OrderCreated,
			Financing: credit.FinancingNone, MerchantStatus: `"proposed":true,"stopped":[`, CaptureDate: calendar.None, CreatedAt: time.Unix(1_770_000_000+int64(i), 0).UTC(), Version: 1,
		}
		o.UpdatedAt = o.CreatedAt
		if o.Servicing.Proposed = i > 1; i == 2 {
			o.Servicing.ChargedOff = 20_500
		}
		if i > 2 {
			proposed = append(proposed, o)
		}
		if o.Servicing.Consent = (&credit.Consent{Code: `"stopped":[`}); i%2 == 0 {
			o.Servicing.Stopped, o.Servicing.Consent = []schedule.Ref{{Order: o.Key, Installment: i + 1}}, nil
			stopped = append(stopped, o)
		}
		c.Orders = append(c.Orders, o)
	}
	commit(t, b, batchOf(b, c))
	at := func(o *credit.Order) (time.Time, string) { return o.CreatedAt, o.Key }
	every := func(any) bool { return true }
	view(t, b, func(v store.View) {
		walk(t, "proposed", expected(items(proposed, at), every), func(p store.Page) ([]item, error) {
			list, err := store.ListProposedOrders(v, p)
			return items(list, at), err
		})
		walk(t, "stopped", expected(items(stopped, at), every), func(p store.Page) ([]item, error) {
			list, err := store.ListStoppedOrders(v, p)
			return items(list, at), err
		})
	})
	done := *stopped[0]
	done.Version, done.Servicing.Stopped = 2, nil
	commit(t, b, batchOf(b, credit.Changes{Orders: []*credit.Order{&done}}))
	view(t, b, func(v store.View) {
		equal(t, "stopped", len(stopped)-1, len(must(store.ListStoppedOrders(v, store.Page{Limit: 9}))(t)))
	})
}

// testPausedCompanies lists the companies whose autopay a return has paused, whether it is
// on or off, or whose cards disputes have stopped.
func testPausedCompanies(t *testing.T, b store.Backend) {
	var c credit.Changes
	var paused []*credit.Company
	for i := range 6 {
		x := &credit.Company{ID: int64(40 + i), Name: `"paused":"R10"`, Status: credit.CompanyApproved, CreatedAt: wall(i / 2), Version: 1}
		x.Servicing.Autopay = credit.Autopay{Enabled: i%2 == 0, Method: "pm_1"}
		x.Servicing.Reports = []credit.CompanyReport{{Kind: credit.ReportBankruptcy, Reason: `"paused":"R10"`}}
		if i > 1 {
			x.Servicing.Autopay.Paused = "R10"
			if i == 4 { // its cards are stopped, but not its autopay
				x.Servicing.Autopay.Paused, x.Servicing.Cards.Paused = "", payments.StoppedDisputed
			}
			paused = append(paused, x)
		}
		c.Companies = append(c.Companies, x)
	}
	commit(t, b, batchOf(b, c))
	at := func(x *credit.Company) (time.Time, string) { return x.CreatedAt, store.CompanyKey(x.ID) }
	view(t, b, func(v store.View) {
		walk(t, "paused", expected(items(paused, at), func(any) bool { return true }), func(p store.Page) ([]item, error) {
			list, err := store.ListPausedCompanies(v, p)
			return items(list, at), err
		})
	})
	done := *paused[0]
	done.Version, done.Servicing.Autopay.Paused = 2, ""
	commit(t, b, batchOf(b, credit.Changes{Companies: []*credit.Company{&done}}))
	view(t, b, func(v store.View) {
		equal(t, "paused", len(paused)-1, len(must(store.ListPausedCompanies(v, store.Page{Limit: 9}))(t)))
	})
}

// testDebitReturns counts returned debits, and nothing else.
func testDebitReturns(t *testing.T, b store.Backend) {
	var c credit.Changes
	for i, x := range []struct {
		kind credit.TransferKind
		code string
	}{
		{credit.TransferPayment, "R01"}, {credit.TransferClawback, "R01"}, {credit.TransferPayment, "R10"}, {credit.TransferPayout, "R02"},
		{credit.TransferRefund, "R02"}, {credit.TransferCredit, "R03"}, {credit.TransferMicro, "R03"}, {credit.TransferPrenote, "R03"}, {credit.TransferPayment, ""},
	} {
		y := &credit.Transfer{
			ID: fmt.Sprint("r", i), Rail: credit.ACH, Kind: x.kind, Company: 11, Amount: 5, Status: credit.TransferReturned, ReturnCode: x.code,
			ReleaseOn: calendar.None, SentAt: wall(1), CreatedAt: wall(1), Version: 1,
		}
		switch x.kind {
		case credit.TransferPayout, credit.TransferClawback:
			y.Company, y.Merchant = 0, "mch_0"
		case credit.TransferPrenote:
			y.Amount = 0
		}
		c.Transfers = append(c.Transfers, y)
	}
	commit(t, b, batchOf(b, c))
	for i, n := range []store.BankNotice{
		{Transfer: "r0", Code: "R01"}, {Transfer: "r0", Code: "R01"}, {Transfer: "r1", Code: "R01"}, {Transfer: "r2", Code: "R10"}, {Transfer: "r2", Code: "R61"},
		{Transfer: "r3", Code: "R02"}, {Transfer: "r4", Code: "R02"}, {Transfer: "r5", Code: "R03"}, {Transfer: "r6", Code: "R03"}, {Transfer: "r7", Code: "R03"},
		{Transfer: "r8", Code: "C01"}, {Code: "R29"}, {Transfer: "r2", Code: "R10", Rail: credit.Card}, {Transfer: "r8", Kind: "ACK"},
	} {
		n.ID, n.At, n.Payload = fmt.Sprintf("n%02d", i), wall(i), []byte("{}")
		if n.Rail == "" {
			n.Rail = credit.ACH
		}
		if n.Kind == "" {
			n.Kind = "RETURN"
		}
		if !must(b.PutNotice(context.Background(), n))(t) {
			t.Fatalf("notice %s is not fresh", n.ID)
		}
	}
	view(t, b, func(v store.View) {
		equal(t, "returned debits", map[string]int{"R01": 2, "R10": 1}, must(store.DebitReturnsSince(v, wall(0)))(t))
		equal(t, "the same again counts from its last word on", map[string]int{"R01": 2, "R10": 1}, must(store.DebitReturnsSince(v, wall(1)))(t))
		equal(t, "later ones", map[string]int{"R10": 1}, must(store.DebitReturnsSince(v, wall(3)))(t))
		equal(t, "none", map[string]int{}, must(store.DebitReturnsSince(v, wall(4)))(t))
	})
}
