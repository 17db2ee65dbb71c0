package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Position is the balance between the lender and one merchant, in cents: running sums of the
// ledger over all companies and orders, so that the decision on one company's command can
// depend on them without reading all of them (F41.6, F41.12).
//
// A batch reads the position at load time and adds its own entries, so with a single writer it
// is exact. Companies are the unit of locking, and no lock spans them: with several writers on
// one database, it lacks what other writers' batches post between this batch's load and its
// commit. Each writer keeps within what it has seen, so n writers together may exceed a limit
// by at most n−1 times the room that was left, once; every later batch sees it.
type Position struct {
	Merchant string
	// Principal is the unpaid principal of its orders (1100), plus what was charged off and
	// not recovered.
	Principal money.Amount
	Clawback  money.Amount // owed by it for refunds after payout (1200)
	Collected money.Amount // held by it of what buyers paid (1210)
	Payable   money.Amount // owed to it and not sent (2000)
}

// Due is what the merchant owes the lender: 1200 and 1210 together (F41.6).
func (p Position) Due() money.Amount { return p.Clawback.Add(p.Collected) }

// Exposure is what the lender stands to lose on the merchant (F41.12).
func (p Position) Exposure() money.Amount { return p.Principal.Add(p.Due()) }

// zero reports whether an entry left the position unchanged.
func (p Position) zero() bool { return p == Position{Merchant: p.Merchant} }

// Plus adds two positions of a merchant.
func (p Position) Plus(x Position) Position {
	return Position{p.Merchant, p.Principal.Add(x.Principal), p.Clawback.Add(x.Clawback), p.Collected.Add(x.Collected), p.Payable.Add(x.Payable)}
}

// Moved lists what an entry adds to merchants' positions, in order of its postings. A merchant
// may appear more than once.
func Moved(e ledger.Entry) []Position {
	var out []Position
	for _, p := range e.Postings {
		x := Position{Merchant: p.Merchant}
		switch {
		case p.Merchant == "":
		case p.Account == ledger.LoanPrincipal, p.Account == ledger.Allowance && p.Order != "" && e.Event != EntryAllowanceRaised:
			x.Principal = p.Amount
		case p.Account == ledger.ClawbackReceivable:
			x.Clawback = p.Amount
		case p.Account == ledger.DueFromMerchant:
			x.Collected = p.Amount
		case p.Account == ledger.MerchantPayable:
			x.Payable = -p.Amount
		}
		if !x.zero() {
			out = append(out, x)
		}
	}
	return out
}

// Position is a merchant's loaded position. A merchant without postings has none stored; it is
// zero.
func (s *State) Position(merchant string) Position {
	if p := s.Positions[merchant]; p != nil {
		return *p
	}
	return Position{Merchant: merchant}
}

// applyPositions adds entries to the loaded positions. A merchant just created has a known
// position: zero.
func (s *State) applyPositions(c Changes) {
	for _, m := range c.Merchants {
		if _, ok := s.Positions[m.ID]; !ok && m.Version == 1 {
			s.Positions[m.ID] = nil
		}
	}
	for _, e := range c.Entries {
		for _, x := range Moved(e) {
			if _, ok := s.Positions[x.Merchant]; ok {
				next := s.Position(x.Merchant).Plus(x)
				s.Positions[x.Merchant] = &next
			}
		}
	}
}

// Position is a merchant's position including what the command has posted so far.
// Keys.Positions must have named the merchant.
func (d *Draft) Position(merchant string) Position {
	sum := d.State.Position(merchant)
	for _, e := range d.Changes.Entries {
		for _, x := range Moved(e) {
			if x.Merchant == merchant {
				sum = sum.Plus(x)
			}
		}
	}
	return sum
}
