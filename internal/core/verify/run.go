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

// run is one run over one snapshot: what the passes have in common.
type run struct {
	ctx     context.Context
	view    store.View
	options Options
	report  Report
	head    store.Head // that the snapshot holds

	step int // of passes
	rows int // of the pass that is being made
	told int // progress of it: a pass may walk several tables

	orders    map[string]*orderFacts
	companies map[int64]*credit.Company
	merchants map[string]*credit.Merchant
	paid      map[string]*paymentFacts
	endpoints map[string]history
	granted   map[string][]store.AuditRow // commands on clients and tokens that there are
	periods   []*credit.Period
	transfers map[string]*transferFacts
	refunds   map[string]refundFacts // by their own id
	owed      map[int64]money.Amount // what stands on 2110, by company, as payments say
	open      map[string][]openFacts // debits on their way, by payment
	payouts   map[string]*payoutFacts
	conduct   map[int64]*conduct
	moved     map[movedTo]paidParts // what uses of credit have paid of other orders

	batches  []store.BatchRow
	held     map[holder]money.Amount    // what merchants hold of payments, by owner
	balances ledger.Balances            // sums of all postings, by what balances keep apart
	position map[string]credit.Position // of merchants, as all entries make it
	byOrder  map[string]map[ledger.Account]money.Amount
	months   map[calendar.Date]month
	ending   map[string]bool    // entries that have ended payout lines
	parts    map[string]release // what a child's capture took from its parent, by child
}

// orderFacts is what other rows are compared with.
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
	other           money.Amount // what else takes the line (F41.7)
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

// paymentFacts is what other rows are compared with.
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
	callable    money.Amount // what has not paid charge or fees
	refunded    money.Amount
	reversed    bool // by the lender's own word (F22)
}

// release is a part of a reservation that ended.
type release struct {
	order  string
	amount money.Amount
}

// read gathers the facts about orders, companies, payments and merchants.
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

// note says what the pass leaves out.
func (r *run) note(format string, args ...any) {
	r.report.Checks[len(r.report.Checks)-1].Note = fmt.Sprintf(format, args...)
}

func (r *run) end() {
	r.report.Checks[len(r.report.Checks)-1].Rows = r.rows
	r.tell(r.report.Seq)
}

// each counts a row of a pass, tells the progress by its commit now and then,
// and ends the walk when the caller has gone.
func (r *run) each(q int64) error {
	r.rows++
	if r.rows%512 == 0 {
		r.tell(q)
	}
	return r.ctx.Err()
}

// batchOf is the batch of a commit, nil if there is none. It needs the batches in
// order, as the first pass reads them.
func (r *run) batchOf(q int64) *store.BatchRow {
	i := sort.Search(len(r.batches), func(i int) bool { return r.batches[i].LastQ >= q })
	if i == len(r.batches) || q < r.batches[i].FirstQ {
		return nil
	}
	return &r.batches[i]
}

// tell reports progress. Every pass counts for as much as there are commits.
func (r *run) tell(q int64) {
	if r.options.Progress == nil {
		return
	}
	size := max(1, int(r.report.Seq))
	r.told = max(r.told, min(int(max(q, 0)), size))
	r.options.Progress(r.step*size+r.told, len(passes())*size)
}

// broken notes a violation.
func (r *run) broken(invariant, object, format string, args ...any) {
	if len(r.report.Violations) == maxViolations {
		r.report.More++
		return
	}
	r.report.Violations = append(r.report.Violations, Violation{invariant, object, fmt.Sprintf(format, args...)})
}

// guard runs a computation on rows that may be anything. If it cannot be done
// that is a violation.
func (r *run) guard(invariant, object string, compute func()) {
	defer func() {
		if p := recover(); p != nil {
			r.broken(invariant, object, "cannot be computed: %v", p)
		}
	}()
	compute()
}

// equal notes a violation unless two amounts are the same.
func (r *run) equal(invariant, object, what string, stored, computed money.Amount) {
	if stored != computed {
		r.broken(invariant, object, "%s is %s, must be %s", what, stored, computed)
	}
}
