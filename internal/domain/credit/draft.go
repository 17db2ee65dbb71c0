package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
	"tenor/internal/domain/ulid"
)

// Draft collects the changes of one command. Records are copied when first edited, so that the
// state is unchanged if the command is refused.
type Draft struct {
	State      *State
	Env        Env
	IDs        ulid.Stream
	Changes    Changes
	Companies  Edits[int64, Company]
	Orders     Edits[string, Order]
	Payments   Edits[string, Payment]
	Invoices   Edits[string, Invoice]
	Clients    Edits[string, Client]
	Tokens     Edits[string, Token]
	Endpoints  Edits[string, Endpoint]
	Merchants  Edits[string, Merchant]
	Methods    Edits[string, PaymentMethod]
	Transfers  Edits[string, Transfer]
	Payouts    Edits[string, Payout]
	Lines      Edits[string, PayoutLine]
	Notices    Edits[string, Notice]
	Lenders    Edits[string, Lender]
	Screenings Edits[string, Screening]
	Receipts   Edits[string, Receipt]
	records    map[RecordKey]Record // copies that are in the changes
	facts      []fact               // events in order, before they get their sequence
	On         calendar.Date        // business date that the books have reached: today, except for the days that serve goes through
	Served     map[string]bool      // orders that serve has brought up to today
	Serving    bool
	Unseen     bool            // no visible change: updated_at stays
	Mixed      map[string]bool // orders whose nonaccrual postings this command reverses, or that it puts into nonaccrual
	Cured      map[string]bool // orders that this command makes no longer late
	Told       map[string]bool // installments that this command reported as overdue
}

// NewDraft starts the changes of a command.
func NewDraft(s *State, e Env) *Draft {
	d := &Draft{State: s, Env: e, IDs: ulid.StreamAt(e.Seed, e.Now), On: e.Today(), Served: map[string]bool{}, Mixed: map[string]bool{}}
	d.Companies = editing(d, KindCompany)
	d.Orders = editing(d, KindOrder)
	d.Payments = editing(d, KindPayment)
	d.Invoices = editing(d, KindInvoice)
	d.Clients = editing(d, KindClient)
	d.Tokens = editing(d, KindToken)
	d.Endpoints = editing(d, KindEndpoint)
	d.Merchants = editing(d, KindMerchant)
	d.Methods = editing(d, KindMethod)
	d.Transfers = editing(d, KindTransfer)
	d.Payouts = editing(d, KindPayout)
	d.Lines = editing(d, KindPayoutLine)
	d.Notices = editing(d, KindNotice)
	d.Lenders = editing(d, KindLender)
	d.Screenings = editing(d, KindScreening)
	d.Receipts = editing(d, KindReceipt)
	return d
}

// Edits are the records of one kind that a command changes. Each is copied once, and the copy
// is part of the changes.
type Edits[K comparable, T any] struct {
	stored  map[K]*T
	copies  map[K]*T // nil until needed: most commands change few kinds of records
	changes *[]*T
}

// editing returns a draft's edits of one kind.
func editing[K comparable, T any](d *Draft, n Kind[K, *T]) Edits[K, T] {
	return Edits[K, T]{stored: *n.State(d.State), changes: n.Changes(&d.Changes)}
}

// Edit returns the copy of a record, for changing.
func (x *Edits[K, T]) Edit(key K) *T {
	if r, ok := x.copies[key]; ok {
		return r
	}
	r := *x.stored[key]
	return x.Add(key, &r)
}

// Add puts a new record into the changes and returns it.
func (x *Edits[K, T]) Add(key K, r *T) *T {
	if x.copies == nil {
		x.copies = map[K]*T{}
	}
	x.copies[key] = r
	*x.changes = append(*x.changes, r)
	return r
}

// Peek returns a record in its current state in the draft, read-only; nil if there is none.
func (x *Edits[K, T]) Peek(key K) *T {
	if r, ok := x.copies[key]; ok {
		return r
	}
	return x.stored[key]
}

// Claim assigns a name to an owner; owner "" releases it.
func (d *Draft) Claim(c Claim, owner string) {
	if d.Changes.Claims == nil {
		d.Changes.Claims = map[Claim]string{}
	}
	d.Changes.Claims[c] = owner
}

// MoveClaim assigns a name to an owner even if another has it: an application becomes a
// company, and of several checkouts for the same thing the last one is found.
func (d *Draft) MoveClaim(c Claim, owner string) {
	if was := d.State.Claims[c]; was != "" && was != owner {
		d.Changes.Moved = append(d.Changes.Moved, c)
	}
	d.Claim(c, owner)
}

// LoanOf returns the order's loan in its current state in the draft.
func (d *Draft) LoanOf(key string) *schedule.Loan {
	for _, l := range d.Changes.Loans {
		if l.Key == key {
			return l
		}
	}
	return d.State.Loans[key]
}

// Done closes the draft: changed records get their next version, events their sequence and
// previous values.
func (d *Draft) Done(result any, created bool) Changes {
	d.sweep()
	d.finishLines()
	d.finishHeld()
	d.finishOther()
	d.finishStopped()
	d.FinishRecallable()
	d.finishSmall()
	d.finishHolds()
	d.finishLateness()
	d.finishRequests()
	d.finishCreditUse()
	d.finishAllowance()
	d.tellPayments()
	before := map[ObjectRef]Previous{}
	for _, o := range d.Changes.Orders {
		d.Timed(o)
		if was := d.State.Orders[o.Key]; was != nil {
			before[orderRef(o.Key)] = d.seal(PreviousOrder(was, o), was.Version, &o.Version, true)
			if o.Version != was.Version {
				before[orderRef(o.Key)]["updated_at"], o.UpdatedAt = was.UpdatedAt, d.Env.Now
			}
		}
	}
	for _, p := range d.Changes.Payments {
		p.OwedSince = p.owedSince()
		if was := d.State.Payments[p.ID]; was != nil {
			before[paymentRef(p.ID)] = d.seal(PreviousPayment(was, p), was.Version, &p.Version, false)
			if p.Version != was.Version {
				before[paymentRef(p.ID)]["updated_at"], p.UpdatedAt = was.UpdatedAt, d.Env.Now
			}
		}
	}
	for _, i := range d.Changes.Invoices {
		if was := d.State.Invoices[i.ID]; was != nil {
			before[invoiceRef(i.ID)] = d.seal(PreviousInvoice(was, i), was.Version, &i.Version, false)
			if i.Version != was.Version {
				i.UpdatedAt = d.Env.Now
			}
		}
	}
	d.sealRails(before)
	d.sealRecords(before)
	for _, c := range d.Changes.Companies {
		if was := d.State.Companies[c.ID]; was != nil {
			before[companyRef(c.ID)] = d.sealCompany(was, c)
		}
	}
	d.writeEvents(before)
	d.Changes.Result, d.Changes.Created = result, created
	return d.Changes
}

// seal increments a record's version if a member of its resource has changed.
func (d *Draft) seal(p Previous, was int, version *int, shown bool) Previous {
	if len(p) > 0 {
		*version = was + 1
		if shown {
			p["version"] = was
		}
	}
	return p
}

// sealCompany also emits the events that no command emits itself: that the line or another
// member has changed.
func (d *Draft) sealCompany(was, now *Company) Previous {
	p := PreviousCompany(was, now)
	reported := !slices.Equal(was.Servicing.Reports, now.Servicing.Reports)
	cards := was.Servicing.Cards.Paused != now.Servicing.Cards.Paused
	if len(p) == 0 && slices.Equal(was.Linked, now.Linked) && !reported && !cards {
		return p
	}
	now.Version, now.UpdatedAt = was.Version+1, d.Env.Now
	if was.Tier != now.Tier || was.Credit != now.Credit || autopayDiffers(was, now) || reported || cards || was.Servicing.CreditUse.On != now.Servicing.CreditUse.On ||
		!was.Servicing.CreditAsked.Equal(now.Servicing.CreditAsked) || !slices.Equal(was.Linked, now.Linked) || len(previousDescription(was, now)) > 0 {
		d.CompanyEvent(CompanyUpdatedEvent, now.ID)
	}
	if was.Status != now.Status {
		d.CompanyEvent(CompanyStatusChangedEvent, now.ID)
	}
	if lineOf(was) != lineOf(now) {
		d.CompanyEvent(CreditLineChangedEvent, now.ID)
	}
	p["updated_at"] = was.UpdatedAt
	return p
}

// changedAt is the update time of a record that was last changed at an instant.
func (d *Draft) changedAt(was time.Time) time.Time {
	if d.Unseen {
		return was
	}
	return d.Env.Now
}

// sealRails does for the records of rails and payouts what Done does for the others: each
// command that edits one makes its next version.
func (d *Draft) sealRails(before map[ObjectRef]Previous) {
	for _, x := range d.Changes.Merchants {
		if was := d.State.Merchants[x.ID]; was != nil && x.Version == was.Version {
			x.Version, x.UpdatedAt = was.Version+1, d.changedAt(was.UpdatedAt)
		}
	}
	for _, x := range d.Changes.Methods {
		if was := d.State.Methods[x.ID]; was != nil {
			x.Version, x.UpdatedAt = was.Version+1, d.changedAt(was.UpdatedAt)
		}
	}
	for _, x := range d.Changes.Transfers {
		if was := d.State.Transfers[x.ID]; was != nil {
			x.Version, x.UpdatedAt = was.Version+1, d.Env.Now
		}
	}
	for _, x := range d.Changes.Lines {
		if was := d.State.Lines[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.Changes.Notices {
		if was := d.State.Notices[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.Changes.Lenders {
		if was := d.State.Lenders[x.ID]; was != nil {
			x.Version, x.UpdatedAt = was.Version+1, d.Env.Now
		}
	}
	for _, x := range d.Changes.Screenings {
		if was := d.State.Screenings[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.Changes.Receipts {
		if was := d.State.Receipts[x.ID]; was != nil {
			x.Version = was.Version + 1
		}
	}
	for _, x := range d.Changes.Payouts {
		if was := d.State.Payouts[x.ID]; was != nil {
			before[payoutRef(x.ID)] = previousPayout(was, x)
			x.Version, x.UpdatedAt = was.Version+1, d.Env.Now
		}
	}
}
