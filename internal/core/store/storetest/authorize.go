package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/domain/ulid"
)

// Authorizations makes batches of what authorizing an order writes: an order with two goods
// and its claim, the company's line, one entry of two lines, three events, the audit row
// and the stored answer.
type Authorizations struct {
	rng       *rand.Rand
	at        time.Time
	n         int
	companies []*credit.Company
}

const shop = "mch_01J9Z3N4Q5R6S7T8V9W0X1Y2Z3"

// NewAuthorizations creates one merchant with its companies.
func NewAuthorizations(tb testing.TB, db store.Backend, companies int) *Authorizations {
	a := &Authorizations{rng: rand.New(rand.NewPCG(1, 2)), at: time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)}
	c := credit.Changes{Merchants: []*credit.Merchant{{ID: shop, Name: "Shop"}}}
	for i := range companies {
		x := &credit.Company{
			ID: 1_000_000_000 + int64(i)*7919, Name: "Example Company", LegalName: "Example Company LLC", Status: credit.CompanyApproved,
			Email: "ap@example.com", Tier: "B", Limit: 1_000_000_000, Linked: []string{shop}, CreatedAt: a.at, UpdatedAt: a.at, Version: 1,
			BillingAddress: credit.CompanyAddress{Street: "1 Main St", City: "Albany", State: "NY", PostalCode: "12207", Country: "US"},
		}
		a.companies = append(a.companies, x)
		c.Companies = append(c.Companies, x)
	}
	a.Commit(tb, db, a.wrap([]credit.Changes{c}), credit.Keys{})
	return a
}

func (a *Authorizations) id(prefix string) string {
	a.n++
	random := make([]byte, 16)
	for i := range random {
		random[i] = ulid.Digits[a.rng.IntN(32)]
	}
	return fmt.Sprintf("%s_%010d%s", prefix, a.n/300, random)
}

func (a *Authorizations) wrap(list []credit.Changes) store.Batch {
	a.at = a.at.Add(time.Millisecond)
	b := store.Batch{Node: "bench", Epoch: 1, At: a.at, BusinessDate: calendar.Date(a.at.Unix() / 86400)}
	a.n++
	copy(b.ID[:], fmt.Sprintf("%016d", a.n))
	for _, c := range list {
		d := store.Decided{Changes: c, Audit: store.Audit{
			At: a.at, Actor: credit.Actor{Client: "cli_1", Merchant: shop, RequestID: a.id("req")}, Address: "192.0.2.1",
			Command: "order.create", Payload: []byte(`{"x":"` + strings.Repeat("x", 700) + `"}`), Result: "ok",
		}}
		for range c.Events {
			d.Events = append(d.Events, []byte(`{"x":"`+strings.Repeat("x", 1200)+`"}`))
		}
		d.Key = &store.KeyID{Client: "cli_1", Key: a.id("key")}
		d.Answer = store.Answer{Status: 201, Body: []byte(strings.Repeat("x", 1400)), ContentType: "application/json", Location: "/v1/order/x", ETag: `"1"`, At: a.at}
		b.Decided = append(b.Decided, d)
	}
	return b
}

// At is the time of the last batch.
func (a *Authorizations) At() time.Time { return a.at }

// Batch makes one of size authorizations, on random companies, and returns the keys it
// needs.
func (a *Authorizations) Batch(size int) (store.Batch, credit.Keys) {
	var list []credit.Changes
	keys := credit.Keys{Merchants: []string{shop}}
	for range size {
		i := a.rng.IntN(len(a.companies))
		c, claim := a.authorize(i)
		list = append(list, c)
		keys.Companies = append(keys.Companies, a.companies[i].ID)
		keys.Claims = append(keys.Claims, claim)
	}
	return a.wrap(list), keys
}

func (a *Authorizations) authorize(i int) (credit.Changes, credit.Claim) {
	company := *a.companies[i]
	o := &credit.Order{
		Key: a.id("ord"), Company: company.ID, Merchant: shop, MerchantOrderID: a.id("PO"), Currency: money.USD, Amount: 120_000,
		Status: credit.OrderAuthorized, Financing: credit.FinancingNone, Installments: 6, Program: 1, Authorized: 120_000, Reserved: 120_000,
		Terms: &credit.OrderTerms{Plan: schedule.Amortized, AnnualRate: 120_000, DayCount: schedule.WholeMonth, Tier: "B", Installments: 6,
			FinanceCharge: 4_000, TotalOfPayments: 124_000, APR: 1199, FirstDueDate: calendar.None},
		AuthorizedAt: a.at, ExpiresAt: a.at.AddDate(0, 0, 30), CaptureDate: calendar.None, CreatedAt: a.at, UpdatedAt: a.at, Version: 1, EventSeq: 2,
		Cart: []credit.CartItem{
			{MerchantID: "a", Name: "Office chair", Price: 45_000, SKU: "CH-1", Quantity: 2, Color: "black"},
			{MerchantID: "b", Name: "Desk lamp", Price: 15_000, SKU: "LA-2", Quantity: 2, Color: "white"},
		},
		Shipping: &credit.Address{FirstName: "Ann", LastName: "Lee", Address1: "1 Main St", City: "Albany", State: "NY", Zip: "12207", Country: "US"},
	}
	company.Reserved += o.Amount
	company.Version++
	company.EventSeq++
	company.UpdatedAt = a.at
	a.companies[i] = &company
	dims := ledger.Dimensions{Company: company.ID, Merchant: shop, Order: o.Key}
	claim := credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: shop, Name: o.MerchantOrderID}
	order := credit.ObjectRef{Type: "order", ID: o.Key}
	return credit.Changes{
		Companies: []*credit.Company{&company}, Orders: []*credit.Order{o}, Claims: map[credit.Claim]string{claim: o.Key},
		Entries: []ledger.Entry{{
			ID: a.id("ent"), BookDate: calendar.Date(a.at.Unix() / 86400), ValueDate: calendar.Date(a.at.Unix() / 86400),
			Event: "ORDER_AUTHORIZED", Cause: o.Key, Currency: money.USD, Postings: []ledger.Posting{
				{Account: ledger.Reserved, Amount: o.Amount, Dimensions: dims}, {Account: ledger.ReservedContra, Amount: -o.Amount, Dimensions: dims},
			},
		}},
		Events: []credit.Event{
			{ID: a.id("evt"), Type: credit.OrderCreatedEvent, Object: order, Sequence: 1, Company: company.ID, Merchant: shop},
			{ID: a.id("evt"), Type: credit.OrderAuthorizedEvent, Object: order, Sequence: 2, Company: company.ID, Merchant: shop},
			{ID: a.id("evt"), Type: credit.CreditLineChangedEvent, Object: credit.ObjectRef{Type: "company", ID: store.CompanyKey(company.ID)},
				Sequence: company.EventSeq, Company: company.ID, Readers: company.Linked},
		},
	}, claim
}

// Commit writes a batch as the engine does. It returns the time that loading took.
func (a *Authorizations) Commit(tb testing.TB, db store.Backend, b store.Batch, keys credit.Keys) time.Duration {
	tb.Helper()
	var loading time.Duration
	c, err := db.Update(context.Background(), func(tx store.Tx) error {
		start := time.Now()
		var ids []store.KeyID
		for _, d := range b.Decided {
			ids = append(ids, *d.Key)
		}
		if _, err := tx.Load(credit.NewState(), keys, ids); err != nil {
			return err
		}
		loading = time.Since(start)
		return tx.Apply(b)
	})
	if err != nil || c.Outcome != store.Committed {
		tb.Fatalf("%+v, %v", c, err)
	}
	return loading
}

// BenchAuthorize measures a batch with its load and its durable commit, in µs per command.
func BenchAuthorize(b *testing.B, open func(testing.TB) store.Backend) {
	for _, size := range []int{1, 16, 100, 512} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			db := open(b)
			defer db.Close()
			a := NewAuthorizations(b, db, 10_000)
			loading := time.Duration(0)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				batch, keys := a.Batch(size)
				b.StartTimer()
				loading += a.Commit(b, db, batch, keys)
			}
			commands := float64(b.N * size)
			b.ReportMetric(float64(b.Elapsed().Microseconds())/commands, "µs/command")
			b.ReportMetric(float64(loading.Microseconds())/commands, "µs-loading/command")
		})
	}
}

// BenchRead measures the reads of a request for one order, in a view of their own.
func BenchRead(b *testing.B, open func(testing.TB) store.Backend) {
	db := open(b)
	defer db.Close()
	a := NewAuthorizations(b, db, 1000)
	var keys []string
	for range 20 {
		batch, k := a.Batch(500)
		a.Commit(b, db, batch, k)
		for _, d := range batch.Decided {
			keys = append(keys, d.Changes.Orders[0].Key)
		}
	}
	b.Run("order", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			err := db.View(context.Background(), func(v store.View) error {
				return v.Load(credit.NewState(), credit.Keys{Orders: []string{keys[a.rng.IntN(len(keys))]}})
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page of 20", func(b *testing.B) {
		b.ReportAllocs()
		f := store.OrderFilter{Merchant: shop, CapturedFrom: calendar.None, CapturedTo: calendar.None}
		for b.Loop() {
			err := db.View(context.Background(), func(v store.View) error {
				list, err := store.ListOrders(v, f, store.Page{Limit: 20, AfterAt: a.at.Add(-5 * time.Millisecond), AfterID: "x"})
				if err == nil && len(list) != 20 {
					b.Error(len(list))
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
