package lending

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// Guards say which permission of the lender's staff each command takes; see credit.Guarded.

// Guard implements credit.Guarded. What the order was refunded before counts: several small
// refunds are one large one.
func (c RefundOrder) Guard(s *credit.State) credit.Guard {
	amount := money.Amount(0)
	if o := s.Orders[c.Order]; o != nil {
		if amount = o.Amount; c.Amount != nil {
			amount = o.Refunded.Add(*c.Amount)
		}
	}
	return GuardOrder(s, c.Order, permit.Refund, amount)
}

// Guard implements credit.Guarded.
func (c UpdateOrder) Guard(s *credit.State) credit.Guard {
	p := permit.CaptureOrders
	if c.Status == credit.OrderCanceled {
		p = permit.CancelOrders
	}
	return GuardOrder(s, c.Order, p, 0)
}

// Guard implements credit.Guarded.
func (c CapturePart) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.CaptureOrders, c.Amount)
}

// Guard implements credit.Guarded.
func (c ExtendOrder) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.CancelOrders, 0)
}

// Guard implements credit.Guarded.
func (c WaiveFee) Guard(s *credit.State) credit.Guard {
	amount := money.Amount(0)
	if l := s.Loans[c.Order]; l != nil {
		for _, f := range l.Fees {
			if f.ID == c.Fee || c.Fee == "" {
				amount = amount.Add(f.Unpaid())
			}
		}
	}
	return GuardOrder(s, c.Order, permit.Service, amount)
}

// Guard implements credit.Guarded.
func (c HoldOrder) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.Service, 0)
}

// Guard implements credit.Guarded.
func (c ResumeCollection) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.Service, 0)
}

// Guard implements credit.Guarded.
func (c ReviseSchedule) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.Service, 0)
}

// Guard implements credit.Guarded.
func (c ChargeOffOrder) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.ChargeOff, 0)
}

// Guard implements credit.Guarded.
func (c ReverseChargeOff) Guard(s *credit.State) credit.Guard {
	return GuardOrder(s, c.Order, permit.ChargeOff, 0)
}

// Guard implements credit.Guarded. A higher line counts with its whole limit, and so do its end
// and another tier, which is its price; a hold is no change of terms.
func (c UpdateCompany) Guard(s *credit.State) credit.Guard {
	x := s.Companies[c.Company]
	if x == nil {
		return credit.Guard{Permission: permit.DecideCredit}
	}
	hold := c.Status == credit.CompanyOnHold || c.Status == credit.CompanyApproved && x.Status == credit.CompanyOnHold
	if hold && c.Limit == nil && c.Tier == "" {
		return GuardCompany(s, c.Company, permit.HoldCompanies, 0)
	}
	amount := money.Amount(0)
	if c.Status != "" || c.Tier != "" && c.Tier != x.Tier {
		amount = x.Limit
	}
	if c.Limit != nil && *c.Limit > x.Limit {
		amount = *c.Limit
	}
	return GuardCompany(s, c.Company, permit.DecideCredit, amount)
}

// Guard implements credit.Guarded.
func (c CreateCompany) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.DecideCredit, Amount: c.Limit}
}

// Guard implements credit.Guarded.
func (c ReportCompany) Guard(s *credit.State) credit.Guard {
	return GuardCompany(s, c.Company, permit.HoldCompanies, 0)
}

// Guard implements credit.Guarded.
func (c WithdrawReport) Guard(s *credit.State) credit.Guard {
	return GuardCompany(s, c.Company, permit.HoldCompanies, 0)
}
