package payments

import (
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// ServiceCredit sends a company's credit back when it is due (F36): the excess of a merchant's
// refund, credit that the company requested, and all credit after six months. Credit that
// cannot be sent records why and is checked again on a later day. It is idempotent. Result is
// the *Company.
type ServiceCredit struct {
	Company int64 `json:"company_id"`
}

func (ServiceCredit) Name() string { return "credit.service" }

// Keys requests what sending credit needs.
func (c ServiceCredit) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return creditKeys(s, c.Company)
}

func (c ServiceCredit) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitAccount(s, e, c.Company)
}

func (c ServiceCredit) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	if d.SharesCredit(c.Company) {
		lending.ServeAccount(d, c.Company)
	}
	var due []string
	for _, x := range d.Credits(c.Company) {
		switch {
		case x.NextAt.IsZero() || e.Now.Before(x.NextAt):
		case e.Now.Before(d.SendsAt(x)): // checked too early, or without a date
			x.NextAt, x.Waits = d.SendsAt(x), ""
			d.PutCredit(x)
		default:
			due = append(due, x.Source)
		}
	}
	if len(due) > 0 {
		sendDue(d, c.Company, due)
	}
	if len(d.Changes.Credits) == 0 && len(d.Changes.Orders) == 0 && len(d.Changes.Companies) == 0 {
		return credit.Changes{Result: s.Companies[c.Company]}, nil
	}
	return d.Done(d.Companies.Peek(c.Company), false), nil
}

// sendDue sends what is due of a company's credit, oldest first, or records why not.
func sendDue(d *credit.Draft, company int64, due []string) {
	if credit.MoneyMayLeave(d.Companies.Peek(company)) != nil {
		for _, x := range d.Credits(company) {
			if slices.Contains(due, x.Source) {
				lookAgain(d, x, credit.CreditUnderReview)
			}
		}
		return
	}
	for _, key := range lending.ActiveNow(d, company, d.State.Accounts[company]) {
		lending.Serve(d, key)
	}
	for _, x := range d.Credits(company) {
		if !slices.Contains(due, x.Source) {
			continue
		}
		if wait := creditWait(d, x, false); wait != "" {
			lookAgain(d, x, wait)
		} else if sendCredit(d, x, d.Sendable(x), "") == nil {
			lookAgain(d, x, credit.CreditNoAccount)
		} else {
			d.FinishRecallable() // the next one is checked with this one sent
		}
	}
}

// lookAgain records why a credit waits and when it is checked again: on the next banking day
// if its money is not good, else in a week. What a merchant holds is never ours to send.
func lookAgain(d *credit.Draft, x credit.Credit, wait credit.CreditWait) {
	day := d.Env.Today().AddDays(credit.CreditLook)
	if wait == credit.CreditUnripe {
		day = d.Env.Today().AddBankingDays(1)
		if p := d.Payments.Peek(x.Payment()); p != nil && returnable(d, x) {
			day = credit.ReturnableUntil(d.Transfers.Peek(p.Transfer), d.Methods.Peek(p.MethodID)).AddDays(1)
		}
		if withheld(d, x) {
			day = max(day, d.Companies.Peek(x.Company).Recallable(x.Payment()).Until.AddDays(1))
		}
	}
	x.Waits, x.NextAt = wait, d.Env.Zone.Start(day)
	if wait == credit.CreditHeldByMerchant {
		x.NextAt = time.Time{}
	}
	d.PutCredit(x)
}

// cameBack leaves credit that a payment OUT did not deliver to a person: the same account
// would reject it again.
func cameBack(d *credit.Draft, p *credit.Payment) {
	source := ""
	for _, e := range lending.Recorded(d, p.Company, []string{p.Order}) {
		if e.ID == p.ID {
			source = e.Payment
		}
	}
	for _, x := range d.Credits(p.Company) {
		if x.Source == source {
			x.Waits, x.NextAt = credit.CreditCameBack, time.Time{}
			d.PutCredit(x)
		}
	}
}

// AskForCredit records that a company requests its credit back: it is sent within seven
// banking days (F36). The request stands until no credit is left. Repeating it changes
// nothing, except for credit that came back, which is retried once. Result is the *Company.
type AskForCredit struct {
	Company int64    `json:"company_id"`
	IfMatch []string `json:"if_match"`
}

func (AskForCredit) Name() string { return "credit.ask" }

// Keys requests the company with its credit.
func (c AskForCredit) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Companies: []int64{c.Company}}
}

func (c AskForCredit) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitAccount(s, e, c.Company)
}

func (c AskForCredit) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Companies[c.Company]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Credit == 0 {
		return credit.Changes{}, credit.CreditExceeded.With("The company has no credit.", map[string]any{"sendable_amount": old.Credit})
	}
	d := credit.NewDraft(s, e)
	if old.Servicing.CreditAsked.IsZero() {
		d.Companies.Edit(c.Company).Servicing.CreditAsked = e.Now
	}
	d.CreditsAgain(c.Company, credit.CreditCameBack)
	for _, x := range d.Credits(c.Company) {
		if at := d.SendsAt(x); x.Waits == "" && at.Before(x.NextAt) {
			x.NextAt = at
			d.PutCredit(x)
		}
	}
	if len(d.Changes.Companies) == 0 && len(d.Changes.Credits) == 0 {
		return credit.Changes{Result: old}, nil
	}
	return d.Done(d.Companies.Peek(c.Company), false), nil
}
