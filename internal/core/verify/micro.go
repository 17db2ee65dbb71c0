package verify

import (
	"maps"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// microDeposits collects the deposits sent to each account to prove ownership, and the
// debit that takes them back (F22).
type microDeposits map[string]*microSums

type microSums struct {
	deposits, debits int
	given, taken     money.Amount
}

func (m microDeposits) add(t *credit.Transfer) {
	if t.Kind != credit.TransferMicro {
		return
	}
	if m[t.Method] == nil {
		m[t.Method] = &microSums{}
	}
	x := m[t.Method]
	if t.Debit() {
		x.debits, x.taken = x.debits+1, x.taken.Add(t.Amount)
		return
	}
	x.deposits, x.given = x.deposits+1, x.given.Add(t.Amount)
}

// check checks that each account has two deposits, and one debit of their sum.
func (m microDeposits) check(r *run) {
	for _, id := range slices.Sorted(maps.Keys(m)) {
		if x := m[id]; x.deposits != 2 || x.debits != 1 || x.given != x.taken {
			r.broken("AU1", "payment method "+id, "has %d micro-deposits of %s, but %d debits of %s that recover them", x.deposits, x.given, x.debits, x.taken)
		}
	}
}
