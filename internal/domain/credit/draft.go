package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// draft gathers the changes of one command. Records are copied when they are
// first edited, so that the state stays as it was if the command is refused.
type draft struct {
	s         *State
	e         Env
	ids       ids
	c         Changes
	companies edits[int64, Company]
	orders    edits[string, Order]
	payments  edits[string, Payment]
	invoices  edits[string, Invoice]
	clients   edits[string, Client]
	tokens    edits[string, Token]
	endpoints edits[string, Endpoint]
	merchants edits[string, Merchant]
	methods   edits[string, PaymentMethod]
	transfers edits[string, Transfer]
	payouts   edits[string, Payout]
	lines     edits[string, PayoutLine]
	notices   edits[string, Notice]
	lenders   edits[string, Lender]
	screened  edits[string, Screening]
	receipts  edits[string, Receipt]
	records   map[RecordKey]Record // copies that stand in the changes
	facts     []fact               // events in order, before their sequence is drawn
	on        calendar.Date        // business date to which the books have come: today, but for the days that serve goes through
	served    map[string]bool      // orders that serve has brought to today
	serving   bool
	unseen    bool            // what changes is nothing that anybody is shown: the time of the last change stays
	mixed     map[string]bool // orders of which this command reverses what was posted in non-accrual, or that it puts into it
	cured     map[string]bool // orders that are late no more by what this command does
	told      map[string]bool // installments that this command has called overdue
}

func newDraft(s *State, e Env) *draft {
	d := &draft{s: s, e: e, ids: ids{seed: e.Seed, ms: e.Now.UnixMilli()}, on: e.Today(), served: map[string]bool{}, mixed: map[string]bool{}}
	d.companies = editing(d, KindCompany)
	d.orders = editing(d, KindOrder)
	d.payments = editing(d, KindPayment)
	d.invoices = editing(d, KindInvoice)
	d.clients = editing(d, KindClient)
	d.tokens = editing(d, KindToken)
	d.endpoints = editing(d, KindEndpoint)
	d.merchants = editing(d, KindMerchant)
	d.methods = editing(d, KindMethod)
	d.transfers = editing(d, KindTransfer)
	d.payouts = editing(d, KindPayout)
	d.lines = editing(d, KindPayoutLine)
	d.notices = editing(d, KindNotice)
	d.lenders = editing(d, KindLender)
	d.screened = editing(d, KindScreening)
	d.receipts = editing(d, KindReceipt)
	return d
}

// edits are the records of one kind that a command changes: each is copied once,
// and its copy stands in the changes.
type edits[K comparable, T any] struct {
	stored  map[K]*T
	copies  map[K]*T // nil until there is one: most commands change records of few kinds
	changes *[]*T
}

// editing are the edits of a draft of one kind.
func editing[K comparable, T any](d *draft, n Kind[K, *T]) edits[K, T] {
	return edits[K, T]{stored: *n.State(d.s), changes: n.Changes(&d.c)}
}

// edit returns the copy of a record, to be changed.
func (x *edits[K, T]) edit(key K) *T {
	if r, ok := x.copies[key]; ok {
		return r
	}
	r := *x.stored[key]
	return x.add(key, &r)
}

// add puts a new record into the changes and returns it.
func (x *edits[K, T]) add(key K, r *T) *T {
	if x.copies == nil {
		x.copies = map[K]*T{}
	}
	x.copies[key] = r
	*x.changes = append(*x.changes, r)
	return r
}

// peek returns a record as it stands in the draft, not to be changed; nil if
// there is none.
func (x *edits[K, T]) peek(key K) *T {
	if r, ok := x.copies[key]; ok {
		return r
	}
	return x.stored[key]
}

func (d *draft) claim(c Claim, owner string) {
	if d.c.Claims == nil {
		d.c.Claims = map[Claim]string{}
	}
	d.c.Claims[c] = owner
}

// moveClaim gives a name to an owner, whoever had it: an application becomes a company, and of
// several checkouts for the same thing the last one is found.
func (d *draft) moveClaim(c Claim, owner string) {
	if was := d.s.Claims[c]; was != "" && was != owner {
		d.c.Moved = append(d.c.Moved, c)
	}
	d.claim(c, owner)
}

// loanOf returns the order's loan as it stands in the draft.
func (d *draft) loanOf(key string) *schedule.Loan {
	for _, l := range d.c.Loans {
		if l.Key == key {
			return l
		}
	}
	return d.s.Loans[key]
}

// done closes the draft: records that changed get their next version, the events
// their sequence and what they were before.
func (d *draft) done(result any, created bool) Changes {
	d.sweep()
	d.settleLines()
	d.settleHeld()
	d.settleOther()
	d.settleStopped()
	d.settleRecallable()
	d.settleSmall()
	d.settleHolds()
	d.settleLateness()
	d.settleRequests()
	d.settleCreditUse()
	d.settleAllowance()
	d.tellPayments()
	before := map[ObjectRef]previous{}
	for _, o := range d.c.Orders {
		d.timed(o)
		if was := d.s.Orders[o.Key]; was != nil {
			before[orderRef(o.Key)] = d.seal(previousOrder(was, o), was.Version, &o.Version, true)
			if o.Version != was.Version {
				before[orderRef(o.Key)]["updated_at"], o.UpdatedAt = was.UpdatedAt, d.e.Now
			}
		}
	}
	for _, p := range d.c.Payments {
		p.OwedSince = p.owedSince()
		if was := d.s.Payments[p.ID]; was != nil {
			before[paymentRef(p.ID)] = d.seal(previousPayment(was, p), was.Version, &p.Version, false)
			if p.Version != was.Version {
				before[paymentRef(p.ID)]["updated_at"], p.UpdatedAt = was.UpdatedAt, d.e.Now
			}
		}
	}
	for _, i := range d.c.Invoices {
		if was := d.s.Invoices[i.ID]; was != nil {
			before[invoiceRef(i.ID)] = d.seal(previousInvoice(was, i), was.Version, &i.Version, false)
			if i.Version != was.Version {
				i.UpdatedAt = d.e.Now
			}
		}
	}
	d.sealRails(before)
	d.sealRecords(before)
	for _, c := range d.c.Companies {
		if was := d.s.Companies[c.ID]; was != nil {
			before[companyRef(c.ID)] = d.sealCompany(was, c)
		}
	}
	d.writeEvents(before)
	d.c.Result, d.c.Created = result, created
	return d.c
}

// seal lets a record's version grow if a member of its resource has changed.
func (d *draft) seal(p previous, was int, version *int, shown bool) previous {
	if len(p) > 0 {
		*version = was + 1
		if shown {
			p["version"] = was
		}
	}
	return p
}

// sealCompany also says what no event says yet: that the line or another member
// has changed.
func (d *draft) sealCompany(was, now *Company) previous {
	p := previousCompany(was, now)
	reported := !slices.Equal(was.Servicing.Reports, now.Servicing.Reports)
	cards := was.Servicing.Cards.Paused != now.Servicing.Cards.Paused
	if len(p) == 0 && slices.Equal(was.Linked, now.Linked) && !reported && !cards {
		return p
	}
	now.Version, now.UpdatedAt = was.Version+1, d.e.Now
	if was.Tier != now.Tier || was.Credit != now.Credit || autopayDiffers(was, now) || reported || cards || was.Servicing.CreditUse.On != now.Servicing.CreditUse.On ||
		!was.Servicing.CreditAsked.Equal(now.Servicing.CreditAsked) || !slices.Equal(was.Linked, now.Linked) || len(previousDescription(was, now)) > 0 {
		d.companyEvent(CompanyUpdatedEvent, now.ID)
	}
	if was.Status != now.Status {
		d.companyEvent(CompanyStatusChangedEvent, now.ID)
	}
	if lineOf(was) != lineOf(now) {
		d.companyEvent(CreditLineChangedEvent, now.ID)
	}
	p["updated_at"] = was.UpdatedAt
	return p
}

// IsLinked reports whether the merchant may use the company.
func (c *Company) IsLinked(merchant string) bool {
	_, ok := slices.BinarySearch(c.Linked, merchant)
	return ok
}

// changedAt is when a record that was last changed at an instant has changed last.
func (d *draft) changedAt(was time.Time) time.Time {
	if d.unseen {
		return was
	}
	return d.e.Now
}

// sealRails does for the records of rails and payouts what done does for the others:
// each command that edits one makes its next version.
func (d *draft) sealRails(before map[ObjectRef]previous) {
	for _, x := range d.c.Merchants {
		if was := d.s.Merchants[x.ID]; was != nil && x.Version == was.Version {
			x.Version, x.UpdatedAt = was.Version+1, d.changedAt(was.UpdatedAt)
		}
	}
	for _, x := range d.c.Methods {
		if was := d.s.Methods[x.ID]; was != nil {
			x.Version, x.UpdatedAt = was.Version+1, d.changedAt(was.UpdatedAt)
		}
	}
	for _, x := range d.c.Transfers {
		if was := d.s.Transfers[x.ID]; was != nil {
			x.Version, x.UpdatedAt = was.Version+1, d.e.Now
		}
	}
	for _, x := range d.c.Lines {
		if was := d.s.Lines[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.c.Notices {
		if was := d.s.Notices[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.c.Lenders {
		if was := d.s.Lenders[x.ID]; was != nil {
			x.Version, x.UpdatedAt = was.Version+1, d.e.Now
		}
	}
	for _, x := range d.c.Screenings {
		if was := d.s.Screenings[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.c.Receipts {
		if was := d.s.Receipts[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.c.Payouts {
		if was := d.s.Payouts[x.ID]; was != nil {
			before[payoutRef(x.ID)] = previousPayout(was, x)
			x.Version, x.UpdatedAt = was.Version+1, d.e.Now
		}
	}
}
