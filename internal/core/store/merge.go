package store

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
)

// Rows is what one batch writes. The commands of a batch are merged first, so that each row
// is written once: the last version wins, and its Q is that of the last command that
// changed it.
type Rows struct {
	Head      Head // after the batch
	Batch     BatchRow
	Nouns     []Changed // in order of Nouns
	Programs  []ProgrammeRow
	Loans     []LoanRow
	Closed    []CreditRow // closed at least once; deleted before Credits
	Credits   []CreditRow // open at the end; Q and N apply to new ones
	Money     []MoneyRow  // Q and N apply to new ones
	Touches   []TouchRow
	Entries   []EntryHead
	Postings  []PostingRow
	Balances  []BalanceRow  // deltas to add
	DayTotals []DayTotalRow // the same
	DueTotals []DueTotalRow // the same
	Positions []PositionRow // also deltas
	Events    []EventRow
	Released  []ClaimRow // released at least once; deleted before Claims
	Claims    []ClaimRow // held at the end
	Audits    []AuditRow
	Answers   []AnswerRow
	Readers   []ReaderRow
	Objects   []ObjectRow
	Resends   []ResendRow
	Vault     []VaultRow
	Erased    []VaultRow // erased from the vault
}

// Merge returns the rows of a batch that follows head. Order finds an order that the batch
// does not write but that its loans and payments name.
func Merge(b Batch, head Head, order func(key string) (*credit.Order, error)) (*Rows, error) {
	if err := check(b, head); err != nil {
		return nil, err
	}
	m := newMerger(b, head)
	for i := range b.Decided {
		m.q = m.rows.Batch.FirstQ + int64(i)
		m.add(&b.Decided[i])
	}
	return m.finish(order)
}

func check(b Batch, head Head) error {
	switch {
	case len(b.Decided) == 0:
		return errors.New("store: batch has no commands")
	case b.Epoch != head.Epoch:
		return fmt.Errorf("%w: %d instead of %d", ErrFenced, head.Epoch, b.Epoch)
	case b.At.Before(head.At):
		return fmt.Errorf("%w: at %s, this one is at %s", ErrBehind, head.At, b.At)
	case b.BusinessDate < head.BusinessDate:
		return fmt.Errorf("%w: with business date %s, this one has %s", ErrBehind, head.BusinessDate, b.BusinessDate)
	}
	for _, d := range b.Decided {
		if len(d.Events) != len(d.Changes.Events) {
			return fmt.Errorf("%w: %d payloads for %d events of %s", ErrRefused, len(d.Events), len(d.Changes.Events), d.Audit.Command)
		}
	}
	return nil
}

// latest keeps the last row per key, in order of first appearance.
type latest[K comparable, T any] struct {
	at   map[K]int
	rows []T
}

// find returns the row under a key and whether it already existed.
func (l *latest[K, T]) find(k K) (row *T, found bool) {
	i, found := l.at[k]
	if !found {
		if l.at == nil {
			l.at = map[K]int{}
		}
		i = len(l.rows)
		l.at[k] = i
		var none T
		l.rows = append(l.rows, none)
	}
	return &l.rows[i], found
}

func (l *latest[K, T]) put(k K, row T) {
	at, _ := l.find(k)
	*at = row
}

// drop removes the row under a key.
func (l *latest[K, T]) drop(k K) {
	i, found := l.at[k]
	if !found {
		return
	}
	delete(l.at, k)
	l.rows = slices.Delete(l.rows, i, i+1)
	for other, at := range l.at {
		if at > i {
			l.at[other] = at - 1
		}
	}
}

type creditKey struct {
	company int64
	source  string
}

type touchKey struct{ order, event string }

type merger struct {
	rows      Rows
	q         int64 // commit of the command being added
	loans     latest[string, LoanRow]
	closed    latest[creditKey, CreditRow]
	credits   latest[creditKey, CreditRow]
	money     latest[string, MoneyRow]
	touches   latest[touchKey, TouchRow]
	balances  latest[ledger.BalanceKey, BalanceRow]
	totals    latest[DayTotalKey, DayTotalRow]
	dues      latest[DueTotalKey, DueTotalRow]
	positions latest[string, PositionRow]
	released  latest[credit.Claim, ClaimRow]
	claims    latest[credit.Claim, ClaimRow]
}

func newMerger(b Batch, head Head) *merger {
	m := &merger{}
	for _, n := range Nouns {
		m.rows.Nouns = append(m.rows.Nouns, n.changed())
	}
	last := head.Q + int64(len(b.Decided))
	m.rows.Head = Head{Q: last, At: b.At, BusinessDate: b.BusinessDate, Epoch: head.Epoch}
	m.rows.Head.Hash = sha256.Sum256(slices.Concat(head.Hash[:], b.Digest[:]))
	m.rows.Batch = BatchRow{
		ID: b.ID, Node: b.Node, FirstQ: head.Q + 1, LastQ: last,
		At: b.At, BusinessDate: b.BusinessDate, Rules: b.Rules, Wire: b.Wire, Digest: b.Digest, Hash: m.rows.Head.Hash,
	}
	return m
}

func (m *merger) add(d *Decided) {
	c := &d.Changes
	for _, n := range m.rows.Nouns {
		n.add(c, m.q)
	}
	for _, x := range c.Programs {
		m.rows.Programs = append(m.rows.Programs, ProgrammeRow{x, m.q})
	}
	for _, x := range c.Loans {
		m.loans.put(x.Key, LoanRow{Loan: x, Q: m.q})
	}
	for n, x := range c.Credits {
		m.credit(n, x)
	}
	for n, x := range c.Money {
		m.moneyEvent(n, x)
	}
	for _, x := range c.Resends {
		m.rows.Resends = append(m.rows.Resends, ResendRow{x, m.q})
	}
	m.secrets(c)
	m.entries(d)
	m.due(d)
	m.events(d)
	m.claim(c.Claims, c.Moved)
	m.rows.Audits = append(m.rows.Audits, AuditRow{d.Audit, m.q})
	if d.Key != nil {
		a := AnswerRow{*d.Key, d.Answer, d.Audit.Company}
		a.Answer.Q = m.q
		m.rows.Answers = append(m.rows.Answers, a)
	}
}

// secrets adds a command's personal data.
func (m *merger) secrets(c *credit.Changes) {
	for _, x := range c.Secrets {
		m.rows.Vault = append(m.rows.Vault, VaultRow{x.ID, x.Sealed})
	}
	for _, id := range c.Erased {
		m.rows.Erased = append(m.rows.Erased, VaultRow{ID: id})
	}
}

func (m *merger) credit(n int, x credit.Credit) {
	key := creditKey{x.Company, x.Source}
	if x.Amount == 0 {
		m.credits.drop(key)
		m.closed.put(key, CreditRow{Credit: x})
		return
	}
	row, found := m.credits.find(key)
	if !found {
		row.Q, row.N = m.q, n
	}
	row.Credit = x
}

func (m *merger) moneyEvent(n int, x credit.MoneyEvent) {
	row, found := m.money.find(x.ID)
	if !found {
		row.Q, row.N = m.q, n
	}
	row.MoneyEvent = x
	for _, order := range x.Touches {
		m.touches.put(touchKey{order, x.ID}, TouchRow{order, x.ID, x.Company})
	}
}

func (m *merger) entries(d *Decided) {
	for n, e := range d.Changes.Entries {
		head := EntryHead{Entry: e, Q: m.q, N: n, Company: d.Audit.Company, At: d.Audit.At}
		head.Postings = nil
		m.rows.Entries = append(m.rows.Entries, head)
		for line, p := range e.Postings {
			m.rows.Postings = append(m.rows.Postings, PostingRow{Posting: p, Q: m.q, N: n, Line: line})
			key := ledger.BalanceKey{Account: p.Account, Dimensions: BalanceDimensions(p), Currency: e.Currency}
			row, _ := m.balances.find(key)
			row.BalanceKey = key
			row.Amount = row.Amount.Add(p.Amount)
		}
		DayTotalsOf(e, func(x DayTotalRow) {
			row, _ := m.totals.find(x.DayTotalKey)
			*row = x.Plus(*row)
		})
		for _, x := range credit.Moved(e) {
			row, found := m.positions.find(x.Merchant)
			if found {
				x = row.Plus(x)
			}
			row.Position = &x
		}
	}
}

// due adds a command's changes to the totals of due dates.
func (m *merger) due(d *Decided) {
	for _, x := range d.Dues {
		x.Date = m.rows.Batch.BusinessDate
		row, _ := m.dues.find(x.DueTotalKey)
		*row = x.Plus(*row)
	}
}

func (m *merger) events(d *Decided) {
	readers, objects := len(m.rows.Readers), len(m.rows.Objects)
	for n, e := range d.Changes.Events {
		by := slices.Clip(e.ReadBy())
		if len(by) == 0 {
			by = nil
		}
		m.rows.Events = append(m.rows.Events, EventRow{
			ID: e.ID, Type: e.Type, Object: e.Object, Sequence: e.Sequence, Q: m.q, N: n,
			Company: e.Company, Merchant: e.Merchant, Readers: by, At: d.Audit.At, Payload: d.Events[n],
		})
		for _, merchant := range by {
			if row := (ReaderRow{merchant, m.q}); !slices.Contains(m.rows.Readers[readers:], row) {
				m.rows.Readers = append(m.rows.Readers, row)
			}
		}
		if row := (ObjectRow{e.Object, m.q}); !d.Audit.names(e.Object) && !slices.Contains(m.rows.Objects[objects:], row) {
			m.rows.Objects = append(m.rows.Objects, row)
		}
	}
}

// names reports whether the audit log finds a commit by an object of its events.
func (a *Audit) names(object credit.ObjectRef) bool {
	return object.ID == a.Object || object.Type == companyObject && a.Company != 0 && object.ID == CompanyKey(a.Company)
}

// companyObject is the type of events about companies.
const companyObject = "company"

// CompanyOf is the company that an object of events is, 0 if it is none.
func CompanyOf(object credit.ObjectRef) int64 {
	if object.Type != companyObject {
		return 0
	}
	return CompanyID(object.ID)
}

// Logged returns the rows of the audit log with what each command told others, and the
// answers by key: those that are sealed, whole, and those that are in the log.
func (r *Rows) Logged() (logged []LoggedRow, sealed, keys []AnswerRow) {
	logged = make([]LoggedRow, len(r.Audits))
	answers := make(map[int64]*Answer, len(r.Answers))
	for i := range r.Answers {
		a := &r.Answers[i]
		if a.Sealed {
			sealed = append(sealed, *a)
			continue
		}
		keys = append(keys, *a)
		answers[a.Q] = &a.Answer
	}
	events := r.Events
	var p packer
	for i, a := range r.Audits {
		var t Told
		n := 0
		for n < len(events) && events[n].Q == a.Q {
			n++
		}
		t.Events, events = events[:n], events[n:]
		t.Answer = answers[a.Q]
		logged[i] = LoggedRow{a, p.pack(t)}
	}
	return logged, sealed, keys
}

// claim takes and releases names. A name that moves is released before it is taken again.
func (m *merger) claim(changes map[credit.Claim]string, moved []credit.Claim) {
	for claim, owner := range changes {
		if owner == "" {
			m.claims.drop(claim)
			m.released.put(claim, ClaimRow{Claim: claim})
			continue
		}
		m.claims.put(claim, ClaimRow{claim, owner, m.q})
	}
	for _, claim := range moved {
		m.released.put(claim, ClaimRow{Claim: claim})
	}
}

// finish fills in the fields that loans and payments copy from their orders.
func (m *merger) finish(order func(string) (*credit.Order, error)) (*Rows, error) {
	orders := OrderNoun.written(&m.rows)
	find := func(key string) (*credit.Order, error) {
		if i, ok := orders.at[key]; ok {
			return orders.rows[i].Order, nil
		}
		return order(key)
	}
	for i := range m.loans.rows {
		l := &m.loans.rows[i]
		o, err := find(l.Key)
		if err != nil {
			return nil, fmt.Errorf("merge loan %s: %w", l.Key, err)
		}
		l.Company, l.Merchant = o.Company, o.Merchant
	}
	payments := PaymentNoun.In(&m.rows)
	for i := range payments {
		p := &payments[i]
		if p.Order == "" {
			continue
		}
		o, err := find(p.Order)
		if err != nil {
			return nil, fmt.Errorf("merge payment %s: %w", p.ID, err)
		}
		p.OrderMerchant = o.Merchant
	}
	m.changed()
	r := &m.rows
	r.Loans, r.Closed, r.Credits = m.loans.rows, m.closed.rows, m.credits.rows
	r.Money, r.Touches, r.Balances, r.Positions = m.money.rows, m.touches.rows, m.balances.rows, m.positions.rows
	r.DayTotals, r.DueTotals = m.totals.rows, slices.DeleteFunc(m.dues.rows, DueTotalRow.Empty)
	r.Released, r.Claims = sortClaims(m.released.rows), sortClaims(m.claims.rows)
	return r, nil
}

// changed adds the objects that the audit log needs to find replaced versions: those that a
// command changed besides its own. Records that are new have no past, but a row does no harm.
func (m *merger) changed() {
	var seen map[ObjectRow]bool
	for i, n := range Nouns {
		if n.Traits().Past == nil {
			continue
		}
		for j := range m.rows.Nouns[i].Len() {
			row := m.rows.Nouns[i].Row(j)
			x := ObjectRow{credit.ObjectRef{Type: n.Traits().Object, ID: KeyText(n.Value(row, 0))}, m.rows.Nouns[i].Q(j)}
			if m.rows.Audits[x.Q-m.rows.Batch.FirstQ].names(x.ObjectRef) {
				continue
			}
			if seen == nil {
				seen = make(map[ObjectRow]bool, len(m.rows.Objects))
				for _, o := range m.rows.Objects {
					seen[o] = true
				}
			}
			if !seen[x] {
				seen[x] = true
				m.rows.Objects = append(m.rows.Objects, x)
			}
		}
	}
}

// sortClaims orders claims, because they come from a map.
func sortClaims(rows []ClaimRow) []ClaimRow {
	slices.SortFunc(rows, func(a, b ClaimRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name))
	})
	return rows
}

// Installments flattens a loan's rows.
func (l LoanRow) Installments() []InstallmentRow {
	rows := make([]InstallmentRow, len(l.Rows))
	for i, r := range l.Rows {
		rows[i] = InstallmentRow{Row: r, Order: l.Key, Company: l.Company, Merchant: l.Merchant}
	}
	return rows
}

// FeeRows flattens a loan's fees.
func (l LoanRow) FeeRows() []FeeRow {
	rows := make([]FeeRow, len(l.Fees))
	for i, f := range l.Fees {
		rows[i] = FeeRow{Fee: f, Order: l.Key, N: i, Company: l.Company}
	}
	return rows
}
