package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// TestStatementsStayPrepared makes every read twice, with different values: SQLite calls
// its authorizer only while it prepares a statement.
func TestStatementsStayPrepared(t *testing.T) {
	db := open(t)
	defer db.Close()
	for name, read := range map[string]func(v store.View, text string, number int64) error{
		"one of each": func(v store.View, text string, number int64) error {
			return v.Load(credit.NewState(), credit.Keys{
				Merchants: []string{text}, Companies: []int64{number}, Orders: []string{text}, History: []string{text},
				Payments: []string{text}, Invoices: []string{text}, Accounts: []int64{number},
				Claims:  []credit.Claim{{Kind: credit.ClaimExternalID, Scope: text, Name: text}},
				Clients: []string{text}, Endpoints: []string{text}, Methods: []string{text}, Transfers: []string{text}, Payouts: []string{text},
				Lines: []string{text}, Waiting: []string{text}, Notices: []string{text}, Periods: []calendar.Date{calendar.Date(number)},
			})
		},
		"two of each": func(v store.View, text string, number int64) error {
			return v.Load(credit.NewState(), credit.Keys{
				Merchants: []string{text, "b"}, Companies: []int64{number, 2}, Orders: []string{text, "b"}, Payments: []string{text, "b"}, Invoices: []string{text, "b"},
				Clients: []string{text, "b"}, Endpoints: []string{text, "b"}, Methods: []string{text, "b"}, Transfers: []string{text, "b"},
				Payouts: []string{text, "b"}, Lines: []string{text, "b"}, Waiting: []string{text, "b"}, Notices: []string{text, "b"},
				Periods: []calendar.Date{calendar.Date(number), 2},
			})
		},
		"loan": func(v store.View, text string, _ int64) error {
			return v.(*view).loadLoans(texts{text}, func(*store.LoanRow) {})
		},
		"orders": func(v store.View, text string, number int64) error {
			for _, f := range []store.OrderFilter{
				{}, {Merchant: text}, {Company: number}, {Merchant: text, Company: number}, {Merchant: text, Status: credit.OrderStatus(text)},
				{Merchant: text, Financing: credit.FinancingStatus(text)}, {Merchant: text, MerchantOrderID: text},
				{Merchant: text, UpdatedSince: time.Unix(number, 0), CreatedFrom: time.Unix(number, 0), CreatedTo: time.Unix(number, 0)},
				{Merchant: text, CapturedFrom: calendar.Date(number), CapturedTo: calendar.Date(number)},
			} {
				if f.CapturedFrom == 0 {
					f.CapturedFrom, f.CapturedTo = calendar.None, calendar.None
				}
				if _, err := store.ListOrders(v, f, pageOf(text, number)); err != nil {
					return err
				}
			}
			return nil
		},
		"payments": func(v store.View, text string, number int64) error {
			for _, f := range []store.PaymentFilter{
				{}, {Merchant: text}, {Company: number}, {Merchant: text, Company: number}, {Merchant: text, Order: text}, {Merchant: text, Invoice: text},
				{Merchant: text, Status: credit.PaymentStatus(text), Method: credit.Method(text)},
				{Merchant: text, From: calendar.Date(number), To: calendar.Date(number)},
			} {
				if f.From == 0 {
					f.From, f.To = calendar.None, calendar.None
				}
				if _, err := store.ListPayments(v, f, pageOf(text, number)); err != nil {
					return err
				}
			}
			return nil
		},
		"invoices": func(v store.View, text string, number int64) error {
			_, first := store.ListInvoices(v, store.InvoiceFilter{Merchant: text, Order: text}, pageOf(text, number))
			_, second := store.ListInvoices(v, store.InvoiceFilter{Company: number, Status: credit.InvoiceStatus(text)}, pageOf(text, number))
			return errors.Join(first, second)
		},
		"companies": func(v store.View, text string, number int64) error {
			_, all := store.ListCompanies(v, "", store.Page{Limit: int(number), AfterAt: time.Unix(number, 0), AfterID: "7"})
			_, linked := store.ListCompanies(v, text, store.Page{Limit: int(number), AfterAt: time.Unix(number, 0), AfterID: "7"})
			return errors.Join(all, linked)
		},
		"events": func(v store.View, text string, number int64) error {
			_, all := v.Events(store.EventFilter{Behind: text, Limit: int(number)})
			_, first := v.Events(store.EventFilter{Object: credit.ObjectRef{Type: text, ID: text}, Limit: int(number)})
			_, next := v.Events(store.EventFilter{Object: credit.ObjectRef{Type: text, ID: text}, Behind: text, Limit: int(number)})
			return errors.Join(all, first, next)
		},
		"entries": func(v store.View, text string, _ int64) error { _, err := store.EntriesOf(v, text); return err },
		"past due": func(v store.View, _ string, number int64) error {
			_, err := store.PastDueOf(v, number, "", 7)
			return err
		},
		"order at": func(v store.View, text string, number int64) error {
			_, now := store.At(v, store.OrderNoun, text, number)
			_, past := store.At(v, store.OrderNoun, text, -number) // before the snapshot's own commit
			return errors.Join(now, past)
		},
		"company at": func(v store.View, _ string, number int64) error {
			_, now := store.At(v, store.CompanyNoun, number, number)
			_, past := store.At(v, store.CompanyNoun, number, -number)
			return errors.Join(now, past)
		},
		"commit at": func(v store.View, _ string, number int64) error {
			_, err := store.SeqAt(v, time.Unix(number, 0))
			return err
		},
		"streams": func(v store.View, text string, number int64) error {
			after := store.Place{Q: number, N: int(number)}
			_, all := store.Stream(v, "", after, int(number))
			_, mine := store.Stream(v, text, after, int(number))
			_, span := v.Events(store.EventFilter{Merchant: text, From: time.Unix(number, 0), To: time.Unix(number+1, 0), After: after, Limit: int(number)})
			_, spans := v.Events(store.EventFilter{From: time.Unix(number, 0), To: time.Unix(number+1, 0), After: after, Limit: int(number)})
			_, _, one := store.EventOf(v, text, text)
			return errors.Join(all, mine, span, spans, one)
		},
		"clients and endpoints": func(v store.View, text string, number int64) error {
			var errs []error
			for _, m := range []string{"", text} {
				_, clients := store.ListClients(v, m, pageOf(text, number))
				_, endpoints := store.ListEndpoints(v, m, pageOf(text, number))
				errs = append(errs, clients, endpoints)
			}
			_, resends := store.ListResends(v, number, int(number))
			return errors.Join(append(errs, resends)...)
		},
		"deliveries": func(v store.View, text string, number int64) error {
			var errs []error
			for _, f := range []store.DeliveryFilter{
				{}, {Merchant: text}, {Endpoint: text}, {Event: text}, {Endpoint: text, State: store.DeliveryParked}, {State: store.DeliveryPending},
				{Merchant: text, State: store.DeliveryCanceled}, {Merchant: text, State: store.DeliverySucceeded}, {Endpoint: text, Event: text},
			} {
				_, err := store.ListDeliveries(v, f, pageOf(text, number))
				errs = append(errs, err)
			}
			_, _, one := store.DeliveryOf(v, text)
			_, pending := store.ListPending(v, text, int(number))
			return errors.Join(append(errs, one, pending)...)
		},
		"rails": func(v store.View, text string, number int64) error {
			var errs []error
			for _, f := range []store.TransferFilter{
				{}, {Company: number}, {Merchant: text}, {Payment: text}, {Rail: credit.Card}, {Status: credit.TransferSettled}, {Status: credit.TransferSent},
				{Company: number, Status: credit.TransferStatus(text), Rail: credit.Method(text)},
			} {
				_, err := store.ListTransfers(v, f, pageOf(text, number))
				errs = append(errs, err)
			}
			for _, f := range []store.PayoutFilter{{}, {Merchant: text}, {Status: credit.PayoutFailed}, {Merchant: text, Status: credit.PayoutStatus(text)}} {
				_, err := store.ListPayouts(v, f, pageOf(text, number))
				errs = append(errs, err)
			}
			for _, f := range []store.LineFilter{{Payout: text}, {Waiting: text}} {
				_, first := store.ListPayoutLines(v, f, store.Page{Limit: int(number)})
				_, next := store.ListPayoutLines(v, f, pageOf(text, number))
				errs = append(errs, first, next)
			}
			_, orders := store.ListDue(v, store.OrderNoun, time.Unix(number, 0), pageOf(text, number))
			_, transfers := store.ListDue(v, store.TransferNoun, time.Unix(number, 0), pageOf(text, number))
			_, credits := store.ListDueCredits(v, time.Unix(number, 0), pageOf(text, number))
			_, owed := store.ListOwedPayments(v, pageOf(text, number))
			_, due := store.ListDueMerchants(v, calendar.Date(number))
			_, aged := store.ListAgedMerchants(v, credit.LineClawback, calendar.Date(number))
			_, sum := store.DueMoneyOf(v, text, calendar.Date(number))
			_, methods := store.ListMethods(v, number)
			_, notices := store.ListNotices(v, store.NoticeFilter{DueFrom: calendar.None, DueTo: calendar.None}, pageOf(text, number))
			_, mine := store.ListNotices(v, store.NoticeFilter{Company: number, Unsent: true, DueFrom: calendar.None, DueTo: calendar.Date(number)}, pageOf(text, number))
			return errors.Join(append(errs, orders, transfers, credits, owed, due, aged, sum, methods, notices, mine)...)
		},
		"books": func(v store.View, text string, number int64) error {
			var errs []error
			day := calendar.Date(number)
			for _, f := range []store.BookFilter{
				{From: calendar.None, To: day}, {From: day, To: day}, {From: calendar.None, To: day, Company: number}, {From: day, To: day, Merchant: text},
				{From: day, To: day, Company: number, Merchant: text},
			} {
				_, err := v.TrialBalance(f)
				errs = append(errs, err, store.EachEntryOf(v, f, func(store.EntryRow) error { return nil }))
			}
			return errors.Join(errs...)
		},
		"token": func(v store.View, text string, _ int64) error {
			return v.(*view).query(tokenByHash, []store.Value{blob([]byte(text))}, nil)
		},
	} {
		if again := preparedAgain(t, db, read); again != nil {
			t.Errorf("%s: prepared again: %q", name, again)
		}
	}
}

func pageOf(id string, number int64) store.Page {
	return store.Page{Limit: int(number), AfterAt: time.Unix(number, 0), AfterID: id}
}

// preparedAgain returns the statements that a read prepares the second time.
func preparedAgain(t *testing.T, db *DB, read func(store.View, string, int64) error) (again []string) {
	t.Helper()
	err := db.View(context.Background(), func(v store.View) error {
		k, last := v.(*view).conn, ""
		// Setting an authorizer makes SQLite prepare everything again, so it comes first.
		watch := sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult {
			if last != "" && (len(again) == 0 || again[len(again)-1] != last) {
				again = append(again, last)
			}
			return sqlite.AuthResultOK
		})
		if err := k.c.SetAuthorizer(watch); err != nil {
			return err
		}
		first := read(v, "a", 5)
		k.trace = func(sql string) { last = sql }
		second := read(v, "z", 9)
		k.trace = nil
		return errors.Join(first, second, k.c.SetAuthorizer(nil))
	})
	if err != nil {
		t.Fatal(err)
	}
	return again
}
