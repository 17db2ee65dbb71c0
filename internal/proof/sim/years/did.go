package years

import (
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/staff"
	"tenor/internal/proof/sim"
)

// Did is the situation that a command of a kind was accepted.
func Did(c credit.Command) sim.Situation { return sim.Situation("did " + c.Name()) }

// Posted is the situation that an entry of an event was posted.
func Posted(event string) sim.Situation { return sim.Situation("posted " + event) }

// did counts what the command log shows of a life, and the ways in which it was done that the
// records show.
func (y *Years) did(b *sim.Books) {
	references := map[string]bool{}
	for _, a := range b.Audits {
		if a.Result != "ok" {
			y.Situations.Reached(sim.Situation("refused " + a.Command))
			continue
		}
		y.Situations.Reached(sim.Situation("did " + a.Command))
		y.how(b, a, references)
	}
	for _, o := range b.Orders {
		y.reach(o.CancelReason == "authorization_expired", sim.ExpiredByService)
		parent := b.Orders[o.Parent]
		y.reach(parent != nil && parent.Status == credit.OrderCanceled, sim.PartialThenCancel)
		y.reach(o.Servicing.ChargedOff != 0 && b.Loans[o.Key].Rows[0].Paid() > 0 && !o.External, sim.Recovered)
	}
	for _, p := range b.Payments {
		y.reach(sim.Counts(p) && p.Transfer == "" && p.EffectiveDate < y.zone.Date(p.CreatedAt), sim.BackDated)
		y.reach(sim.Counts(p) && p.HoldExcess && p.Unapplied > 0, sim.HeldExcess)
		y.reach(p.Status == credit.PaymentReturned && slices.ContainsFunc(p.Refunds, func(r credit.PaymentRefund) bool { return r.Status == credit.RefundSettled }), sim.ReturnAfterRefund)
	}
	for _, t := range b.Transfers {
		p := b.Payments[t.Payment]
		y.reach(t.Kind == credit.TransferPayment && t.Status == credit.TransferReturned && p.Reversed(), sim.ReversedAndReturned)
		y.reach(t.Kind == credit.TransferPrenote && t.ReturnCode != "", sim.PrenoteReturned)
		y.reach(t.Kind == credit.TransferClawback && t.Status == credit.TransferReturned, sim.ClawbackReturned)
	}
	for _, c := range b.Companies {
		y.reach(c.Status == credit.CompanyClosed && c.Outstanding > 0, sim.ClosedAndOwing)
	}
}

// how counts the variants of an accepted command.
func (y *Years) how(b *sim.Books, a store.Audit, references map[string]bool) {
	switch a.Command {
	case "order.update", "order.refund", "company.update":
	default:
		return
	}
	c, err := journal.DecodeCommand(a.Command, a.Payload)
	if err != nil {
		y.never("%w", err)
		return
	}
	switch c := c.(type) {
	case lending.UpdateOrder:
		o := b.Orders[c.Order]
		y.reach(c.Status == credit.OrderCaptured && c.Amount != nil, sim.CaptureChanged)
		y.reach(c.Status == credit.OrderCanceled && o.CancelReason == "merchant_canceled", sim.CanceledByShop)
		y.reach(c.Status == "" && c.Amount != nil, sim.AmountChanged)
	case lending.RefundOrder:
		at := fmt.Sprint(c.Order, " ", c.Reference)
		y.reach(c.Reference != "" && references[at], sim.RefundRepeated)
		references[at] = true
	case lending.UpdateCompany:
		y.reach(c.Status == credit.CompanySuspended, sim.SuspendedByHand)
	}
}

// untried lists commands that do not affect money and that TestYears leaves to other tests: API
// clients, reads, the key, and the lender's staff. Cases and notices are erased after more years
// than a life has.
func untried() []credit.Command {
	return []credit.Command{staff.Invite{}, staff.AddNote{}, staff.Enroll{}, staff.SignIn{}, staff.ChangeCredentials{}, staff.SetRoles{}, staff.Suspend{}, staff.EndApproval{}, staff.ServiceApproval{}, staff.SetPolicy{}, access.CreateClient{}, access.RollClient{}, access.RevokeClient{}, access.LimitClient{}, access.IssueToken{}, access.RevokeToken{}, compliance.RecordRead{}, compliance.Reseal{}, cases.ServiceCase{}, compliance.ForgetNotice{}}
}

// everyCommand lists the situations that each command that can move money was accepted.
func everyCommand() (list []sim.Situation) {
	for _, c := range journal.Commands() {
		if !slices.ContainsFunc(untried(), func(x credit.Command) bool { return x.Name() == c.Name() }) {
			list = append(list, Did(c))
		}
	}
	return list
}
