package onrails

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/proof/sim"
)

// RailRun drives a world through rails, payouts and the books. It has no model: the amount of a
// fee, a retry or a payout is not computed a second time here. Instead every answer must be
// well-formed, no invariant may be broken, and after each step the books must be consistent
// (Books.Check): entries, lines, money in transit, and every figure by a replay of its money
// events.
type RailRun struct {
	World    *sim.World
	Books    *sim.Books // after the last step
	Source   sim.Source
	Log      []sim.Logged
	Accepted map[string]int // by kind
	numbers  int
	Prepares bool // the last command generated is not of the kind asked for, but has to come before it
}

// NewRailRun sets up a world whose merchants have the usual settings, with days past due and
// their fees, and are paid.
func NewRailRun(db store.Backend, s sim.Source) (*RailRun, error) {
	w, err := sim.NewWorld(db, nil)
	if err != nil {
		return nil, err
	}
	r := &RailRun{World: w, Source: s, Accepted: map[string]int{}}
	return r, r.found()
}

func (r *RailRun) found() error {
	var shops []string
	for n, name := range []string{"Harbor Supply", "Quarry Tools"} {
		s, usual := sim.Settings(n), lending.DefaultSettings()
		s.LateFeeRate, s.SuspendDPD, s.NonaccrualDPD, s.ChargeOffDPD = usual.LateFeeRate, usual.SuspendDPD, usual.NonaccrualDPD, usual.ChargeOffDPD
		id, err := r.must(merchants.CreateMerchant{Title: name, Settings: s, Limits: credit.Limits{Due: credit.Unlimited}})
		if err != nil {
			return err
		}
		shops = append(shops, id)
	}
	for n := range 3 {
		limit := sim.Limits()[2]
		if _, err := r.must(lending.CreateCompany{
			Title: fmt.Sprint("Buyer ", n+1), Status: credit.CompanyApproved, Tier: "A", Limit: limit, Merchants: shops,
			BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
		}); err != nil {
			return err
		}
	}
	for _, id := range shops {
		if _, err := r.must(merchants.SetMerchantAccount{Merchant: id, Bank: r.account("merchant " + id), Debits: true}); err != nil {
			return err
		}
	}
	_, err := r.must(compliance.MoveFunding{Amount: money.MustParse("500000.00"), Reference: "first"})
	return err
}

// must sends a request that cannot be refused.
func (r *RailRun) must(c credit.Command) (string, error) {
	a, err := r.ask(sim.Request{Actor: sim.Operator(), Command: c})
	if err == nil && a.Code != "" {
		err = fmt.Errorf("%s: refused with %s: %s", c.Name(), a.Code, a.Body)
	}
	return a.ID, err
}

// ask has one request decided and checks the books afterwards.
func (r *RailRun) ask(q sim.Request) (sim.Answer, error) {
	at := r.World.Clock.Now()
	a := r.World.Do(q)
	r.Log = append(r.Log, sim.Logged{At: at, Requests: []sim.Request{q}, Answers: []sim.Answer{a}})
	if len(r.World.Alarms) > 0 {
		alarm := r.World.Alarms[0]
		return a, fmt.Errorf("%s: alarm %s: %w\n%s", sim.Describe(q), alarm.What, alarm.Err, sim.Inside(alarm.Stack))
	}
	if a.Err != nil {
		return a, fmt.Errorf("%s: %w", sim.Describe(q), a.Err)
	}
	books, err := sim.ReadBooks(r.World.DB)
	if err == nil {
		r.Books = books
		err = books.Check()
	}
	if err != nil {
		return a, fmt.Errorf("%s: %w", sim.Describe(q), err)
	}
	return a, nil
}

// Step generates a command of a kind and sends it. It does nothing if nothing exists for it to
// act on.
func (r *RailRun) Step(kind string) error {
	r.Prepares = false
	q, ok := r.Draw(kind)
	if !ok {
		return nil
	}
	a, err := r.ask(q)
	if err == nil && a.Code == "" && !r.Prepares {
		r.Accepted[kind]++
	}
	return err
}

// Drive takes the given number of steps: mostly commands, sometimes time passes.
func (r *RailRun) Drive(steps int) error {
	kinds := railWeighted()
	for n := range steps {
		var err error
		if r.Source.Intn(6) == 0 {
			err = r.advance()
		} else {
			err = r.Step(sim.Pick(r.Source, kinds))
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
	}
	return nil
}

// Complete continues until every kind of command has been accepted at least once. Missing kinds
// are generated more often, with what they act on.
func (r *RailRun) Complete(limit int) error {
	for n := 0; len(r.never()) > 0; n++ {
		if n == limit {
			return fmt.Errorf("after %d rounds never accepted: %q", n, r.never())
		}
		if err := r.heal(); err != nil {
			return err
		}
		for _, kind := range append([]string{"order", "capture", "add bank", "add card", "debit", "debit card", sim.Pick(r.Source, railKinds())}, r.never()...) {
			if err := r.Step(kind); err != nil {
				return err
			}
		}
		if err := r.advance(); err != nil {
			return err
		}
	}
	return nil
}

// heal lets companies buy again after a line has been cut or used up, and merchants be paid.
func (r *RailRun) heal() error {
	for _, id := range r.Companies() {
		x := r.Books.Companies[id]
		c := lending.UpdateCompany{Company: id, Status: credit.CompanyApproved}
		if used := x.Reserved + x.Outstanding + x.OnHold; x.Limit-used < sim.Limits()[2]/2 {
			limit := used + sim.Limits()[2]
			c.Limit = &limit
		}
		if x.Servicing.NeedsVerified {
			if _, err := r.ask(sim.Request{Actor: sim.Operator(), Command: payments.AddPaymentMethod{ // on the word of staff
				Company: id, Type: credit.ACH, Bank: r.account(r.Number("account")),
				Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: r.World.Clock.Now(), Reference: "terms 1"},
			}}); err != nil {
				return err
			}
		}
		if x.Status != credit.CompanyApproved || c.Limit != nil {
			if _, err := r.ask(sim.Request{Actor: sim.Operator(), Command: c}); err != nil {
				return err
			}
		}
	}
	for _, m := range r.Books.Merchants {
		if m.Account.HeldReason != "" || !m.Account.Debits {
			_, err := r.ask(sim.Request{Actor: sim.Operator(), Command: merchants.SetMerchantAccount{Merchant: m.ID, Bank: r.account("another " + m.ID), Debits: true}})
			if _, err2 := r.ask(sim.Request{Actor: sim.Operator(), Command: merchants.HoldPayouts{Merchant: m.ID}}); err != nil || err2 != nil {
				return errors.Join(err, err2)
			}
		}
	}
	return nil
}

func (r *RailRun) never() []string {
	return slices.DeleteFunc(railKinds(), func(kind string) bool { return r.Accepted[kind] > 0 })
}

// advance moves the clock to the next scheduled event or by some time, and mostly has due work
// done. Sometimes the scheduler sleeps: the books must not depend on it.
func (r *RailRun) advance() error {
	now := r.World.Clock.Now()
	next := now.Add(time.Duration(sim.Between(r.Source, 1, 30)) * time.Hour)
	if sim.Chance(r.Source, 25) {
		next = now.Add(time.Duration(sim.Between(r.Source, 2, 12)) * 24 * time.Hour)
	}
	r.World.Clock.Set(next)
	if sim.Chance(r.Source, 15) {
		return nil
	}
	for range 4 { // work done may make more work due
		due := r.Books.Due(r.World)
		if len(due) == 0 {
			return nil
		}
		for _, c := range due {
			a, err := r.ask(sim.Request{Actor: credit.Actor{Client: "system", Operator: true}, Command: c})
			if err != nil {
				return err
			}
			if a.Code == "" {
				r.Accepted[kindOfService(c)]++
			}
		}
	}
	return nil
}

func kindOfService(c credit.Command) string {
	switch c.(type) {
	case lending.ServiceOrder:
		return "service order"
	case payments.ServiceCredit:
		return "service credit"
	case lending.FreeHeld:
		return "free held"
	}
	return "service transfer"
}

// Repeat sends this world the requests of another and expects the same answers.
func (r *RailRun) Repeat(log []sim.Logged) error {
	other := sim.Run{World: r.World}
	return other.Repeat(log)
}
