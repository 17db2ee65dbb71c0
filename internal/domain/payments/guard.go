package payments

import (
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// Guards say which permission of the lender's staff each command takes; see credit.Guarded.

// Guard implements credit.Guarded.
func (c RecordPayment) Guard(s *credit.State) credit.Guard {
	switch {
	case c.Order != "":
		return lending.GuardOrder(s, c.Order, permit.Service, c.Amount)
	case c.Company != 0:
		return lending.GuardCompany(s, c.Company, permit.Service, c.Amount)
	}
	return credit.Guard{Permission: permit.Service, Amount: c.Amount, Of: credit.ObjectRef{Type: "invoice", ID: c.Invoice}}
}

// Guard implements credit.Guarded. What was refunded before counts, as for an order.
func (c RefundPayment) Guard(s *credit.State) credit.Guard {
	amount := whole(s, c.Payment)
	if c.Amount != nil && amount != 0 {
		amount = s.Payments[c.Payment].Refunded.Add(*c.Amount)
	}
	return guardPayment(s, c.Payment, permit.Refund, amount)
}

// whole is the amount of a payment.
func whole(s *credit.State, id string) money.Amount {
	if p := s.Payments[id]; p != nil {
		return p.Amount
	}
	return 0
}

// Guard implements credit.Guarded.
func (c ReversePayment) Guard(s *credit.State) credit.Guard {
	return guardPayment(s, c.Payment, permit.Refund, whole(s, c.Payment))
}

// Guard implements credit.Guarded.
func (c ReturnPayment) Guard(s *credit.State) credit.Guard {
	return guardPayment(s, c.Payment, permit.Refund, whole(s, c.Payment))
}

// Guard implements credit.Guarded.
func (c CancelPayment) Guard(s *credit.State) credit.Guard {
	return guardPayment(s, c.Payment, permit.Service, 0)
}

// Guard implements credit.Guarded. Who says that an account is good decides where money goes.
func (c VouchForMethod) Guard(s *credit.State) credit.Guard {
	g := credit.Guard{Permission: permit.Service, Second: credit.Always, Of: credit.ObjectRef{Type: "payment_method", ID: c.Method}}
	if x := s.Methods[c.Method]; x != nil {
		g.Basis = string(x.Status)
	}
	return g
}

// Guard implements credit.Guarded. An account for which the lender vouches needs no proof of its
// own: two people say so.
func (c AddPaymentMethod) Guard(s *credit.State) credit.Guard {
	g := lending.GuardCompany(s, c.Company, permit.Service, 0)
	if g.Basis = ""; c.Reason != "" && c.Bank != nil {
		g.Second = credit.Always
	}
	return g
}

// Guard implements credit.Guarded.
func (c RecordReceipt) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Service, Amount: c.Amount}
}

// Guard implements credit.Guarded.
func (c IdentifyReceipt) Guard(s *credit.State) credit.Guard {
	return guardReceipt(s, c.Receipt, permit.MatchBank)
}

// Guard implements credit.Guarded.
func (c ReturnReceipt) Guard(s *credit.State) credit.Guard {
	return guardReceipt(s, c.Receipt, permit.Refund)
}

func guardReceipt(s *credit.State, id string, p permit.Permission) credit.Guard {
	g := credit.Guard{Permission: p, Of: credit.ObjectRef{Type: "receipt", ID: id}}
	if x := s.Receipts[id]; x != nil {
		g.Amount, g.Basis = x.Amount, string(x.Status)
	}
	return g
}

// Guard implements credit.Guarded: where the money goes.
func (c PayRefund) Guard(s *credit.State) credit.Guard {
	return guardPayment(s, c.Payment, permit.Refund, whole(s, c.Payment))
}

// Guard implements credit.Guarded.
func (c SendCredit) Guard(s *credit.State) credit.Guard {
	g := lending.GuardCompany(s, c.Company, permit.Refund, 0)
	for _, x := range s.Credits[c.Company] {
		g.Amount = g.Amount.Add(x.Amount)
	}
	if c.Amount != nil {
		g.Amount = *c.Amount
	}
	g.Basis = ""
	return g
}

// guardPayment is a guard on a payment, which rests on its version.
func guardPayment(s *credit.State, id string, p permit.Permission, amount money.Amount) credit.Guard {
	g := credit.Guard{Permission: p, Amount: amount, Of: credit.ObjectRef{Type: "payment", ID: id}}
	if x := s.Payments[id]; x != nil {
		g.Basis = "version " + strconv.Itoa(x.Version)
	}
	return g
}
