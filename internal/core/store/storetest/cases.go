package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// batchOf wraps changes into a batch of one command, after the last one.
func batchOf(b store.Backend, changes ...credit.Changes) store.Batch {
	var head store.Head
	// The error of an Update that applies nothing would show in the next one.
	_, _ = b.Update(context.Background(), func(tx store.Tx) error {
		h, err := tx.Head()
		head = h
		return err
	})
	batch := store.Batch{Node: "n1", Epoch: 1, At: head.At.Add(time.Second), BusinessDate: calendar.Date(20_454)}
	batch.BusinessDate = max(batch.BusinessDate, head.BusinessDate)
	if head.At.IsZero() {
		batch.At = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	batch.ID = store.BatchID{byte(head.Q), byte(head.Q >> 8), 1}
	for _, c := range changes {
		d := store.Decided{Changes: c, Audit: store.Audit{At: batch.At, Command: "test", Result: "ok", Payload: []byte("{}")}}
		for range c.Events {
			d.Events = append(d.Events, []byte(`{}`))
		}
		batch.Decided = append(batch.Decided, d)
	}
	return batch
}

// testEveryField writes records with every member set, and reads them back.
func testEveryField(t *testing.T, b store.Backend) {
	n := 0
	m, company, order := filled[credit.Merchant](&n), filled[credit.Company](&n), filled[credit.Order](&n)
	m.Programs = nil
	p1, p2 := *filled[credit.Program](&n), *filled[credit.Program](&n)
	p1.Merchant, p2.Merchant, p1.Version, p2.Version = m.ID, m.ID, 1, 2
	company.Status, company.Linked = credit.CompanyClosed, []string{m.ID}
	order.Company, order.Merchant, order.Status, order.Financing = company.ID, m.ID, credit.OrderCaptured, credit.FinancingOverdue
	order.Installments, order.Captured, order.Refunded = 36, 1000, 999
	loan, payment, invoice := filled[schedule.Loan](&n), filled[credit.Payment](&n), filled[credit.Invoice](&n)
	loan.Key = order.Key
	for i := range loan.Rows {
		r := &loan.Rows[i]
		r.Number, r.Principal, r.Charge = i+1, r.Principal+1000, r.Charge+1000
	}
	for i := range loan.Fees {
		loan.Fees[i].Amount += 1000
	}
	payment.Company, payment.Order, payment.Currency, payment.Status = company.ID, order.Key, order.Currency, credit.PaymentReturned
	payment.Method, payment.Direction, payment.Amount = credit.CashM, "OUT", payment.Refunded+payment.OnHold
	payment.MethodID = ""
	invoice.Company, invoice.Merchant, invoice.Order, invoice.Status = company.ID, m.ID, order.Key, credit.InvoiceVoid
	client, endpoint, token := filled[credit.Client](&n), filled[credit.Endpoint](&n), filled[credit.Token](&n)
	endpoint.Merchant, token.Client, token.Scopes = m.ID, client.ID, client.Scopes[1:]
	open, event := *filled[credit.Credit](&n), *filled[credit.MoneyEvent](&n)
	open.Company, event.Company, event.Touches = company.ID, company.ID, []string{order.Key}
	c := credit.Changes{
		Merchants: []*credit.Merchant{m}, Programs: []credit.Program{p1, p2}, Companies: []*credit.Company{company},
		Orders: []*credit.Order{order}, Loans: []*schedule.Loan{loan}, Payments: []*credit.Payment{payment},
		Invoices: []*credit.Invoice{invoice}, Credits: []credit.Credit{open}, Money: []credit.MoneyEvent{event},
		Clients: []*credit.Client{client}, Tokens: []*credit.Token{token}, Endpoints: []*credit.Endpoint{endpoint},
	}
	commit(t, b, batchOf(b, c))
	want := credit.NewState()
	want.History[order.Key], want.Accounts[company.ID] = nil, nil
	want.Apply(c)
	got := credit.NewState()
	keys := credit.Keys{
		Merchants: []string{m.ID}, Companies: []int64{company.ID}, Orders: []string{order.Key}, Payments: []string{payment.ID},
		Invoices: []string{invoice.ID}, History: []string{order.Key}, Accounts: []int64{company.ID},
		Clients: []string{client.ID}, Tokens: []string{token.Key()}, Endpoints: []string{endpoint.ID},
	}
	view(t, b, func(v store.View) {
		if err := v.Load(got, keys); err != nil {
			t.Fatal(err)
		}
	})
	equal(t, "records", want, got)
}

// testAnswers checks that an answer comes back unchanged, and that a key is used once.
func testAnswers(t *testing.T, b store.Backend) {
	n := 0
	key, answer := store.KeyID{Client: "cli", Key: "k"}, *filled[store.Answer](&n)
	batch := batchOf(b, credit.Changes{}, credit.Changes{}, credit.Changes{})
	batch.Decided[1].Key, batch.Decided[1].Answer = &key, answer
	c := commit(t, b, batch)
	answer.Q = c.FirstQ + 1
	_, err := b.Update(context.Background(), func(tx store.Tx) error {
		keys := []store.KeyID{{Client: "other", Key: "k"}, key, {Client: "cli", Key: "other"}}
		equal(t, "answers", map[store.KeyID]store.Answer{key: answer}, must(tx.Load(credit.NewState(), credit.Keys{}, keys))(t))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	again := batchOf(b, credit.Changes{})
	again.Decided[0].Key = &key
	if err := refuse(t, b, again); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a key was used twice: %v", err)
	}
	twins := batchOf(b, credit.Changes{}, credit.Changes{})
	twins.Decided[0].Key, twins.Decided[1].Key = &store.KeyID{Key: "x"}, &store.KeyID{Key: "x"}
	if err := refuse(t, b, twins); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a key was used twice in a batch: %v", err)
	}
}

// testClaims checks that a name has one owner until it is released.
func testClaims(t *testing.T, b store.Backend) {
	claim := credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: "m", Name: "PO-1"}
	owned := func(owner string) credit.Changes {
		return credit.Changes{Claims: map[credit.Claim]string{claim: owner}}
	}
	expect := func(owner string) {
		t.Helper()
		s := credit.NewState()
		view(t, b, func(v store.View) {
			if err := v.Load(s, credit.Keys{Claims: []credit.Claim{claim}}); err != nil {
				t.Fatal(err)
			}
		})
		if s.Claims[claim] != owner {
			t.Errorf("the claim belongs to %q instead of %q", s.Claims[claim], owner)
		}
	}
	commit(t, b, batchOf(b, owned("a")))
	expect("a")
	if err := refuse(t, b, batchOf(b, owned("b"))); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a claim was taken twice: %v", err)
	}
	commit(t, b, batchOf(b, owned("a"))) // its owner may repeat it
	commit(t, b, batchOf(b, owned(""), owned("b"), owned(""), owned("c")))
	expect("c")
	commit(t, b, batchOf(b, owned("")))
	expect("")
	commit(t, b, batchOf(b, owned("d"), owned("")))
	expect("")
	commit(t, b, batchOf(b, owned("e")))
	expect("e")
}

// testConstraints writes what no backend may accept.
func testConstraints(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	for range 10 {
		commit(t, b, w.Batch(20))
	}
	day := calendar.Date(20_454)
	entry := func(id, reverses string, amounts ...money.Amount) ledger.Entry {
		e := ledger.Entry{ID: id, BookDate: day, ValueDate: day, Currency: money.USD, Reverses: reverses}
		for _, a := range amounts {
			e.Postings = append(e.Postings, ledger.Posting{Account: ledger.Cash, Amount: a})
		}
		return e
	}
	entries := func(list ...ledger.Entry) credit.Changes { return credit.Changes{Entries: list} }
	event := func(id string, sequences ...int64) credit.Changes {
		var c credit.Changes
		for i, s := range sequences {
			c.Events = append(c.Events, credit.Event{
				ID: id + string(rune('a'+i)), Type: credit.OrderUpdatedEvent, Object: credit.ObjectRef{Type: "order", ID: "x"}, Sequence: s,
			})
		}
		return c
	}
	good := batchOf(b, entries(entry("e1", "", 5, -5), entry("e2", "e1", -5, 5)), event("v", 1, 2))
	good.At, good.BusinessDate = w.at.Add(time.Hour), w.today()+1
	commit(t, b, good)
	for name, c := range map[string]credit.Changes{
		"an entry twice":        entries(entry("e1", "", 5, -5)),
		"a second reversal":     entries(entry("e", "e1", -5, 5)),
		"two reversals at once": entries(entry("f", "", 5, -5), entry("g", "f", -5, 5), entry("h", "f", -5, 5)),
		"a program twice":       {Programs: []credit.Program{w.State.Merchants[w.merchants[0]].Programs[0]}},
		"a loan without order":  {Loans: []*schedule.Loan{{Key: "none"}}},
		"a payment of no order": {Payments: []*credit.Payment{{ID: "p", Order: "none", Company: w.companies[0]}}},
	} {
		batch := batchOf(b, c)
		batch.BusinessDate = good.BusinessDate
		t.Run(name, func(t *testing.T) {
			if err := refuse(t, b, batch); !errors.Is(err, store.ErrRefused) && !errors.Is(err, store.ErrTaken) {
				t.Errorf("the culprit cannot be told from a broken database: %v", err)
			}
		})
	}
	early := batchOf(b, credit.Changes{})
	early.BusinessDate, early.At = good.BusinessDate, good.At.Add(-time.Microsecond)
	if err := refuse(t, b, early); !errors.Is(err, store.ErrBehind) {
		t.Errorf("a batch before the last one: %v", err)
	}
	early.BusinessDate, early.At = good.BusinessDate-1, good.At
	if err := refuse(t, b, early); !errors.Is(err, store.ErrBehind) {
		t.Errorf("a batch of a day before the last one: %v", err)
	}
	early.BusinessDate, early.Epoch = good.BusinessDate, 2
	if err := refuse(t, b, early); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a batch of another epoch: %v", err)
	}
	refuse(t, b, store.Batch{ID: early.ID, Epoch: 1, At: good.At, BusinessDate: good.BusinessDate})
	last := batchOf(b, event("w", 3))
	last.BusinessDate = good.BusinessDate
	commit(t, b, last)
}

// testOutbox stores settings.
func testOutbox(t *testing.T, b store.Backend) {
	ctx := context.Background()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, value := range [][]byte{[]byte("one"), {}, {0, 255}} {
		check(b.PutSetting(ctx, "name", value))
		got, found, err := store.Setting(ctx, b, "name")
		if check(err); !found {
			t.Error("the setting is there, but not found")
		}
		equal(t, "setting", value, got)
	}
	for _, value := range []string{"first", "second"} {
		if kept, err := b.Settle(ctx, "settled", []byte(value)); err != nil || string(kept) != "first" {
			t.Errorf("settled %s: kept %q, %v", value, kept, err)
		}
	}
	if _, found, err := store.Setting(ctx, b, "other"); found || err != nil {
		t.Errorf("a setting that is not there: %v, %v", found, err)
	}
}
