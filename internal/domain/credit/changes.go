package credit

import (
	"cmp"
	"maps"
	"slices"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// Changes is everything that one command changes. Records are complete new versions that
// replace the stored ones; the other members are appended and never change.
type Changes struct {
	Merchants  []*Merchant
	Programs   []Program // append-only versions
	Companies  []*Company
	Orders     []*Order
	Loans      []*schedule.Loan // with their installments; the company is the order's
	Payments   []*Payment
	Invoices   []*Invoice
	Credits    []Credit // upserted by Source; Amount 0 closes a credit
	Money      []MoneyEvent
	Entries    []ledger.Entry
	Events     []Event
	Claims     map[Claim]string // owner, "" releases the name
	Moved      []Claim          // those of Claims that pass from one owner to another
	Clients    []*Client
	Tokens     []*Token
	Endpoints  []*Endpoint
	Resends    []Resend
	Methods    []*PaymentMethod
	Transfers  []*Transfer
	Payouts    []*Payout
	Lines      []*PayoutLine
	Notices    []*Notice
	Periods    []*Period // append-only
	Lenders    []*Lender // at most one
	Screenings []*Screening
	Receipts   []*Receipt
	Records    []Record
	Secrets    []Secret // stored outside the records; they are in no log
	Erased     []string // secrets to delete

	// Result is the resource that the command answers with: *Order, *Payment, *Company,
	// *Merchant, Program, *Client, *Token, *Endpoint, Resend, *PaymentMethod, *Transfer,
	// *Payout, *Notice, *Period, *Lender, *Screening, *Receipt, a Record. It is set even if
	// nothing changed.
	Result any
	// Created reports whether this command created Result.
	Created bool
	// Alone reports that a staff member did alone what takes two people where approvals are
	// required. The audit log says so.
	Alone bool
}

// Empty reports whether the command changed nothing.
func (c Changes) Empty() bool {
	n := len(c.Programs) + len(c.Loans) + len(c.Credits) + len(c.Money) + len(c.Entries) + len(c.Events) + len(c.Claims) + len(c.Resends) +
		len(c.Secrets) + len(c.Erased)
	for _, k := range kinds {
		n += k.count(&c)
	}
	return n == 0
}

// Apply applies the changes to the state, so that the next command of the batch is decided on
// them.
func (s *State) Apply(c Changes) {
	for _, k := range kinds {
		k.apply(s, &c)
	}
	for _, p := range c.Programs {
		m := *s.Merchants[p.Merchant]
		m.Programs = append(m.Programs[:len(m.Programs):len(m.Programs)], p)
		s.Merchants[m.ID] = &m
	}
	for _, x := range c.Companies {
		if _, ok := s.Credits[x.ID]; !ok {
			s.Credits[x.ID] = nil
		}
	}
	for _, l := range c.Loans {
		fresh := s.Loans[l.Key] == nil
		if s.Loans[l.Key] = l; fresh {
			s.joinAccount(l.Key)
		}
	}
	for _, k := range c.Credits {
		s.applyCredit(k)
	}
	for _, e := range c.Money {
		s.applyMoney(e)
	}
	for _, x := range c.Lines {
		s.applyLine(x)
	}
	s.applyPositions(c)
	maps.Copy(s.Claims, c.Claims)
}

// applyLine puts the newest version of a payout line into the loaded lists. A line that has
// ended is no longer waiting.
func (s *State) applyLine(x *PayoutLine) {
	if ids, ok := s.OrderLines[x.Of()]; ok {
		s.OrderLines[x.Of()] = s.withLine(ids, x)
	}
	if ids, ok := s.Waiting[x.Merchant]; ok {
		ids = s.withLine(ids, x)
		s.Waiting[x.Merchant] = slices.DeleteFunc(ids, func(id string) bool { return s.Lines[id].Payout != "" })
	}
	if ids, ok := s.Ended[x.Payout]; ok {
		s.Ended[x.Payout] = s.withLine(ids, x)
	}
}

// Of is the line's key in State.OrderLines.
func (l *PayoutLine) Of() string {
	if l.Order == "" {
		return AccountKey(l.Company)
	}
	return l.Order
}

// withLine returns a list of lines with one added, in load order.
func (s *State) withLine(ids []string, x *PayoutLine) []string {
	if slices.Contains(ids, x.ID) {
		return slices.Clone(ids)
	}
	ids = append(slices.Clone(ids), x.ID)
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Lines[a].Due, s.Lines[b].Due), cmp.Compare(a, b))
	})
	return ids
}

// joinAccount adds a newly captured order to its company's loaded account, in load order: a
// decision must not depend on which commands share a batch. Captures of one batch have the
// same instant.
func (s *State) joinAccount(key string) {
	company := s.Orders[key].Company
	keys, ok := s.Accounts[company]
	if !ok {
		return
	}
	keys = append(keys[:len(keys):len(keys)], key)
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Loans[a].CapturedAt, s.Loans[b].CapturedAt), cmp.Compare(a, b))
	})
	s.Accounts[company] = keys
	s.History[key] = nil
}

func (s *State) applyCredit(k Credit) {
	old := s.Credits[k.Company]
	next := make([]Credit, 0, len(old)+1)
	found := false
	for _, c := range old {
		if c.Source == k.Source {
			found, c = true, k
		}
		if c.Amount != 0 {
			next = append(next, c)
		}
	}
	if !found && k.Amount != 0 {
		next = append(next, k)
	}
	s.Credits[k.Company] = next
}

// applyMoney adds an event to every loaded history that it touches, and replaces it wherever
// it already appears. A replay may have moved the event to other orders; a history that it
// left still lists it, in its current version, as the database does. Only a company with tied
// orders has such events, and then its account is loaded.
func (s *State) applyMoney(e MoneyEvent) {
	for _, key := range e.Touches {
		if list, ok := s.History[key]; ok {
			s.History[key] = withMoney(list, e)
		}
	}
	for _, key := range append([]string{AccountKey(e.Company)}, s.Accounts[e.Company]...) {
		list := s.History[key]
		if !slices.Contains(e.Touches, key) && slices.ContainsFunc(list, func(old MoneyEvent) bool { return old.ID == e.ID }) {
			s.History[key] = withMoney(list, e)
		}
	}
}

// withMoney returns a history with an event added or replaced.
func withMoney(list []MoneyEvent, e MoneyEvent) []MoneyEvent {
	next := make([]MoneyEvent, 0, len(list)+1)
	found := false
	for _, old := range list {
		if old.ID == e.ID {
			found, old = true, e
		}
		next = append(next, old)
	}
	if !found {
		next = append(next, e)
	}
	return next
}
