package verify

import (
	"context"
	"fmt"
	"sort"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// run is one run over one snapshot: the state that passes share.
type run struct {
	ctx     context.Context
	backend store.Viewer
	view    store.View
	options Options
	report  Report
	head    store.Head // of the snapshot

	passes int // that are run
	step   int // index of the pass
	rows   int // of the current pass
	told   int // reported progress within it: a pass may walk several tables

	orders    map[string]*orderFacts
	companies map[int64]*credit.Company
	merchants map[string]*credit.Merchant
	paid      map[string]*paymentFacts
	endpoints map[string]history
	granted   map[string][]store.AuditRow // commands on existing clients and tokens
	periods   []*credit.Period
	transfers map[string]*transferFacts
	refunds   map[string]refundFacts // by their own id
	owed      map[int64]money.Amount // balance of 2110 by company, according to payments
	open      map[string][]openFacts // debits in transit, by payment
	payouts   map[string]*payoutFacts
	conduct   map[int64]*conduct
	moved     map[movedTo]paidParts // what uses of credit paid on other orders

	batches  []store.BatchRow
	held     map[holder]money.Amount                 // what merchants hold of payments, by owner
	days     map[store.DayTotalKey]store.DayTotalRow // sums of all postings, by day
	balances ledger.Balances                         // sums of all postings, by the dimensions of balances
	position map[string]credit.Position              // of merchants, computed from all entries
	byOrder  map[string]map[ledger.Account]money.Amount
	months   map[calendar.Date]month
	ending   map[string]bool    // entries that have ended payout lines
	parts    map[string]release // what a child's capture took from its parent, by child
}

// orderFacts is the part of an order that other rows are compared with.
type orderFacts struct {
	company         int64
	merchant        string
	merchantOrderID string
	parent          string
	invoice         string
	status          credit.OrderStatus
	reserved        money.Amount
	captured        money.Amount
	unpaid          money.Amount // principal
	other           money.Amount // what else uses the line (F41.7)
	captureDate     calendar.Date
	eventSeq        int64
	hasLoan         bool
	external        bool
	unfunded        bool
	discount        money.Amount
	overdue         bool
	chargedOff      bool
	returnedFees    int // fees for returned payments
}

// paymentFacts is the part of a payment that other rows are compared with.
type paymentFacts struct {
	company    int64
	order      string
	merchant   string
	externalID string
	eventSeq   int64

	status      credit.PaymentStatus
	amount      money.Amount
	transfer    string
	original    string
	attempt     int
	items       []schedule.Ref
	feeAssessed bool
	onHold      money.Amount
	callable    money.Amount // the part that did not pay charge or fees
	refunded    money.Amount
	reversed    bool // by the lender (F22)
}

// release is a part of a reservation that ended.
type release struct {
	order  string
	amount money.Amount
}

// read collects the facts about orders, companies, payments and merchants.
func (r *run) read() error {
	r.orders, r.companies = map[string]*orderFacts{}, map[int64]*credit.Company{}
	r.merchants, r.paid = map[string]*credit.Merchant{}, map[string]*paymentFacts{}
	all, err := store.AllMerchants(r.view)
	if err != nil {
		return err
	}
	for _, m := range all {
		r.merchants[m.ID] = m
	}
	if err := store.EachOf(r.view, store.CompanyNoun, func(c *credit.Company) error {
		r.companies[c.ID] = c
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	if err := r.readEndpoints(); err != nil {
		return err
	}
	if err := r.readAccess(); err != nil {
		return err
	}
	if r.periods, err = store.AllOf(r.view, store.PeriodNoun); err != nil {
		return err
	}
	if err := r.readOrders(); err != nil {
		return err
	}
	if err := r.readPayments(); err != nil {
		return err
	}
	return r.readRails()
}

func (r *run) readPayments() error {
	r.refunds, r.owed = map[string]refundFacts{}, map[int64]money.Amount{}
	return store.EachOf(r.view, store.PaymentNoun, func(p *credit.Payment) error {
		r.paid[p.ID] = &paymentFacts{
			company: p.Company, order: p.Order, merchant: p.Merchant, externalID: p.ExternalID, eventSeq: p.EventSeq,
			status: p.Status, amount: p.Amount, transfer: p.Transfer, original: p.Original, attempt: p.Attempt, items: p.Items,
			feeAssessed: p.FeeAssessed, onHold: p.OnHold, callable: callable(p), refunded: p.Refunded, reversed: p.Reversed(),
		}
		for _, x := range p.Refunds {
			r.refunds[x.ID] = refundFacts{p.ID, x.Transfer, x.Amount, x.Status}
		}
		r.owed[p.Company] = r.owed[p.Company].Add(p.InTransit())
		return r.ctx.Err()
	})
}

// begin starts a pass, end closes it.
func (r *run) begin(step int, p pass) {
	r.step, r.rows, r.told = step, 0, 0
	r.report.Checks = append(r.report.Checks, Check{Name: p.Name, Invariants: p.Invariants})
	r.tell(0)
}

// note records what the pass skips.
func (r *run) note(format string, args ...any) {
	r.report.Checks[len(r.report.Checks)-1].Note = fmt.Sprintf(format, args...)
}

func (r *run) end() {
	r.report.Checks[len(r.report.Checks)-1].Rows = r.rows
	r.tell(r.report.Seq)
}

// each counts a row of a pass, reports progress by its commit now and then, and ends the
// walk when the caller has gone.
func (r *run) each(q int64) error {
	r.rows++
	if r.rows%512 == 0 {
		r.tell(q)
	}
	return r.ctx.Err()
}

// batchOf returns the batch of a commit, nil if there is none. It needs the batches in
// order, as the first pass reads them.
func (r *run) batchOf(q int64) *store.BatchRow {
	i := sort.Search(len(r.batches), func(i int) bool { return r.batches[i].LastQ >= q })
	if i == len(r.batches) || q < r.batches[i].FirstQ {
		return nil
	}
	return &r.batches[i]
}

// tell reports progress. Every pass counts as many steps as there are commits.
func (r *run) tell(q int64) {
	if r.options.Progress == nil {
		return
	}
	size := max(1, int(r.report.Seq))
	r.told = max(r.told, min(int(max(q, 0)), size))
	r.options.Progress(r.step*size+r.told, r.passes*size)
}

// broken records a violation.
func (r *run) broken(invariant, object, format string, args ...any) {
	if len(r.report.Violations) == maxViolations {
		r.report.More++
		return
	}
	r.report.Violations = append(r.report.Violations, Violation{invariant, object, fmt.Sprintf(format, args...)})
}

// guard runs a computation on rows that may contain anything. A panic in it is a violation.
func (r *run) guard(invariant, object string, compute func()) {
	defer func() {
		if p := recover(); p != nil {
			r.broken(invariant, object, "cannot be computed: %v", p)
		}
	}()
	compute()
}

// equal records a violation unless two amounts are the same.
func (r *run) equal(invariant, object, what string, stored, computed money.Amount) {
	if stored != computed {
		r.broken(invariant, object, "%s is %s, must be %s", what, stored, computed)
	}
}
