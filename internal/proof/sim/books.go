package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// Books is everything that a backend holds at one commit sequence.
type Books struct {
	Seq       int64
	Companies map[int64]*credit.Company
	Orders    map[string]*credit.Order
	Loans     map[string]*schedule.Loan
	Payments  map[string]*credit.Payment
	Invoices  map[string]*credit.Invoice
	Credits   map[int64][]credit.Credit
	Money     []credit.MoneyEvent
	Entries   []store.EntryRow
	Balances  map[ledger.BalanceKey]int64
	Events    []store.EventRow
	Audits    []store.Audit // the row of q stands at q−1
	Batches   []store.BatchRow
	Answers   map[store.KeyID]store.Answer
	Claims    map[credit.Claim]string
	Clients   map[string]*credit.Client
	Endpoints map[string]*credit.Endpoint // current ones, deleted ones included
	Readers   []store.ReaderRow           // of events, ordered by merchant
	Records   []credit.Record             // of the buyer's side, by kind
	Sealed    []string                    // handles stored in the vault
	Rails
}

// ReadBooks reads a whole snapshot.
func ReadBooks(db store.Viewer) (*Books, error) {
	b := NewBooks()
	if err := db.View(context.Background(), b.read); err != nil {
		return nil, fmt.Errorf("read books: %w", err)
	}
	return b, nil
}

// NewBooks returns empty books.
func NewBooks() *Books {
	return &Books{
		Companies: map[int64]*credit.Company{}, Orders: map[string]*credit.Order{}, Loans: map[string]*schedule.Loan{},
		Payments: map[string]*credit.Payment{}, Invoices: map[string]*credit.Invoice{}, Credits: map[int64][]credit.Credit{},
		Balances: map[ledger.BalanceKey]int64{}, Answers: map[store.KeyID]store.Answer{}, Claims: map[credit.Claim]string{},
		Clients: map[string]*credit.Client{}, Endpoints: map[string]*credit.Endpoint{}, Rails: newRails(),
	}
}

func (b *Books) read(v store.View) error {
	for _, walk := range []error{
		b.ReadNouns(v),
		store.EachMoney(v, func(_ int64, e credit.MoneyEvent) error { b.Money = append(b.Money, e); return nil }),
		store.EachEntry(v, func(e store.EntryRow) error { b.Entries = append(b.Entries, e); return nil }),
		store.EachBalance(v, func(k ledger.BalanceKey, x int64) error { b.Balances[k] = x; return nil }),
		store.Each(v, &store.Events, func(e store.EventRow) error { b.Events = append(b.Events, e); return nil }),
		store.EachAudit(v, 0, func(q int64, a store.Audit) error {
			if q != int64(len(b.Audits))+1 {
				return fmt.Errorf("AU7: commit %d follows %d", q, len(b.Audits))
			}
			b.Audits = append(b.Audits, a)
			return nil
		}),
		store.EachBatch(v, func(x store.BatchRow) error { b.Batches = append(b.Batches, x); return nil }),
		store.EachAnswer(v, b.answer),
		store.EachClaim(v, func(c credit.Claim, owner string) error { b.Claims[c] = owner; return nil }),
		store.Each(v, &store.Clients, func(c store.ClientRow) error { b.Clients[c.ID] = c.Client; return nil }),
		b.ReadEndpoints(v),
		store.Each(v, &store.EventReaders, func(x store.ReaderRow) error { b.Readers = append(b.Readers, x); return nil }),
		b.Rails.Read(v), b.ReadRecords(v),
	} {
		if walk != nil {
			return walk
		}
	}
	return nil
}

// ReadEndpoints reads the current version of each endpoint.
func (b *Books) ReadEndpoints(v store.View) error {
	return store.EachEndpointVersion(v, func(x store.EndpointVersion) error { b.Endpoints[x.Endpoint.ID] = x.Endpoint; return nil })
}

// ReadRecords reads the records of the buyer's side and the handles sealed for them.
func (b *Books) ReadRecords(v store.View) error {
	for _, t := range store.RecordTables {
		if err := store.EachRecord(v, t.Noun, func(r credit.Record) error { b.Records = append(b.Records, r); return nil }); err != nil {
			return err
		}
	}
	return store.EachSecret(v, func(id string, _ []byte) error { b.Sealed = append(b.Sealed, id); return nil })
}

// ReadNouns reads what people see: companies, orders with their loans, payments,
// invoices and credit.
func (b *Books) ReadNouns(v store.View) error {
	b.Seq = v.Seq()
	return errors.Join(
		store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error { b.Companies[c.ID] = c; return nil }),
		store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
			b.Orders[o.Key] = o
			if l != nil {
				b.Loans[o.Key] = l
			}
			return nil
		}),
		store.EachOf(v, store.PaymentNoun, func(p *credit.Payment) error { b.Payments[p.ID] = p; return nil }),
		store.EachOf(v, store.InvoiceNoun, func(i *credit.Invoice) error { b.Invoices[i.ID] = i; return nil }),
		store.EachCredit(v, func(c credit.Credit) error { b.Credits[c.Company] = append(b.Credits[c.Company], c); return nil }),
	)
}

// answer keeps a stored answer as it was given; an answer that shows a secret is opened.
func (b *Books) answer(k store.KeyID, a store.Answer) (err error) {
	if a.Sealed {
		a.Body, err = Opened(a.Body, engine.AnswerSubject(k))
	}
	b.Answers[k] = a
	return err
}

// Unpaid implements Seen: it returns the unpaid principal of an order's rows.
func (b *Books) Unpaid(order string) int64 {
	sum := int64(0)
	if l := b.Loans[order]; l != nil {
		for _, r := range l.Rows {
			sum += int64(r.Principal - r.PaidPrincipal)
		}
	}
	return sum
}

// Version implements Seen.
func (b *Books) Version(order string) int {
	if o := b.Orders[order]; o != nil {
		return o.Version
	}
	return 0
}

// OrderOfInvoice implements Seen.
func (b *Books) OrderOfInvoice(invoice string) string {
	if i := b.Invoices[invoice]; i != nil {
		return i.Order
	}
	return ""
}

// Owed returns everything unpaid on an order: rows and fees.
func (b *Books) Owed(order string) int64 {
	l := b.Loans[order]
	if l == nil {
		return 0
	}
	sum := int64(0)
	for _, r := range l.Rows {
		sum += int64(r.Principal + r.Charge - r.PaidPrincipal - r.PaidCharge)
	}
	for _, f := range l.Fees {
		sum += int64(f.Amount - f.Paid)
	}
	return sum
}

// Sum adds up the postings to an account that the filter keeps.
func (b *Books) Sum(a ledger.Account, keep func(ledger.Posting) bool) int64 {
	total := int64(0)
	for _, e := range b.Entries {
		for _, p := range e.Postings {
			if p.Account == a && keep(p) {
				total += int64(p.Amount)
			}
		}
	}
	return total
}

// today returns the business date of the last commit.
func (b *Books) today() calendar.Date {
	day := calendar.None
	for _, x := range b.Batches {
		if !x.Tombstone {
			day = max(day, x.BusinessDate)
		}
	}
	return day
}

// Refund returns a refund of a payment.
func (b *Books) Refund(payment, id string) credit.PaymentRefund {
	list := b.Payments[payment].Refunds
	return list[slices.IndexFunc(list, func(r credit.PaymentRefund) bool { return r.ID == id })]
}

// Receipt returns a receipt, which must exist.
func (b *Books) Receipt(id string) *credit.Receipt {
	return b.Receipts[slices.IndexFunc(b.Receipts, func(r *credit.Receipt) bool { return r.ID == id })]
}

// Payout returns a payout, or nil if it does not exist.
func (b *Books) Payout(id string) *credit.Payout {
	i := slices.IndexFunc(b.Payouts, func(p *credit.Payout) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return b.Payouts[i]
}

// EntriesOf returns the entries of a company with only its own lines.
func (b *Books) EntriesOf(company int64) (list []store.EntryRow) {
	for _, e := range b.Entries {
		own := slices.DeleteFunc(slices.Clone(e.Postings), func(p ledger.Posting) bool { return p.Company != company })
		if len(own) > 0 {
			e.Postings = own
			list = append(list, e)
		}
	}
	return list
}
