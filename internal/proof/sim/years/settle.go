package years

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// Settle ends all faults and lets all callers get an answer. Then nobody sends anything new, and
// days pass until nothing is in flight: all that is due has been done, everything sent has an
// outcome, and the books agree to the cent with the bank and the processor (PO5, PO6).
func (y *Years) Settle() error {
	y.healed = true
	y.Faulty.Heal()
	if err := y.answerAll(); err != nil {
		return err
	}
	y.resting = true
	for day := 0; ; day++ {
		if day%7 == 0 {
			if err := y.people.tidy(); err != nil {
				return err
			}
		}
		if err := y.day(); err != nil {
			return err
		}
		why, err := y.unquiet()
		if err != nil {
			return err
		}
		if why == "" {
			break
		}
		if day == 400 {
			return fmt.Errorf("not quiet after %d days: %s", day, why)
		}
	}
	return y.demand()
}

// answerAll lets all callers retry until they have their answers.
func (y *Years) answerAll() error {
	y.mend()
	for range 20 {
		for _, n := range y.nodes {
			n.step() // it may only be waiting for a commit that was unknown
		}
		list := y.people.waiting
		if y.people.waiting = nil; len(list) == 0 {
			return y.wrong
		}
		if err := y.people.send(list); err != nil {
			return err
		}
	}
	return fmt.Errorf("after all has healed %d have no answer: %s", len(y.people.waiting), sim.Describe(y.people.waiting[0].request))
}

// tidy is what the staff do so that nothing waits for a person: no autopay, so that no new debit
// begins; companies approved, merchants' accounts fixed.
func (p *cast) tidy() error {
	if err := p.see(); err != nil {
		return err
	}
	for _, x := range p.draw.Books.Screenings {
		if x.Status == credit.ScreeningCleared {
			continue
		}
		if _, err := p.must(compliance.DecideScreening{Screening: x.ID, Reason: "somebody else"}); err != nil {
			return err
		}
	}
	if err := p.see(); err != nil {
		return err
	}
	for _, id := range p.draw.Companies() {
		if err := p.tidyCompany(p.draw.Books.Companies[id]); err != nil {
			return err
		}
	}
	for _, m := range p.draw.Books.Merchants {
		if m.Account.HeldReason == "" {
			continue
		}
		_, err := p.must(merchants.SetMerchantAccount{Merchant: m.ID, Bank: p.account(payments.PaidAccount(m.ID), "merchant", p.number()), Debits: true})
		_, err2 := p.must(merchants.HoldPayouts{Merchant: m.ID})
		if err := errors.Join(err, err2); err != nil {
			return err
		}
	}
	return nil
}

func (p *cast) tidyCompany(c *credit.Company) (err error) {
	off := false
	if c.Servicing.Autopay.Enabled {
		_, err = p.must(payments.SetAutopay{Company: c.ID, Enabled: &off})
	}
	if err == nil && c.Servicing.Frozen != "" {
		_, err = p.must(compliance.UnfreezeCompany{Company: c.ID, Reason: "looked into"})
	}
	if err == nil && c.Servicing.NeedsVerified && c.Status != credit.CompanyClosed {
		_, err = p.must(p.card(c.ID))
	}
	if err == nil && c.Status != credit.CompanyApproved && c.Status != credit.CompanyClosed {
		_, err = p.must(lending.UpdateCompany{Company: c.ID, Status: credit.CompanyApproved})
	}
	return err
}

// unquiet describes what is still in flight, "" if nothing is.
func (y *Years) unquiet() (why string, err error) {
	db, ctx := y.Faulty.Backend, context.Background()
	if !y.bank.quiet() {
		return fmt.Sprintf("the bank has %d returns to come, %d files and %d news", len(y.bank.coming), len(y.bank.outbox), len(y.bank.news)), nil
	}
	for _, state := range []store.FileState{store.FileBuilt, store.FileSent} {
		if files, err := store.Files(ctx, db, state, 10); err != nil || len(files) > 0 {
			return fmt.Sprintf("%d files are %s", len(files), state), err
		}
	}
	notices, err := store.OpenNotices(ctx, db, 10)
	unfiled, err2 := store.Unfiled(ctx, db, 10)
	if err := errors.Join(err, err2); err != nil || len(notices)+len(unfiled) > 0 {
		return fmt.Sprintf("%d notices are open, %d transfers in no file", len(notices), len(unfiled)), err
	}
	err = db.View(ctx, func(v store.View) error {
		return store.EachOf(v, store.TransferNoun, func(t *credit.Transfer) error {
			if t.Status == credit.TransferQueued || t.Status == credit.TransferSent {
				why = fmt.Sprintf("transfer %+v; the processor has %+v", *t, y.bank.charges[t.ID])
				return store.Each(v, &store.BankNotices, func(n store.BankNotice) error {
					if n.Transfer == t.ID {
						why += fmt.Sprintf("\nnotice %s %s at %s: %s", n.ID, n.Kind, n.At, n.Result)
					}
					return nil
				})
			}
			return nil
		})
	})
	if why == "" && err == nil {
		why, err = y.post.backlog(db)
	}
	if why == "" && err == nil && !y.bankIsQuiet() {
		why = "the bank has something to say on a later day"
	}
	return why, err
}

// bankIsQuiet reports whether the simulated bank and processor have, as far as they know, nothing
// more to send: an entry or a charge of the last days may be returned by its number.
func (y *Years) bankIsQuiet() bool {
	for _, c := range y.bank.charges {
		if c.approved && !c.settled || !c.until.IsZero() {
			return false
		}
	}
	today := y.zone.Date(y.Clock.Now())
	for _, x := range y.bank.moved {
		if !x.rejected && !x.returned && x.account[0] == '2' && x.settles.AddDays(66) > today {
			return false
		}
		if !x.rejected && !x.returned && x.settles.AddDays(9) > today {
			return false
		}
	}
	return true
}

// demand checks everything that must be true once nothing is in flight.
func (y *Years) demand() error {
	y.post.until(y.Clock.Now().Add(2 * senderPoll))
	if y.wrong != nil {
		return y.wrong
	}
	books, err := sim.ReadBooks(y.Faulty.Backend)
	if err != nil {
		return err
	}
	status, err := y.nodes[0].work.Status(context.Background())
	if err != nil || status.Lag != 0 {
		return fmt.Errorf("something is overdue by %s: %w", status.Lag, err)
	}
	report, err := y.nodes[0].work.RunDue(context.Background())
	if err != nil || !report.Idle() {
		return fmt.Errorf("not idle: %+v %w", report, err)
	}
	y.lived(books)
	y.did(books)
	return errors.Join(books.Check(), y.delivered(books), y.cash(books), y.transit(books), attempts(books), y.replayAll(books), y.statements(books), y.reconciled(books), y.stopped(books), y.aged(books), y.verified())
}

// verified: tenor verify finds no violation.
func (y *Years) verified() error {
	report, err := verify.Run(context.Background(), y.Faulty.Backend, verify.Options{
		Scratch: sqlite.Temporary, Zone: y.zone, Wire: resource.APIVersion, Open: sim.Opened,
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err == nil && !report.Clean() {
		err = fmt.Errorf("verify finds %v", report.Violations)
	}
	return err
}

// lived counts what the books show of a life: each kind of entry and event, and unusual days.
func (y *Years) lived(b *sim.Books) {
	for _, e := range b.Entries {
		y.Situations.Reached(Posted(e.Event))
	}
	for _, e := range b.Events {
		y.Situations.Reached(sim.Situation("told " + string(e.Type)))
	}
	for _, o := range b.Orders {
		y.reach(o.Captured > 0 && onrails.DayOfMonth(o.CaptureDate) == 31, sim.CaptureOn31st)
		y.reach(o.Servicing.Nonaccrual, sim.Nonaccrual)
	}
	for _, l := range b.Loans {
		for _, r := range l.Rows {
			_, month, day := r.DueDate.Civil()
			y.reach(month == time.February && day == 29, sim.DueOnLeapDay)
		}
	}
	for _, p := range b.Payments {
		y.reach(p.Attempt == 2 && p.Method == credit.ACH && p.Status == credit.PaymentSucceeded, sim.RetryPaid)
		y.reach(p.Attempt == 3, sim.SecondRetry)
		y.reach(p.Autopay && p.Status == credit.PaymentCanceled && p.Attempt > 1, sim.RetryDropped)
	}
	for _, m := range b.Methods {
		y.reach(m.Status == credit.MethodDisabled && m.DisabledReason != credit.DisabledRemoved, sim.MethodDisabledByReturn)
	}
	for _, e := range b.Money {
		y.reach(e.Kind == schedule.EventCreditUse && len(e.Posted) > 0, sim.CreditUsed)
	}
	for _, n := range b.Batches {
		y.reach(n.LastQ > n.FirstQ, sim.SeveralInABatch)
	}
}

// replayAll requests every answer once more: it must be the one given before.
func (y *Years) replayAll(books *sim.Books) error {
	for _, q := range y.people.calls {
		k := sim.KeyOf(q)
		first, acknowledged := y.people.final[k]
		stored, decided := books.Answers[k]
		if !acknowledged && y.people.barred[k] {
			continue
		}
		if acknowledged != decided || acknowledged && (stored.Q != first.Q || string(stored.Body) != string(first.Body)) {
			return fmt.Errorf("%s was answered %d %s at %d, stored is %d %s at %d", sim.Describe(q), first.Status, first.Body, first.Q, stored.Status, stored.Body, stored.Q)
		}
	}
	return nil
}
