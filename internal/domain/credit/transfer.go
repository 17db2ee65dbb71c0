package credit

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// ServiceTransfer does what time alone brings to a transfer: it is sent at its cut-off,
// settled on its settlement date, and its money becomes good (F22, F24). It does all
// that is due, in order, and nothing twice.
type ServiceTransfer struct {
	Transfer string `json:"transfer"`
}

func (ServiceTransfer) Name() string { return "transfer.service" }

// WritesOwners makes it an OwnersWriter.
func (ServiceTransfer) WritesOwners(Env) bool { return true }

// Keys asks for the transfer and all that its outcome concerns. What an order has been paid
// before is left out where the outcome only adds to it: else each of many small debits of one
// order would read all of those before it.
func (c ServiceTransfer) Keys(s *State, e Env) Keys {
	k := transferKeys(s, c.Transfer)
	if t := s.Transfers[c.Transfer]; t != nil && goesOn(s, e, t) {
		k.History, k.Lines = nil, nil
	}
	return k
}

// goesOn reports that a debit which a person has asked for on one order is sent today, or
// settles today as the last event of the order so far: neither looks back.
func goesOn(s *State, e Env, t *Transfer) bool {
	p, o, x := s.Payments[t.Payment], (*Order)(nil), s.Companies[t.Company]
	if p != nil {
		o = s.Orders[p.Order]
	}
	if t.Kind != TransferPayment || !t.Rail.Can().File || p == nil || p.Order == "" || p.Autopay || p.Original != "" || x == nil || x.JointReplay || o == nil || s.Loans[p.Order] == nil {
		return false
	}
	if o.Servicing.ServedTo < e.Today().AddDays(-1) {
		return false // a day may have to be served that the stored figures have passed
	}
	d := NewDraft(s, e)
	switch t.Status {
	case TransferQueued:
		return t.SendOn == e.Today() && !d.dropped(t)
	case TransferSent:
		on := d.effectiveOn(p, t.SettlesOn)
		return on >= e.Today() && !replays(s, t.Company, []string{p.Order}, schedule.Event{Kind: schedule.EventPayment, Date: on, Order: p.Order})
	}
	return false
}

// transferKeys asks for a transfer, then for its owner and its payment, then for the
// orders that the payment concerns, and at last for their histories: the outcome of a
// debit counts for an earlier day than that on which it is known.
func transferKeys(s *State, id string) Keys {
	k := Keys{Transfers: []string{id}}
	t := s.Transfers[id]
	switch {
	case t == nil:
		return k
	case t.Merchant != "":
		owner := movedKeys(t)
		owner.Transfers = k.Transfers
		return owner
	}
	k.Companies = []int64{t.Company}
	if t.Charge != "" {
		k.Transfers = append(k.Transfers, t.Charge)
	}
	if t.Method != "" {
		k.Methods = []string{t.Method}
		if merchant := s.Methods[t.Method].blamed(); merchant != "" {
			k.Merchants = []string{merchant}
		}
	}
	if t.Payment == "" {
		return k
	}
	k.Payments = []string{t.Payment}
	p, x := s.Payments[t.Payment], s.Companies[t.Company]
	if p == nil || x == nil {
		return k
	}
	if p.Original != "" {
		k.Payments = append(k.Payments, p.Original)
	}
	k.Transfers = append(k.Transfers, refundTransfers(s, p)...)
	if p.Reversed() && p.Transfer != id {
		k.Transfers = append(k.Transfers, p.Transfer)
	}
	k.Methods = append(k.Methods, autopayMethod(s, t.Company)...)
	owed := Keys{}
	if p.Order == "" || x.JointReplay {
		owed = accountKeys(s, t.Company)
	}
	if p.Order != "" {
		o := OrderKeys(s, p.Order)
		owed.Orders, owed.Merchants = o.Orders, append(owed.Merchants, o.Merchants...)
		if x := s.Orders[p.Order]; x != nil {
			owed.History, owed.Invoices = append(owed.History, p.Order), append(owed.Invoices, x.Invoice)
			owed.Lines = append(owed.Lines, p.Order) // what is posted anew may come off what the merchant holds
		}
	}
	owed.Merchants = append(owed.Merchants, k.Merchants...)
	if p.Merchant != "" {
		owed.Merchants = append(owed.Merchants, p.Merchant) // who asked for it (F41.8)
	}
	owed.Transfers, owed.Companies, owed.Methods, owed.Payments = k.Transfers, k.Companies, k.Methods, k.Payments
	return owed
}

func (c ServiceTransfer) Admit(s *State, e Env) *Rejection { return admitTransfer(s, e, c.Transfer) }

func (c ServiceTransfer) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	for {
		t := d.Transfers.Peek(c.Transfer)
		if t.NextAt.IsZero() || e.Now.Before(t.NextAt) {
			break
		}
		switch t = d.Transfers.Edit(c.Transfer); {
		case t.ReleaseOn != calendar.None:
			d.releaseTransfer(t)
		case t.Status == TransferQueued:
			d.sendTransfer(t)
		default:
			d.settleTransfer(t)
		}
	}
	if len(d.Changes.Transfers) == 0 {
		return Changes{Result: s.Transfers[c.Transfer]}, nil
	}
	return d.Done(d.Transfers.Peek(c.Transfer), false), nil
}

// sendTransfer commits that a transfer goes out: its file is built from what has been
// sent, and a card's processor is called after it.
func (d *Draft) sendTransfer(t *Transfer) {
	today := d.Env.Today()
	if t.Rail.Can().File && t.SendOn < today {
		d.postpone(t)
		if d.Env.Now.Before(t.NextAt) && !d.tooLateToRetry(t) {
			return
		}
	}
	if t.SameDay() && d.Env.Now.After(cutOff(d.Env.Zone, today).Add(sameDayWindow)) {
		d.dated(t, today, today.AddBankingDays(1)) // its file is made too late for the day's last window
		if t.Kind == TransferPayment || t.Kind == TransferCredit {
			d.rescheduled(t)
		}
	}
	if t.Kind == TransferPayment {
		p := d.Payments.Peek(t.Payment)
		switch {
		case d.dropped(t):
			switch d.cancelDebit(t, d.Payments.Edit(p.ID)); {
			case p.Autopay && p.Original == "":
				d.recollect(p.Order)
			case p.Autopay:
				d.collectRest(p.Order)
			}
			return
		case d.tooLateToRetry(t):
			d.cancelDebit(t, d.Payments.Edit(p.ID))
			d.stopItems(p)
			return
		}
	} else if d.mustWait(t) {
		d.waitForReview(t)
		return
	} else if (t.Kind == TransferMicro || t.Kind == TransferPrenote) && d.Methods.Peek(t.Method).Status == MethodDisabled {
		t.Status, t.NextAt = TransferCanceled, time.Time{} // nobody is to prove the account any more
		return
	}
	if d.tooLateToReverse(t) {
		d.refundInstead(t)
		return
	}
	t.Status, t.SentAt, t.NextAt = TransferSent, d.Env.Now, t.SettlesAt(d.Env.Zone)
	switch t.Kind {
	case TransferPayment, TransferCredit:
		p := d.Payments.Edit(t.Payment)
		if p.SubmittedAt = d.Env.Now; p.Status == PaymentScheduled {
			p.Status = PaymentPending
			d.paymentEvent(PaymentCreatedEvent, p.ID)
		}
		if in := t.Rail.Can().InTransit; t.Kind == TransferPayment && in != 0 {
			d.moneyEntry("PAYMENT_INITIATED", t, today, in, ledger.PaymentsPending)
		}
	case TransferPayout, TransferClawback:
		d.moved(t, nil)
	}
	if t.Rail.Can().Answer {
		t.NextAt = time.Time{} // the processor's answer is next
	}
}

// postpone moves a transfer that has missed its file to the next one (F22, F23).
func (d *Draft) postpone(t *Transfer) {
	sendOn, today := nextFile(d.Env), d.Env.Today()
	if today.IsBankingDay() && sendOn > today {
		sendOn = today // the file of today is being made
	}
	d.dated(t, sendOn, max(t.SettlesOn, sendOn.AddBankingDays(1)))
	if t.Kind == TransferPayment || t.Kind == TransferCredit {
		d.rescheduled(t)
	}
}

// rescheduled takes a waiting transfer's new day over into its payment, and into what is
// known of the debit (F10, F12).
func (d *Draft) rescheduled(t *Transfer) {
	p := d.Payments.Edit(t.Payment)
	if p.ScheduledDate = t.SettlesOn; t.Kind == TransferPayment {
		d.closeDebit(p)
		d.openDebit(p)
	}
}

// underReview reports that no money of a transfer's company may move (F23, F26).
func (d *Draft) underReview(t *Transfer) bool {
	return moneyMayMove(d.Companies.Peek(t.Company)) != nil
}

// mustWait reports that what a company or a merchant is to get waits for a person (F23,
// F29, F32).
func (d *Draft) mustWait(t *Transfer) bool {
	switch {
	case t.Merchant != "":
		a := &d.Merchants.Peek(t.Merchant).Account
		return t.Kind == TransferPayout && (a.Screened.Review != "" || a.HeldReason != "")
	case t.Kind == TransferPrenote:
		return false // no money
	}
	return MoneyMayLeave(d.Companies.Peek(t.Company)) != nil
}

// waitForReview leaves what a company or a merchant is to get to the next file, and so on
// until a person has looked into it (F23).
func (d *Draft) waitForReview(t *Transfer) {
	sendOn := d.Env.Today().AddBankingDays(1)
	d.dated(t, sendOn, sendOn.AddBankingDays(1))
	if t.Kind == TransferCredit {
		d.Payments.Edit(t.Payment).ScheduledDate = t.SettlesOn
	}
}

// tooLateToRetry reports that a debit that is tried again has missed its files for so long
// that it would settle too long after its original did: what it was for is left to a
// person, as after the last retry (F23).
func (d *Draft) tooLateToRetry(t *Transfer) bool {
	if t.Kind != TransferPayment || !t.Rail.Can().Return {
		return false
	}
	p := d.Payments.Peek(t.Payment)
	return p.Original != "" && d.original(p).ScheduledDate.DaysUntil(t.SettlesOn) > ReinitiationDays
}

// dropped reports that a debit is no longer to be sent: its account may not be debited
// any more, or no money of the company may move; the company has gone bankrupt since it was
// asked for; a merchant has asked for a charge and cards are stopped; autopay has been stopped meanwhile; or its items have been paid otherwise, even
// in part (F23).
func (d *Draft) dropped(t *Transfer) bool {
	p := d.Payments.Peek(t.Payment)
	if m := d.Methods.Peek(t.Method); m == nil || !m.Usable() || d.underReview(t) {
		return true
	}
	if !p.Autopay {
		c := d.Companies.Peek(t.Company)
		return c.stays(p) || t.Rail.Can().Tried && p.Merchant != "" && c.Servicing.Cards.Paused != ""
	}
	d.serve(p.Order)
	o, l := d.standing(p.Order)
	if m := d.autopayOf(o); m == nil {
		return true
	}
	return unpaidOf(l, p.Items) < p.Amount
}

// cancelDebit ends a debit that has not been sent.
func (d *Draft) cancelDebit(t *Transfer, p *Payment) {
	t.Status, t.NextAt = TransferCanceled, time.Time{}
	d.cancelPayment(p)
}

// cancelPayment ends a payment that has not been sent.
func (d *Draft) cancelPayment(p *Payment) {
	d.serveOn(p)
	p.Status = PaymentCanceled
	d.paymentEvent(PaymentCanceledEvent, p.ID)
	d.closeDebit(p)
	d.catchUpOn(p)
}

// serveOn serves the orders that a payment may pay, while it still counts as being on
// its way.
func (d *Draft) serveOn(p *Payment) {
	for _, key := range d.active(p.Company, d.scope(p)) {
		d.serve(key)
	}
}

// catchUpOn lets the statuses of a payment's orders follow after it is no longer on its
// way.
func (d *Draft) catchUpOn(p *Payment) {
	for _, key := range d.active(p.Company, d.scope(p)) {
		d.catchUp(key)
	}
}

// settleTransfer settles a transfer on its settlement date.
func (d *Draft) settleTransfer(t *Transfer) {
	t.Status, t.SettledAt, t.NextAt = TransferSettled, d.Env.Now, time.Time{}
	switch t.Kind {
	case TransferPayment:
		d.succeed(t, t.SettlesOn, func() {
			d.moneyEntry("ACH_SETTLED", t, t.SettlesOn, ledger.Cash, ledger.ACHDebitsInTransit)
		})
		d.holdFunds(t)
	case TransferRefund:
		d.refundArrived(t)
		d.moneyEntry("PAYMENT_REFUND_SETTLED", t, t.SettlesOn, ledger.RefundsInTransit, ledger.Cash)
	case TransferCredit:
		p := d.Payments.Edit(t.Payment)
		p.Status, p.SettledAt, p.EffectiveDate = PaymentSucceeded, d.Env.Now, t.SettlesOn
		d.paymentEvent(PaymentSucceededEvent, p.ID)
		d.moneyEntry("CREDIT_SETTLED", t, t.SettlesOn, ledger.RefundsInTransit, ledger.Cash)
	case TransferMicro:
		if t.Debit() {
			d.moneyEntry("MICRO_DEBIT_SETTLED", t, t.SettlesOn, ledger.Cash, ledger.ACHCost)
			return
		}
		d.moneyEntry("MICRO_DEPOSIT_SETTLED", t, t.SettlesOn, ledger.ACHCost, ledger.Cash)
	case TransferPrenote: // one day less: the first entry settles a banking day after it can be decided
		t.ReleaseOn = t.SettlesOn.AddBankingDays(prenoteDays - 1)
		t.NextAt = d.Env.Zone.Start(t.ReleaseOn)
	case TransferPayout, TransferClawback:
		d.moved(t, nil)
	}
}

// succeed applies the money of a debit that has arrived: ear-marked items first, what
// is left by the waterfall (F12). receipt books where the money stands.
func (d *Draft) succeed(t *Transfer, arrived calendar.Date, receipt func()) {
	p := d.Payments.Edit(t.Payment)
	d.serveOn(p)
	p.Status, p.SettledAt, p.EffectiveDate = PaymentSucceeded, d.Env.Now, d.effectiveOn(p, arrived)
	d.closeDebit(p)
	d.paymentEvent(PaymentSucceededEvent, p.ID)
	if t.Rail.Can().Ripen {
		d.startHold(p)
	}
	d.play(p.Company, d.scope(p), schedule.Event{
		Kind: schedule.EventPayment, ID: p.ID, Date: p.EffectiveDate, Seq: d.nextSeq(p.Company), Order: p.Order,
		Amount: p.Amount, Hold: p.HoldExcess, Scope: d.reach(p), Earmark: p.Items,
	}, receipt)
	if p.Order == "" {
		d.Companies.Edit(p.Company).JointReplay = true
	}
	d.settlePayment(p)
	d.noteRecallable(t, p)
}

// moneyEntry books a transfer's amount from one account to another.
func (d *Draft) moneyEntry(event string, t *Transfer, value calendar.Date, debit, credit ledger.Account) {
	d.amountEntry(event, t, value, t.Amount, debit, credit)
}

func (d *Draft) amountEntry(event string, t *Transfer, value calendar.Date, amount money.Amount, debit, credit ledger.Account) {
	dim := d.transferDims(t)
	d.Entry(event, t.ID, value, ledger.Posting{Account: debit, Amount: amount, Dimensions: dim},
		ledger.Posting{Account: credit, Amount: -amount, Dimensions: dim})
}
