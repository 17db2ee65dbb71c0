// Package invariant checks the changes of a command against the state that they are about to
// change. It decides nothing: whatever it finds is a bug. docs/rules/invariants.md lists the
// invariants; the engine calls Check before every apply.
//
// check.go is the checker and the lines of companies. Each other file covers one area: money
// (loans, payments, invoices), order, rail and servicing, payout, tied (uses of credit),
// receipt, record, access, event, kept (what never changes), lender. asked.go is what no
// command of a merchant may do.
package invariant

import (
	"cmp"
	"fmt"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Violation is a broken invariant: a bug, never an answer to a caller. Invariant is its name
// in docs/rules/invariants.md.
type Violation struct {
	Invariant string
	Detail    string
}

func (v *Violation) Error() string { return "invariant " + v.Invariant + ": " + v.Detail }

func violated(invariant, format string, args ...any) error {
	return &Violation{invariant, fmt.Sprintf(format, args...)}
}

// Check verifies the changes against the state that they are about to change. It runs before
// every apply, in production too. An error is a *Violation, and then nothing of the command
// may be written.
func Check(c credit.Changes, s *credit.State) error {
	k := newChecker(s, c)
	for _, check := range []func() error{k.entries, k.loans, k.orders, k.payments, k.invoices, k.companies, k.events, k.clients, k.tokens, k.endpoints, k.resends, k.payouts, k.lines, k.transfers, k.rails, k.debits, k.lender, k.receipts, k.records, k.kept} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checker holds the changes and their effect on the state.
type checker struct {
	s         *credit.State
	c         credit.Changes
	orderAt   map[string]*credit.Order // of the changes
	loanAt    map[string]*schedule.Loan
	companyAt map[int64]*credit.Company
	byOrder   map[orderAccount]money.Amount   // Σ of the changes' postings
	byCompany map[companyAccount]money.Amount // likewise
	moved     map[string]paidRows             // by source; see movedBy
}

type orderAccount struct {
	account ledger.Account
	order   string
}

type companyAccount struct {
	account ledger.Account
	company int64
}

func newChecker(s *credit.State, c credit.Changes) *checker {
	k := &checker{
		s: s, c: c, orderAt: map[string]*credit.Order{}, loanAt: map[string]*schedule.Loan{}, companyAt: map[int64]*credit.Company{},
		byOrder: map[orderAccount]money.Amount{}, byCompany: map[companyAccount]money.Amount{},
	}
	for _, o := range c.Orders {
		k.orderAt[o.Key] = o
	}
	for _, l := range c.Loans {
		k.loanAt[l.Key] = l
	}
	for _, x := range c.Companies {
		k.companyAt[x.ID] = x
	}
	for _, e := range c.Entries {
		for _, p := range e.Postings {
			if e.Event == credit.EntryAllowanceRaised && p.Account == ledger.Allowance {
				continue // it does not move the principal itself
			}
			o, x := orderAccount{p.Account, p.Order}, companyAccount{p.Account, p.Company}
			k.byOrder[o] = k.byOrder[o].Add(p.Amount)
			k.byCompany[x] = k.byCompany[x].Add(p.Amount)
		}
	}
	return k
}

// order returns an order after the command, nil if it is not loaded.
func (k *checker) order(key string) *credit.Order {
	if o, ok := k.orderAt[key]; ok {
		return o
	}
	return k.s.Orders[key]
}

func (k *checker) loan(key string) *schedule.Loan {
	if l, ok := k.loanAt[key]; ok {
		return l
	}
	return k.s.Loans[key]
}

func (k *checker) company(id int64) *credit.Company {
	if x, ok := k.companyAt[id]; ok {
		return x
	}
	return k.s.Companies[id]
}

// posted sums what the command posts on accounts of an order.
func (k *checker) posted(order string, accounts ...ledger.Account) money.Amount {
	sum := money.Amount(0)
	for _, a := range accounts {
		sum = sum.Add(k.byOrder[orderAccount{a, order}])
	}
	return sum
}

// entries checks the rules for single entries and lines.
func (k *checker) entries() error {
	for _, e := range k.c.Entries {
		switch err := e.Check(); {
		case err != nil:
			return violated("LG1", "%v", err)
		case e.Currency != money.USD:
			return violated("MN4", "entry %s is in %s", e.ID, e.Currency)
		case e.BookDate != k.c.Entries[0].BookDate:
			return violated("LG7", "entries of one commit are booked on %s and %s", k.c.Entries[0].BookDate, e.BookDate)
		case k.closed(e.BookDate):
			return violated("LG7", "entry %s is booked on %s, in a closed month", e.ID, e.BookDate)
		case e.Cause == "" || e.Event == "":
			return violated("LG5", "entry %s has no cause", e.ID)
		}
		order := ""
		for _, p := range e.Postings {
			if err := k.posting(e, p); err != nil {
				return err
			}
			if p.Order != "" && order != "" && p.Order != order {
				return violated("AU1", "entry %s has postings for orders %s and %s", e.ID, order, p.Order)
			}
			order = cmp.Or(order, p.Order)
		}
	}
	return nil
}

// posting requires that a line has the owners of its order, and that nothing is debited from a
// buyer whose payments the merchant manages.
func (k *checker) posting(e ledger.Entry, p ledger.Posting) error {
	if p.Order == "" {
		return nil
	}
	o := k.order(p.Order)
	if o == nil && k.lineOf(p) {
		return nil
	}
	if o == nil || o.Company != p.Company || o.Merchant != p.Merchant {
		return violated("AU1", "entry %s posts to order %s for the wrong company %d or merchant %s", e.ID, p.Order, p.Company, p.Merchant)
	}
	switch p.Account {
	case ledger.ACHDebitsInTransit, ledger.CardReceivable, ledger.PaymentsPending, ledger.LateFeeIncome, ledger.ReturnedFeeIncome:
		if o.External {
			return violated("SC8", "entry %s posts to account %d for the externally managed order %s", e.ID, p.Account, o.Key)
		}
	}
	return nil
}

// lineOf reports whether a posting on a merchant account is that of a payout line: a payout
// names orders that it does not load.
func (k *checker) lineOf(p ledger.Posting) bool {
	same := func(l *credit.PayoutLine) bool {
		return l.Order == p.Order && l.Company == p.Company && l.Merchant == p.Merchant
	}
	for _, l := range k.c.Lines {
		if was := k.s.Lines[l.ID]; was != nil && same(was) {
			return true
		}
	}
	for _, t := range k.c.Transfers {
		if slices.ContainsFunc(k.s.Ended[t.ID], func(id string) bool { return same(k.s.Lines[id]) }) {
			return true
		}
	}
	return false
}

// companies compares the sums of companies with the postings and their orders.
func (k *checker) companies() error {
	for _, x := range k.c.Companies {
		old := k.s.Companies[x.ID]
		if old == nil {
			old = &credit.Company{}
		}
		reserved := k.byCompany[companyAccount{ledger.Reserved, x.ID}]
		principal := money.Sum(k.byCompany[companyAccount{ledger.LoanPrincipal, x.ID}],
			k.byCompany[companyAccount{ledger.UnfundedExternal, x.ID}], k.byCompany[companyAccount{ledger.Allowance, x.ID}],
			k.byCompany[companyAccount{ledger.OtherReceivable, x.ID}])
		unapplied := -k.byCompany[companyAccount{ledger.BorrowerCredit, x.ID}]
		switch {
		case x.Reserved.Sub(old.Reserved) != reserved || x.Reserved < 0:
			return violated("CL3", "company %d: reserved goes from %s to %s, postings add up to %s", x.ID, old.Reserved, x.Reserved, reserved)
		case x.Outstanding.Sub(old.Outstanding) != principal || x.Outstanding < 0:
			return violated("CL3", "company %d: outstanding goes from %s to %s, postings add up to %s", x.ID, old.Outstanding, x.Outstanding, principal)
		case x.Credit.Sub(old.Credit) != unapplied || x.Credit < 0:
			return violated("PA6", "company %d: credit goes from %s to %s, postings add up to %s", x.ID, old.Credit, x.Credit, unapplied)
		case x.Credit != k.credits(x.ID):
			return violated("PA6", "company %d: credit is %s, its open credits add up to %s", x.ID, x.Credit, k.credits(x.ID))
		case old.Status == credit.CompanyClosed && x.Status != credit.CompanyClosed:
			return violated("CL1", "company %d was reopened after it was closed", x.ID)
		}
	}
	return nil
}

// credits sums a company's open credits after the command.
func (k *checker) credits(company int64) money.Amount {
	left := map[string]money.Amount{}
	sum := money.Amount(0)
	for _, c := range k.s.Credits[company] {
		left[c.Source] = c.Amount
		sum = sum.Add(c.Amount)
	}
	for _, c := range k.c.Credits {
		if c.Company == company {
			sum = sum.Add(c.Amount).Sub(left[c.Source])
			left[c.Source] = c.Amount
		}
	}
	return sum
}
