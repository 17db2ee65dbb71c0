package payments

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// ServiceTransfer does what time alone brings about on a transfer: it is sent at its cut-off,
// settled on its settlement date, and its money becomes good (F22, F24). It does everything
// that is due, in order, and is idempotent.
type ServiceTransfer struct {
	Transfer string `json:"transfer"`
}

func (ServiceTransfer) Name() string { return "transfer.service" }

// WritesOwners implements credit.OwnersWriter.
func (ServiceTransfer) WritesOwners(credit.Env) bool { return true }

// Keys requests the transfer and everything that its outcome affects. An order's past payments
// are left out if the outcome only adds to them: otherwise each of many small debits of one
// order would read all the previous ones.
func (c ServiceTransfer) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := transferKeys(s, c.Transfer)
	if t := s.Transfers[c.Transfer]; t != nil && goesOn(s, e, t) {
		k.History, k.Lines = nil, nil
	}
	return k
}

// goesOn reports whether a debit that a person requested for one order is sent today, or
// settles today as the order's latest event: neither needs the past.
func goesOn(s *credit.State, e credit.Env, t *credit.Transfer) bool {
	p, o, x := s.Payments[t.Payment], (*credit.Order)(nil), s.Companies[t.Company]
	if p != nil {
		o = s.Orders[p.Order]
	}
	if t.Kind != credit.TransferPayment || !t.Rail.Can().File || p == nil || p.Order == "" || p.Autopay || p.Original != "" || x == nil || x.JointReplay || o == nil || s.Loans[p.Order] == nil {
		return false
	}
	if o.Servicing.ServedTo < e.Today().AddDays(-1) {
		return false // a day may have to be served that the stored figures have passed
	}
	d := credit.NewDraft(s, e)
	switch t.Status {
	case credit.TransferQueued:
		return t.SendOn == e.Today() && !dropped(d, t)
	case credit.TransferSent:
		on := lending.EffectiveOn(d, p, t.SettlesOn)
		return on >= e.Today() && !lending.Replays(s, t.Company, []string{p.Order}, schedule.Event{Kind: schedule.EventPayment, Date: on, Order: p.Order})
	}
	return false
}

// transferKeys requests a transfer, then its owner and its payment, then the orders that the
// payment affects, and finally their histories: a debit's outcome counts for an earlier day
// than the one on which it is known.
func transferKeys(s *credit.State, id string) credit.Keys {
	k := credit.Keys{Transfers: []string{id}}
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
		if merchant := blamed(s.Methods[t.Method]); merchant != "" {
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
	k.Methods = append(k.Methods, lending.AutopayMethod(s, t.Company)...)
	owed := credit.Keys{}
	if p.Order == "" || x.JointReplay {
		owed = credit.AccountKeys(s, t.Company)
	}
	if p.Order != "" {
		o := lending.OrderKeys(s, p.Order)
		owed.Orders, owed.Merchants = o.Orders, append(owed.Merchants, o.Merchants...)
		if x := s.Orders[p.Order]; x != nil {
			owed.History, owed.Invoices = append(owed.History, p.Order), append(owed.Invoices, x.Invoice)
			owed.Lines = append(owed.Lines, p.Order) // what is reposted may come off what the merchant holds
		}
	}
	owed.Merchants = append(owed.Merchants, k.Merchants...)
	if p.Merchant != "" {
		owed.Merchants = append(owed.Merchants, p.Merchant) // requested it (F41.8)
	}
	owed.Transfers, owed.Companies, owed.Methods, owed.Payments = k.Transfers, k.Companies, k.Methods, k.Payments
	return owed
}

func (c ServiceTransfer) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c ServiceTransfer) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	for {
		t := d.Transfers.Peek(c.Transfer)
		if t.NextAt.IsZero() || e.Now.Before(t.NextAt) {
			break
		}
		switch t = d.Transfers.Edit(c.Transfer); {
		case t.ReleaseOn != calendar.None:
			lending.ReleaseTransfer(d, t)
		case t.Status == credit.TransferQueued:
			sendTransfer(d, t)
		default:
			settleTransfer(d, t)
		}
	}
	if len(d.Changes.Transfers) == 0 {
		return credit.Changes{Result: s.Transfers[c.Transfer]}, nil
	}
	return d.Done(d.Transfers.Peek(c.Transfer), false), nil
}

// sendTransfer commits that a transfer is sent: its file is built from what has been sent, and
// a card's processor is called afterwards.
func sendTransfer(d *credit.Draft, t *credit.Transfer) {
	today := d.Env.Today()
	if t.Rail.Can().File && t.SendOn < today {
		postpone(d, t)
		if d.Env.Now.Before(t.NextAt) && !tooLateToRetry(d, t) {
			return
		}
	}
	if t.SameDay() && d.Env.Now.After(credit.CutOff(d.Env.Zone, today).Add(sameDayWindow)) {
		lending.Dated(d, t, today, today.AddBankingDays(1)) // its file is too late for the day's last window
		if t.Kind == credit.TransferPayment || t.Kind == credit.TransferCredit {
			rescheduled(d, t)
		}
	}
	if t.Kind == credit.TransferPayment {
		p := d.Payments.Peek(t.Payment)
		switch {
		case dropped(d, t):
			switch lending.CancelDebit(d, t, d.Payments.Edit(p.ID)); {
			case p.Autopay && p.Original == "":
				lending.Recollect(d, p.Order)
			case p.Autopay:
				lending.CollectRest(d, p.Order)
			}
			return
		case tooLateToRetry(d, t):
			lending.CancelDebit(d, t, d.Payments.Edit(p.ID))
			stopItems(d, p)
			return
		}
	} else if mustWait(d, t) {
		waitForReview(d, t)
		return
	} else if (t.Kind == credit.TransferMicro || t.Kind == credit.TransferPrenote) && d.Methods.Peek(t.Method).Status == credit.MethodDisabled {
		t.Status, t.NextAt = credit.TransferCanceled, time.Time{} // nobody needs to prove the account any more
		return
	}
	if tooLateToReverse(d, t) {
		refundInstead(d, t)
		return
	}
	t.Status, t.SentAt, t.NextAt = credit.TransferSent, d.Env.Now, t.SettlesAt(d.Env.Zone)
	switch t.Kind {
	case credit.TransferPayment, credit.TransferCredit:
		p := d.Payments.Edit(t.Payment)
		if p.SubmittedAt = d.Env.Now; p.Status == credit.PaymentScheduled {
			p.Status = credit.PaymentPending
			d.PaymentEvent(credit.PaymentCreatedEvent, p.ID)
		}
		if in := t.Rail.Can().InTransit; t.Kind == credit.TransferPayment && in != 0 {
			moneyEntry(d, "PAYMENT_INITIATED", t, today, in, ledger.PaymentsPending)
		}
	case credit.TransferPayout, credit.TransferClawback:
		moveLine(d, t, nil)
	}
	if t.Rail.Can().Answer {
		t.NextAt = time.Time{} // the processor's answer is next
	}
}

// postpone moves a transfer that missed its file to the next one (F22, F23).
func postpone(d *credit.Draft, t *credit.Transfer) {
	sendOn, today := lending.NextFile(d.Env), d.Env.Today()
	if today.IsBankingDay() && sendOn > today {
		sendOn = today // today's file is being built
	}
	lending.Dated(d, t, sendOn, max(t.SettlesOn, sendOn.AddBankingDays(1)))
	if t.Kind == credit.TransferPayment || t.Kind == credit.TransferCredit {
		rescheduled(d, t)
	}
}

// rescheduled copies a waiting transfer's new day to its payment, and to the open debit (F10,
// F12).
func rescheduled(d *credit.Draft, t *credit.Transfer) {
	p := d.Payments.Edit(t.Payment)
	if p.ScheduledDate = t.SettlesOn; t.Kind == credit.TransferPayment {
		lending.CloseDebit(d, p)
		lending.OpenDebit(d, p)
	}
}

// underReview reports whether the money of a transfer's company may not move (F23, F26).
func underReview(d *credit.Draft, t *credit.Transfer) bool {
	return credit.MoneyMayMove(d.Companies.Peek(t.Company)) != nil
}

// mustWait reports whether money to a company or a merchant waits for a person (F23, F29,
// F32).
func mustWait(d *credit.Draft, t *credit.Transfer) bool {
	switch {
	case t.Merchant != "":
		a := &d.Merchants.Peek(t.Merchant).Account
		return t.Kind == credit.TransferPayout && (a.Screened.Review != "" || a.HeldReason != "")
	case t.Kind == credit.TransferPrenote:
		return false // no money
	}
	return credit.MoneyMayLeave(d.Companies.Peek(t.Company)) != nil
}

// waitForReview moves money to a company or a merchant to the next file, repeatedly, until a
// person has looked into it (F23).
func waitForReview(d *credit.Draft, t *credit.Transfer) {
	sendOn := d.Env.Today().AddBankingDays(1)
	lending.Dated(d, t, sendOn, sendOn.AddBankingDays(1))
	if t.Kind == credit.TransferCredit {
		d.Payments.Edit(t.Payment).ScheduledDate = t.SettlesOn
	}
}

// tooLateToRetry reports whether a retry has missed its files for so long that it would settle
// too long after its original: its items are left to a person, as after the last retry (F23).
func tooLateToRetry(d *credit.Draft, t *credit.Transfer) bool {
	if t.Kind != credit.TransferPayment || !t.Rail.Can().Return {
		return false
	}
	p := d.Payments.Peek(t.Payment)
	return p.Original != "" && d.Original(p).ScheduledDate.DaysUntil(t.SettlesOn) > ReinitiationDays
}

// dropped reports whether a debit must no longer be sent: its account may not be debited any
// more, or no money of the company may move; the company has gone bankrupt since it was
// requested; a merchant requested a charge and cards are stopped; autopay has been stopped in
// the meantime; or its items have been paid another way, even in part (F23).
func dropped(d *credit.Draft, t *credit.Transfer) bool {
	p := d.Payments.Peek(t.Payment)
	if m := d.Methods.Peek(t.Method); m == nil || !m.Usable() || underReview(d, t) {
		return true
	}
	if !p.Autopay {
		c := d.Companies.Peek(t.Company)
		return lending.Stays(c, p) || t.Rail.Can().Tried && p.Merchant != "" && c.Servicing.Cards.Paused != ""
	}
	lending.Serve(d, p.Order)
	o, l := d.Standing(p.Order)
	if m := lending.AutopayOf(d, o); m == nil {
		return true
	}
	return credit.UnpaidOf(l, p.Items) < p.Amount
}

// settleTransfer settles a transfer on its settlement date.
func settleTransfer(d *credit.Draft, t *credit.Transfer) {
	t.Status, t.SettledAt, t.NextAt = credit.TransferSettled, d.Env.Now, time.Time{}
	switch t.Kind {
	case credit.TransferPayment:
		succeed(d, t, t.SettlesOn, func() {
			moneyEntry(d, "ACH_SETTLED", t, t.SettlesOn, ledger.Cash, ledger.ACHDebitsInTransit)
		})
		lending.HoldFunds(d, t)
	case credit.TransferRefund:
		refundArrived(d, t)
		moneyEntry(d, "PAYMENT_REFUND_SETTLED", t, t.SettlesOn, ledger.RefundsInTransit, ledger.Cash)
	case credit.TransferCredit:
		p := d.Payments.Edit(t.Payment)
		p.Status, p.SettledAt, p.EffectiveDate = credit.PaymentSucceeded, d.Env.Now, t.SettlesOn
		d.PaymentEvent(credit.PaymentSucceededEvent, p.ID)
		moneyEntry(d, "CREDIT_SETTLED", t, t.SettlesOn, ledger.RefundsInTransit, ledger.Cash)
	case credit.TransferMicro:
		if t.Debit() {
			moneyEntry(d, "MICRO_DEBIT_SETTLED", t, t.SettlesOn, ledger.Cash, ledger.ACHCost)
			return
		}
		moneyEntry(d, "MICRO_DEPOSIT_SETTLED", t, t.SettlesOn, ledger.ACHCost, ledger.Cash)
	case credit.TransferPrenote: // one day less: the first entry settles a banking day after it can be decided
		t.ReleaseOn = t.SettlesOn.AddBankingDays(prenoteDays - 1)
		t.NextAt = d.Env.Zone.Start(t.ReleaseOn)
	case credit.TransferPayout, credit.TransferClawback:
		moveLine(d, t, nil)
	}
}

// succeed applies the money of a debit that has arrived: earmarked items first, the rest by
// the waterfall (F12). receipt books where the money is.
func succeed(d *credit.Draft, t *credit.Transfer, arrived calendar.Date, receipt func()) {
	p := d.Payments.Edit(t.Payment)
	lending.ServeOn(d, p)
	p.Status, p.SettledAt, p.EffectiveDate = credit.PaymentSucceeded, d.Env.Now, lending.EffectiveOn(d, p, arrived)
	lending.CloseDebit(d, p)
	d.PaymentEvent(credit.PaymentSucceededEvent, p.ID)
	if t.Rail.Can().Ripen {
		lending.StartHold(d, p)
	}
	lending.Play(d, p.Company, lending.ScopeOf(d, p), schedule.Event{
		Kind: schedule.EventPayment, ID: p.ID, Date: p.EffectiveDate, Seq: lending.NextSeq(d, p.Company), Order: p.Order,
		Amount: p.Amount, Hold: p.HoldExcess, Scope: lending.Reach(d, p), Earmark: p.Items,
	}, receipt)
	if p.Order == "" {
		d.Companies.Edit(p.Company).JointReplay = true
	}
	lending.SettlePayment(d, p)
	lending.NoteRecallable(d, t, p)
}

// moneyEntry books a transfer's amount from one account to another.
func moneyEntry(d *credit.Draft, event string, t *credit.Transfer, value calendar.Date, debit, credit ledger.Account) {
	amountEntry(d, event, t, value, t.Amount, debit, credit)
}

func amountEntry(d *credit.Draft, event string, t *credit.Transfer, value calendar.Date, amount money.Amount, debit, credit ledger.Account) {
	dim := transferDims(d, t)
	d.Entry(event, t.ID, value, ledger.Posting{Account: debit, Amount: amount, Dimensions: dim},
		ledger.Posting{Account: credit, Amount: -amount, Dimensions: dim})
}
