package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Position is what stands between the lender and one merchant, in cents: running sums of
// the ledger over all companies and orders, so that what one company's command may do can
// depend on them without reading all of them (F41.6, F41.12).
//
// A batch reads it as it stood when the batch was loaded and goes on with its own entries,
// so on one writer it is exact. Companies are the unit of locking, and no lock spans them:
// with several writers on one database, what the other writers' batches post between this
// batch's load and its commit is not in it. Each of them keeps within what it has seen, so
// n writers together may pass a limit by at most n−1 times the room that was left, once;
// every later batch sees it.
type Position struct {
	Merchant string
	// Principal is the unpaid principal of its orders (1100), with what was charged off and
	// not recovered.
	Principal money.Amount
	Clawback  money.Amount // what it owes of refunds after payout (1200)
	Collected money.Amount // what it holds of what buyers have paid (1210)
	Payable   money.Amount // what it is owed and has not been sent (2000)
}

// Due is what the merchant owes the lender: 1200 and 1210 together (F41.6).
func (p Position) Due() money.Amount { return p.Clawback.Add(p.Collected) }

// Exposure is what the lender stands to lose by the merchant (F41.12).
func (p Position) Exposure() money.Amount { return p.Principal.Add(p.Due()) }

// zero reports whether an entry has moved nothing of the position.
func (p Position) zero() bool { return p == Position{Merchant: p.Merchant} }

// Plus is the sum of two positions of a merchant.
func (p Position) Plus(x Position) Position {
	return Position{p.Merchant, p.Principal.Add(x.Principal), p.Clawback.Add(x.Clawback), p.Collected.Add(x.Collected), p.Payable.Add(x.Payable)}
}

// Moved lists what an entry adds to the positions of merchants, in order of its postings. A
// merchant may stand in the list more than once.
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

// Position is a merchant's position as loaded; one that nothing was ever posted for has none
// stored, and all of it is zero.
func (s *State) Position(merchant string) Position {
	if p := s.Positions[merchant]; p != nil {
		return *p
	}
	return Position{Merchant: merchant}
}

// applyPositions adds entries to the positions that are loaded. That of a merchant that was
// just made is known: nothing.
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

// Position is a merchant's position with what the command has posted so far. Keys.Positions
// must have named the merchant.
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
