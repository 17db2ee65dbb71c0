package storetest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/domain/ulid"
)

// World makes random batches that a store must accept. Its commands are not the domain's:
// they only move records along the edges that the schema allows, with every kind of change,
// so that a store can be tested without deciding anything. The same seed makes the same
// batches.
type World struct {
	State *credit.State // everything, after the batches made so far

	rng       *rand.Rand
	at        time.Time
	n         int // identifiers made so far
	q         int64
	merchants []string
	companies []int64
	orders    []string
	payments  []string
	clients   []string
	tokens    []string
	endpoints []string       // deleted ones included
	events    []string       // with a reader
	entries   []ledger.Entry // that may still be reversed
	methods   []string
	transfers []string
	payouts   []string
	lines     []string
	notices   []string

	screenings []string
	receipts   []string
	closed     calendar.Date // earliest closed month, 0 before the first
}

// NewWorld returns an empty world.
func NewWorld(seed uint64) *World {
	return &World{
		State: credit.NewState(), rng: rand.New(rand.NewPCG(seed, 7)),
		at: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC),
	}
}

// Batch makes the next batch, of at most size commands.
func (w *World) Batch(size int) store.Batch {
	w.at = w.at.Add(time.Duration(1+w.rng.IntN(40_000_000)) * time.Millisecond)
	b := store.Batch{ID: store.BatchID(w.bytes(16)), Node: "n1", Epoch: 1, At: w.at, BusinessDate: w.today(), Rules: w.rng.IntN(9), Wire: fmt.Sprint("v", w.rng.IntN(9))}
	copy(b.Digest[:], w.bytes(32))
	for range 1 + w.rng.IntN(size) {
		w.at = w.at.Add(time.Microsecond)
		w.q++
		b.Decided = append(b.Decided, w.command())
	}
	return b
}

func (w *World) today() calendar.Date { return calendar.Date(w.at.Unix() / 86400) }

func (w *World) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.rng.Uint32())
	}
	return b
}

// id generates an identifier. They are not in order, as random ones are not.
func (w *World) id(prefix string) string {
	w.n++
	return fmt.Sprintf("%s_%08X%04d", prefix, w.rng.Uint32(), w.n)
}

// dated is an identifier made now: an event is found by the time in it.
func (w *World) dated(prefix string) string {
	w.n++
	var apart [10]byte
	binary.BigEndian.PutUint32(apart[:], w.rng.Uint32())
	binary.BigEndian.PutUint32(apart[6:], uint32(w.n))
	return ulid.New(prefix, w.at, apart)
}

func pick[T any](w *World, list []T) T { return list[w.rng.IntN(len(list))] }

// change collects the changes of one command.
type change struct {
	credit.Changes
	w *World
}

// command makes one decided command and applies it to the world.
func (w *World) command() store.Decided {
	c := &change{w: w}
	name := w.choose()(c)
	d := store.Decided{Changes: c.Changes, Dues: store.DueMoves(w.State, &c.Changes), Audit: store.Audit{
		At: w.at, Actor: credit.Actor{Client: "cli_1", Merchant: "mch", Operator: w.rng.IntN(2) == 0, RequestID: w.id("req")},
		Address: "192.0.2.7", Object: w.id("obj"), Command: name, Payload: []byte(`{"n":1}`),
		Seed: [16]byte(w.bytes(16)), Result: "ok", BodyHash: [32]byte(w.bytes(32)),
	}}
	if len(c.Companies) > 0 {
		d.Audit.Company = c.Companies[0].ID
	}
	if n := w.rng.IntN(3); n == 0 && len(c.Orders) > 0 {
		d.Audit.Object = c.Orders[0].Key
	} else if n == 1 && len(c.Companies) > 0 {
		d.Audit.Object = store.CompanyKey(c.Companies[0].ID)
	}
	for _, e := range c.Events {
		d.Events = append(d.Events, fmt.Appendf(nil, `{"id":%q,"name":"é"}`, e.ID))
	}
	if w.rng.IntN(3) > 0 {
		key := store.KeyID{Client: "cli_1", Key: w.id("key")}
		d.Audit.Actor.Key = key.Key
		d.Key = &key
		d.Answer = store.Answer{
			Request: sha256.Sum256([]byte(key.Key)), Status: 201, Body: w.bytes(40), ContentType: "application/json",
			Location: "/v1/x", ETag: `"1"`, At: w.at, Sealed: w.rng.IntN(4) == 0,
		}
	}
	w.State.Apply(c.Changes)
	return d
}

// choose picks a command that the world's content allows.
func (w *World) choose() func(*change) string {
	if len(w.merchants) < 2 {
		return (*change).newMerchant
	}
	if len(w.companies) < 3 {
		return (*change).newCompany
	}
	all := []func(*change) string{
		(*change).newOrder, (*change).newOrder, (*change).newOrder, (*change).editOrder, (*change).capture, (*change).capture,
		(*change).pay, (*change).pay, (*change).pay, (*change).editPayment, (*change).refund, (*change).assessFee,
		(*change).editCompany, (*change).editCredits, (*change).reverse, (*change).newProgram, (*change).refuse,
		(*change).newCompany, (*change).newMerchant,
	}
	return pick(w, slices.Concat(all, accessActs(), rails()))
}

func (c *change) refuse() string { return "refused" }

func (c *change) event(t credit.EventType, kind, id string, sequence, company int64, merchant string) {
	e := credit.Event{
		ID: c.w.dated("evt_"), Type: t, Object: credit.ObjectRef{Type: kind, ID: id}, Sequence: sequence,
		Company: company, Merchant: merchant,
	}
	if merchant == "" {
		e.Readers = c.company(company).Linked
	}
	c.Events = append(c.Events, e)
	if len(e.ReadBy()) > 0 {
		c.w.events = append(c.w.events, e.ID)
	}
}

// entry books two or four lines, the last two of which are memo.
func (c *change) entry(event string, amount money.Amount, d ledger.Dimensions) string {
	w := c.w
	e := ledger.Entry{
		ID: w.id("ent"), BookDate: w.today(), ValueDate: w.today().AddDays(-w.rng.IntN(3)), Event: event, Cause: d.Order,
		Currency: money.USD, Postings: []ledger.Posting{
			{Account: ledger.LoanPrincipal, Amount: amount, Dimensions: d},
			{Account: ledger.MerchantPayable, Amount: -amount, Dimensions: ledger.Dimensions{Merchant: d.Merchant}},
		},
	}
	switch {
	case amount%3 == 0:
		e.Postings[1].Account = ledger.Cash
	case amount%5 == 1:
		e.Postings[1].Account = ledger.DueFromMerchant
	case amount%5 == 2:
		e.Postings[1].Account = ledger.ClawbackReceivable
	}
	if w.rng.IntN(2) == 0 {
		e.Postings = append(e.Postings, ledger.Posting{Account: ledger.Reserved, Amount: -amount, Dimensions: d},
			ledger.Posting{Account: ledger.ReservedContra, Amount: amount, Dimensions: d})
	}
	c.Entries = append(c.Entries, e)
	w.entries = append(w.entries, e)
	return e.ID
}

func (c *change) reverse() string {
	w := c.w
	if len(w.entries) == 0 {
		return "nothing"
	}
	i := w.rng.IntN(len(w.entries))
	c.Entries = append(c.Entries, w.entries[i].Reversal(w.id("ent"), w.today()))
	w.entries = slices.Delete(w.entries, i, i+1)
	return "entry.reverse"
}

func (c *change) newMerchant() string {
	w := c.w
	m := &credit.Merchant{ID: w.id("mch"), Name: w.id("Shop"), OwedSince: calendar.None, CreatedAt: w.at, UpdatedAt: w.at, Version: 1}
	w.merchants = append(w.merchants, m.ID)
	w.State.Waiting[m.ID] = nil
	c.Merchants = append(c.Merchants, m)
	c.Programs = append(c.Programs, c.program(m.ID, 1))
	c.Claims = map[credit.Claim]string{{Kind: credit.ClaimMerchantName, Name: m.Name}: m.ID}
	return "merchant.create"
}

func (c *change) newProgram() string {
	m := c.w.State.Merchants[pick(c.w, c.w.merchants)]
	c.Programs = append(c.Programs, c.program(m.ID, len(m.Programs)+1))
	return "program.add"
}

func (c *change) program(merchant string, version int) credit.Program {
	return credit.Program{Merchant: merchant, Version: version, From: c.w.today(), Settings: credit.Settings{
		Terms:     []credit.Term{{Installments: 6, Plan: schedule.Amortized, AnnualRate: 120_000}},
		TierRates: map[string]money.Rate{"A": 90_000, "B": 120_000}, MinOrder: 100, MaxAPR: map[string]money.Rate{"NY": 160_000},
	}}
}

// company returns a copy of a company for this command to change.
func (c *change) company(id int64) *credit.Company {
	for _, x := range c.Companies {
		if x.ID == id {
			return x
		}
	}
	x := *c.w.State.Companies[id]
	x.Version++
	x.UpdatedAt = c.w.at
	c.Companies = append(c.Companies, &x)
	return &x
}

func (c *change) newCompany() string {
	w := c.w
	x := &credit.Company{
		ID: 1_000_000_000 + w.rng.Int64N(9_000_000_000), Name: w.id("Company"), Status: credit.CompanyApproved, Tier: "B",
		Limit: 5_000_000, Linked: c.someMerchants(), CreatedAt: w.at, UpdatedAt: w.at, Version: 1, EventSeq: 1,
		BillingAddress: credit.CompanyAddress{Street: "1 Main St", City: "Albany", State: "NY"},
	}
	w.companies = append(w.companies, x.ID)
	w.State.Accounts[x.ID], w.State.OrderLines[linesOf(x.ID)] = nil, nil
	c.Companies = append(c.Companies, x)
	c.event(credit.CompanyCreatedEvent, "company", store.CompanyKey(x.ID), 1, x.ID, "")
	return "company.create"
}

func (c *change) someMerchants() []string {
	var linked []string
	for _, m := range c.w.merchants {
		if c.w.rng.IntN(2) == 0 {
			linked = append(linked, m)
		}
	}
	slices.Sort(linked)
	return linked
}

func (c *change) editCompany() string {
	x := c.company(pick(c.w, c.w.companies))
	x.Linked = c.someMerchants()
	x.Limit += money.Amount(c.w.rng.IntN(1000))
	x.Status = pick(c.w, []credit.CompanyStatus{credit.CompanyApproved, credit.CompanyOnHold, credit.CompanySuspended})
	for range 1 + c.w.rng.IntN(2) {
		x.EventSeq++
		c.event(credit.CompanyUpdatedEvent, "company", store.CompanyKey(x.ID), x.EventSeq, x.ID, "")
	}
	return "company.update"
}

// editCredits opens, lowers and closes credits, and reopens closed ones.
func (c *change) editCredits() string {
	id := pick(c.w, c.w.companies)
	for range 1 + c.w.rng.IntN(3) {
		x := credit.Credit{Company: id, Credit: schedule.Credit{
			Source: fmt.Sprintf("pay_%d_%d", id, c.w.rng.IntN(4)), Date: c.w.today(),
			Amount: money.Amount(c.w.rng.IntN(3)) * 50, Hold: c.w.rng.IntN(2) == 0,
		}}
		if c.w.rng.IntN(4) > 0 { // a few at the same instant
			x.NextAt = c.w.at.Add(time.Duration(c.w.rng.IntN(3)) * time.Hour)
		}
		x.Waits = pick(c.w, []credit.CreditWait{"", credit.CreditUnripe, credit.CreditNoAccount})
		c.Credits = append(c.Credits, x)
	}
	return "credit.edit"
}

// keys returns everything that the world has made.
func (w *World) keys() credit.Keys {
	return credit.Keys{
		Merchants: w.merchants, Companies: w.companies, Orders: w.orders, Payments: w.payments,
		Invoices: slices.Sorted(maps.Keys(w.State.Invoices)), Claims: slices.Collect(maps.Keys(w.State.Claims)),
		History: w.orders, Accounts: w.companies, Clients: w.clients, Tokens: w.tokens, Endpoints: w.endpoints,
		Methods: w.methods, Transfers: w.transfers, Payouts: w.payouts, Lines: slices.Collect(maps.Keys(w.State.OrderLines)),
		Waiting: w.merchants, Notices: w.notices, Periods: slices.Collect(maps.Keys(w.State.Periods)),
		Lenders: slices.Collect(maps.Keys(w.State.Lenders)), Screenings: w.screenings, Receipts: w.receipts, Positions: w.merchants,
	}
}

// linesOf is the key of the payout lines of a company's own payments.
func linesOf(company int64) string { return (&credit.PayoutLine{Company: company}).Of() }
